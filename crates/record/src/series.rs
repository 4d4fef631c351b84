//! Time series as CSV: a header with units, one row a sample, numbers that read back bit for bit. A cell without a value is
//! empty in the file and NaN in memory.
//!
//! While a run writes `name.csv`, its rows are in `name.csv.part`, readable at any time; the final
//! name appears when the series is finished and is always a complete file.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::atomic::{name_beside, replace_file, sync_folder};
use crate::error::{RecordError, SeriesFault};
use crate::recording::Recording;

/// Largest series file that is read [bytes].
pub const SIZE_LIMIT: u64 = 8 << 30;
/// Most columns in a series.
pub const COLUMN_LIMIT: usize = 16_384;

/// Rows reach the file at least this often, so that a crash loses little.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The clock is asked only once in so many rows.
const ROWS_PER_CLOCK: u32 = 64;

/// Name and unit of a column, written `name [unit]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, e.g. `crank.angle`.
    pub name: String,
    /// Unit, e.g. `rad`; empty where there is none.
    pub unit: String,
}

impl Column {
    /// A column with a name and a unit (empty: none).
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }

    fn parse(text: &str) -> Self {
        let text = text.trim();
        match text.strip_suffix(']').and_then(|head| head.rsplit_once('[')) {
            Some((name, unit)) => Self::new(name.trim_end(), unit.trim()),
            None => Self::new(text, ""),
        }
    }

    fn check(&self) -> Result<(), RecordError> {
        let broken = |rule| {
            let name = self.name.clone();
            Err(RecordError::ColumnRule { name, rule })
        };
        if self.name.trim().is_empty() {
            return broken("a column needs a name");
        }
        for text in [&self.name, &self.unit] {
            if text.trim() != text.as_str() {
                return broken("spaces at either end are not allowed");
            }
            if text.contains(|c: char| c.is_control() || "[]\"".contains(c)) {
                return broken("brackets, quotes and control characters are not allowed");
            }
        }
        Ok(())
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.unit.is_empty() {
            write!(f, " [{}]", self.unit)?;
        }
        Ok(())
    }
}

/// Writes a time series row by row; the first column is the independent one, usually time.
///
/// Dropped without [`SeriesWriter::finish`], it leaves the rows so far in the `.part` file.
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    column_count: usize,
    line: String,
    rows_since_clock: u32,
    flushed: Instant,
}

impl SeriesWriter {
    /// Starts a new series; an earlier file under the same name stays until this one is finished.
    pub fn create(path: &Path, columns: &[Column]) -> Result<Self, RecordError> {
        let header = header_line(columns)?;
        let part = part_path(path)?;
        let file = File::create(&part).map_err(RecordError::write(&part))?;
        let mut writer = Self::over(path, part, file, columns.len());
        writer.put(&header)?;
        writer.flush()?;
        Ok(writer)
    }

    /// Continues a series: keeps the rows whose first value is at most `time`, drops the rest and
    /// appends from there. The rows come from the `.part` file where a run left one, else from the
    /// finished file; where there is neither, a new series starts.
    pub fn resume(path: &Path, columns: &[Column], time: f64) -> Result<Self, RecordError> {
        let header = header_line(columns)?;
        let part = part_path(path)?;
        let mut found = None;
        for source in [part.as_path(), path] {
            if found.is_none() && source.exists() {
                found = rows_until(source, &header, time)?.map(|kept| (source, kept));
            }
        }
        let Some((source, kept)) = found else {
            return Self::create(path, columns);
        };
        let temporary = name_beside(&part, ".", ".tmp").map_err(RecordError::write(&part))?;
        replace_file(&part, &temporary, |out| {
            let file = File::open(source)?;
            io::copy(&mut file.take(kept), out).map(|_| ())
        })?;
        let file = File::options().append(true).open(&part).map_err(RecordError::write(&part))?;
        Ok(Self::over(path, part, file, columns.len()))
    }

    fn over(path: &Path, part: PathBuf, file: File, column_count: usize) -> Self {
        Self {
            path: path.to_path_buf(),
            part,
            out: BufWriter::with_capacity(1 << 16, file),
            column_count,
            line: String::new(),
            rows_since_clock: 0,
            flushed: Instant::now(),
        }
    }

    /// Appends a row; each number is written as the shortest text that reads back to its bits, and NaN as an empty cell.
    pub fn row(&mut self, values: &[f64]) -> Result<(), RecordError> {
        if values.len() != self.column_count {
            return Err(RecordError::RowLength { expected: self.column_count, found: values.len() });
        }
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            if !value.is_nan() {
                // `{:?}` is the shortest round-trip form and switches to exponents for extremes.
                let _ = fmt::Write::write_fmt(&mut line, format_args!("{value:?}"));
            }
        }
        line.push('\n');
        let written = self.put(&line);
        self.line = line;
        written?;
        self.rows_since_clock += 1;
        if self.rows_since_clock >= ROWS_PER_CLOCK {
            self.rows_since_clock = 0;
            if self.flushed.elapsed() >= FLUSH_INTERVAL {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Hands all rows so far to the operating system, where other programs can read them.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.flushed = Instant::now();
        self.out.flush().map_err(RecordError::write(&self.part))
    }

    /// Brings all rows so far to disk; do this before a checkpoint is written, so that a resume
    /// from it finds every earlier row.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        let synced = self.out.get_ref().sync_all();
        synced.map_err(RecordError::write(&self.part))
    }

    /// Completes the series under its final name.
    pub fn finish(mut self) -> Result<PathBuf, RecordError> {
        self.sync()?;
        fs::rename(&self.part, &self.path).map_err(RecordError::write(&self.path))?;
        sync_folder(&self.path).map_err(RecordError::write(&self.path))?;
        Ok(self.path.clone())
    }

    /// The file that holds the rows until the series is finished.
    pub fn part_path(&self) -> &Path {
        &self.part
    }

    fn put(&mut self, text: &str) -> Result<(), RecordError> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(RecordError::write(&self.part))
    }
}

fn part_path(path: &Path) -> Result<PathBuf, RecordError> {
    name_beside(path, "", ".part").map_err(RecordError::write(path))
}

/// Refuses columns that no series may have.
pub fn check_columns(columns: &[Column]) -> Result<(), RecordError> {
    header_line(columns).map(drop)
}

fn header_line(columns: &[Column]) -> Result<String, RecordError> {
    if columns.is_empty() || columns.len() > COLUMN_LIMIT {
        return Err(RecordError::ColumnRule {
            name: String::new(),
            rule: "a series has at least one column and at most 16384",
        });
    }
    let mut names = BTreeSet::new();
    let mut header = String::new();
    for column in columns {
        column.check()?;
        if !names.insert(&column.name) {
            return Err(RecordError::ColumnRule {
                name: column.name.clone(),
                rule: "its name appears twice",
            });
        }
        if !header.is_empty() {
            header.push(',');
        }
        let text = column.to_string();
        match text.contains(',') {
            true => header.push_str(&format!("\"{text}\"")),
            false => header.push_str(&text),
        }
    }
    header.push('\n');
    Ok(header)
}

/// Length [bytes] of the head of a series file with the rows up to and including `time`; `None`
/// where not even the header is complete.
///
/// A last line without its line break was cut by a crash and does not count.
fn rows_until(path: &Path, header: &str, time: f64) -> Result<Option<u64>, RecordError> {
    let file = File::open(path).map_err(RecordError::read(path))?;
    let mut reader = BufReader::new(file.take(SIZE_LIMIT));
    let mut bytes = Vec::new();
    let mut kept = None;
    for number in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes);
        let length = length.map_err(RecordError::read(path))? as u64;
        if !bytes.ends_with(b"\n") {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        let row = match number {
            1 => header_matches(&line, header).map(|()| f64::NEG_INFINITY),
            _ => row_time(&line, header),
        };
        let row =
            row.map_err(|fault| RecordError::Series { path: path.to_path_buf(), line: number, fault })?;
        if row > time {
            break;
        }
        kept = Some(kept.unwrap_or(0) + length);
    }
    Ok(kept)
}

fn header_matches(line: &str, header: &str) -> Result<(), SeriesFault> {
    if line == header {
        return Ok(());
    }
    Err(SeriesFault::Header {
        expected: header.trim_end().to_owned(),
        found: line.trim_end().chars().take(400).collect(),
    })
}

fn row_time(line: &str, header: &str) -> Result<f64, SeriesFault> {
    let text = line.split(',').next().unwrap_or("").trim();
    text.parse().map_err(|_| SeriesFault::NotNumber {
        column: header.split(',').next().unwrap_or("").trim().to_owned(),
        text: text.chars().take(40).collect(),
    })
}

/// A time series read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    columns: Vec<Column>,
    values: Vec<Vec<f64>>,
}

impl Series {
    /// Reads a CSV file of numbers with a header; errors name the line.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let mut reader = RowReader::open(path)?;
        let mut values = vec![Vec::new(); reader.columns.len()];
        let mut row = Vec::new();
        while reader.row(&mut row)? {
            for (column, value) in values.iter_mut().zip(&row) {
                column.push(*value);
            }
        }
        Ok(Self { columns: reader.columns, values })
    }

    /// The scalars of a recording over its times.
    pub fn of_scalars(recording: &Recording) -> Self {
        let scalars = &recording.stage().scalars;
        let mut series =
            Self { columns: vec![Column::new("time", "s")], values: vec![recording.times().to_vec()] };
        for (index, scalar) in scalars.iter().enumerate() {
            let rows = recording.scalars().chunks_exact(scalars.len());
            series.columns.push(Column::new(&scalar.name, &scalar.unit));
            series.values.push(rows.map(|row| row[index]).collect());
        }
        series
    }

    /// Adds the sum of some columns as a column of its own.
    pub fn add_sum(&mut self, name: &str, of: &[&str]) -> Result<(), RecordError> {
        let mut sum = vec![0.0; self.row_count()];
        let mut unit = String::new();
        for part in of {
            let (column, values) = self.column(part)?;
            unit.clone_from(&column.unit);
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        self.columns.push(Column::new(name, unit));
        self.values.push(sum);
        Ok(())
    }

    /// The columns, in file order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// Values of the first column, usually time.
    pub fn first(&self) -> &[f64] {
        self.values.first().map_or(&[], Vec::as_slice)
    }

    /// Description and values of a column, or an error that lists the columns there are.
    pub fn column(&self, name: &str) -> Result<(&Column, &[f64]), RecordError> {
        let found = self.columns.iter().position(|column| column.name == name);
        found.map(|index| (&self.columns[index], self.values[index].as_slice())).ok_or_else(|| {
            RecordError::MissingColumn {
                name: name.to_owned(),
                present: self.columns.iter().map(|c| c.name.clone()).collect(),
            }
        })
    }
}

/// Reads rows of numbers under a checked header.
struct RowReader {
    path: PathBuf,
    reader: csv::Reader<io::Take<BufReader<File>>>,
    record: csv::StringRecord,
    columns: Vec<Column>,
}

impl RowReader {
    fn open(path: &Path) -> Result<Self, RecordError> {
        let file = File::open(path).map_err(RecordError::read(path))?;
        let length = file.metadata().map_err(RecordError::read(path))?.len();
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(BufReader::new(file).take(SIZE_LIMIT));
        let mut rows =
            Self { path: path.to_path_buf(), reader, record: csv::StringRecord::new(), columns: Vec::new() };
        if length > SIZE_LIMIT {
            let limit = SIZE_LIMIT;
            let what = "bytes";
            return Err(rows.fault(1, SeriesFault::Limit { limit, what }));
        }
        rows.header()?;
        Ok(rows)
    }

    fn header(&mut self) -> Result<(), RecordError> {
        if !self.next_record()? {
            return Err(self.fault(1, SeriesFault::Empty));
        }
        if self.record.len() > COLUMN_LIMIT {
            let limit = COLUMN_LIMIT as u64;
            let what = "columns";
            return Err(self.fault(1, SeriesFault::Limit { limit, what }));
        }
        let mut names = BTreeSet::new();
        for (index, text) in self.record.iter().enumerate() {
            let column = Column::parse(text);
            if column.name.is_empty() {
                let index = index + 1;
                return Err(self.fault(1, SeriesFault::UnnamedColumn { index }));
            }
            if !names.insert(column.name.clone()) {
                let column = column.name;
                return Err(self.fault(1, SeriesFault::DuplicateColumn { column }));
            }
            self.columns.push(column);
        }
        Ok(())
    }

    /// Reads the next row into `values`; false at the end of the file.
    fn row(&mut self, values: &mut Vec<f64>) -> Result<bool, RecordError> {
        if !self.next_record()? {
            return Ok(false);
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        if self.record.len() != self.columns.len() {
            let fault = SeriesFault::Ragged { expected: self.columns.len(), found: self.record.len() };
            return Err(self.fault(line, fault));
        }
        values.clear();
        for (text, column) in self.record.iter().zip(&self.columns) {
            match text.trim().parse() {
                Ok(value) => values.push(value),
                // Every row has a time; the other cells may be empty.
                Err(_) if text.trim().is_empty() && !values.is_empty() => values.push(f64::NAN),
                Err(_) => {
                    let fault = SeriesFault::NotNumber {
                        column: column.name.clone(),
                        text: text.chars().take(40).collect(),
                    };
                    return Err(self.fault(line, fault));
                }
            }
        }
        Ok(true)
    }

    fn next_record(&mut self) -> Result<bool, RecordError> {
        let line = self.reader.position().line();
        match self.reader.read_record(&mut self.record) {
            Ok(more) => Ok(more),
            Err(error) => {
                let reason = error.to_string();
                match error.into_kind() {
                    csv::ErrorKind::Io(source) => Err(RecordError::read(&self.path)(source)),
                    csv::ErrorKind::Utf8 { .. } => {
                        let reason = "not UTF-8 text".to_owned();
                        Err(self.fault(line, SeriesFault::Text { reason }))
                    }
                    _ => Err(self.fault(line, SeriesFault::Text { reason })),
                }
            }
        }
    }

    fn fault(&self, line: u64, fault: SeriesFault) -> RecordError {
        RecordError::Series { path: self.path.clone(), line, fault }
    }
}
