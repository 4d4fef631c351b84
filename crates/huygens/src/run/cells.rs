//! Fields over cells for VTK: an image a moment (`NAME/NAME_00000.vti`), and the list of them (`NAME.pvd`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use huygens_record::{RecordError, write_atomic};

use crate::spec::CellsSpec;
use crate::world::GrainTable;

/// A series of images.
pub(super) struct CellSeries {
    folder: PathBuf,
    name: String,
    cells: CellsSpec,
    /// Times [s] and files so far.
    images: Vec<(f64, String)>,
}

impl CellSeries {
    /// Starts a series in `folder`; with `resume_at` images up to that time are kept.
    pub fn open(
        folder: &Path,
        name: &str,
        cells: CellsSpec,
        resume_at: Option<f64>,
    ) -> Result<Self, RecordError> {
        let own = folder.join(name);
        std::fs::create_dir_all(&own).map_err(|source| RecordError::Write { path: own, source })?;
        let mut series =
            Self { folder: folder.to_path_buf(), name: name.to_owned(), cells, images: Vec::new() };
        if let Some(time) = resume_at {
            // Without a list that can be read the series starts anew.
            let list = std::fs::read_to_string(series.list()).unwrap_or_default();
            series.images = list.lines().filter_map(entry).filter(|(t, _)| *t <= time).collect();
        }
        Ok(series)
    }

    fn list(&self) -> PathBuf {
        self.folder.join(format!("{}.pvd", self.name))
    }

    /// Writes the image of a moment; the first three columns of the table are the middles of the cells.
    pub fn write(&mut self, time: f64, table: &GrainTable) -> Result<(), RecordError> {
        let file = format!("{0}/{0}_{1:05}.vti", self.name, self.images.len());
        let text = self.image(table);
        write_atomic(&self.folder.join(&file), |out| out.write_all(text.as_bytes()))?;
        self.images.push((time, file));
        let mut list = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
        );
        for (time, file) in &self.images {
            let _ = writeln!(list, "<DataSet timestep=\"{time:?}\" file=\"{}\"/>", escaped(file));
        }
        list.push_str("</Collection>\n</VTKFile>\n");
        write_atomic(&self.list(), |out| out.write_all(list.as_bytes()))
    }

    fn image(&self, table: &GrainTable) -> String {
        let CellsSpec { low, high, count: [nx, ny, nz] } = self.cells;
        let side = |k: usize, n: usize| (high[k] - low[k]) / n as f64;
        let extent = format!("0 {nx} 0 {ny} 0 {nz}");
        let mut text = String::from("<?xml version=\"1.0\"?>\n");
        let _ = writeln!(
            text,
            "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\">\n<ImageData WholeExtent=\"\
             {extent}\" Origin=\"{:?} {:?} {:?}\" Spacing=\"{:?} {:?} {:?}\">\n<Piece Extent=\"{extent}\">\n<CellData>",
            low[0],
            low[1],
            low[2],
            side(0, nx),
            side(1, ny),
            side(2, nz)
        );
        for (k, (name, _)) in table.columns.iter().enumerate().skip(3) {
            let _ = writeln!(text, "<DataArray type=\"Float64\" Name=\"{name}\" format=\"ascii\">");
            table.rows().for_each(|row| {
                let _ = writeln!(text, "{:?}", row[k]);
            });
            text.push_str("</DataArray>\n");
        }
        text.push_str("</CellData>\n</Piece>\n</ImageData>\n</VTKFile>\n");
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Time and file of a line of a list.
fn entry(line: &str) -> Option<(f64, String)> {
    let value = |key: &str| line.split_once(&format!("{key}=\""))?.1.split_once('"').map(|(value, _)| value);
    let file = value("file")?.replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&");
    Some((value("timestep")?.parse().ok()?, file))
}
