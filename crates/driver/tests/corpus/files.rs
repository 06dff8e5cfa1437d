//! Where the models are.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Murphi models in a folder of the repository, by name.
pub(crate) fn models_in(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|it| it == "m")).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), read(path))).collect()
}

/// A model's text; what is no UTF-8 in it becomes replacement characters.
pub(crate) fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compares a text with a golden file and returns the lines that differ; `UPDATE_GOLDEN=1` rewrites the file.
pub(crate) fn compare_golden(name: &str, text: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the golden file is writable");
        return Vec::new();
    }
    let expected = read(&path);
    let missing = expected.lines().filter(|line| !text.lines().any(|it| it == *line));
    let added = text.lines().filter(|line| !expected.lines().any(|it| it == *line));
    missing.map(|line| format!("was: {line}")).chain(added.map(|line| format!("is: {line}"))).collect()
}

/// A table with its column names.
pub(crate) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads tab-separated values.
    pub(crate) fn read(path: &Path) -> Self {
        let text = read(path);
        let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
        let mut lines = text.lines().map(cells);
        Self { columns: lines.next().expect("a table has a heading"), rows: lines.collect() }
    }

    /// Calls back with each row, as a function from column names to cells.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&dyn Fn(&str) -> String)) {
        for row in &self.rows {
            visit(&|column: &str| {
                let at = self.columns.iter().position(|it| it == column).expect("the table has this column");
                row.get(at).cloned().unwrap_or_default()
            });
        }
    }
}
