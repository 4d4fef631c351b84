//! Reference data: tables read from the reference folder, never copied into the project.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::error::{CaseError, Result};

/// The folder of reference data, where there is one.
pub struct Reference {
    folder: Option<PathBuf>,
}

impl Reference {
    /// The folder that `HUYGENS_REFERENCE` names, or else `shared/reference` beside the checkout.
    pub fn find() -> Self {
        let folder = huygens_test_support::reference_folder();
        Self { folder: folder.is_dir().then_some(folder) }
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Result<String> {
        let missing = || CaseError::NoReference { file: file.into() };
        let folder = self.folder.as_ref().ok_or_else(missing)?;
        std::fs::read_to_string(folder.join(file)).map_err(|_| missing())
    }

    /// A JSON file.
    pub fn json<T: DeserializeOwned>(&self, file: &str) -> Result<T> {
        serde_json::from_str(&self.text(file)?)
            .map_err(|e| CaseError::Reference { file: file.into(), reason: e.to_string() })
    }

    /// The only table of a Markdown file.
    pub fn markdown_table(&self, file: &str) -> Result<Table> {
        let text = self.text(file)?;
        let wrong = |reason: String| CaseError::Reference { file: file.into(), reason };
        let cells = |line: &str| -> Vec<String> {
            line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        let mut lines = text.lines().filter(|line| line.starts_with('|'));
        let names = cells(lines.next().ok_or_else(|| wrong("there is no table".into()))?);
        let mut columns = vec![Vec::new(); names.len()];
        for line in lines.skip(1) {
            for (column, field) in columns.iter_mut().zip(cells(line)) {
                column.push(field.parse::<f64>().map_err(|e| wrong(format!("'{field}': {e}")))?);
            }
        }
        Ok(Table { file: file.into(), names, columns })
    }

    /// Numbers between spaces.
    pub fn numbers(&self, file: &str) -> Result<Vec<f64>> {
        let wrong = |field: &str, reason: String| CaseError::Reference {
            file: file.into(),
            reason: format!("'{field}': {reason}"),
        };
        let text = self.text(file)?;
        text.split_whitespace().map(|x| x.parse::<f64>().map_err(|e| wrong(x, e.to_string()))).collect()
    }

    /// A CSV file with a header; lines that begin with `#` are comments.
    pub fn table(&self, file: &str) -> Result<Table> {
        let text = self.text(file)?;
        let wrong = |reason: String| CaseError::Reference { file: file.into(), reason };
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|e| wrong(e.to_string()))?;
        let names: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for record in reader.records() {
            let record = record.map_err(|e| wrong(e.to_string()))?;
            for (column, field) in columns.iter_mut().zip(record.iter()) {
                column.push(field.trim().parse::<f64>().map_err(|e| wrong(format!("'{field}': {e}")))?);
            }
        }
        Ok(Table { file: file.into(), names, columns })
    }
}

/// Columns of numbers with names.
pub struct Table {
    file: String,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// A column by name.
    pub fn column(&self, name: &str) -> Result<&[f64]> {
        let place = self.names.iter().position(|n| n == name).ok_or_else(|| CaseError::Reference {
            file: self.file.clone(),
            reason: format!("there is no column '{name}'"),
        })?;
        Ok(&self.columns[place])
    }

    /// The columns of time.
    pub fn time(&self) -> Result<&[f64]> {
        self.column("t")
    }
}
