//! Where the models are.

use std::fs;
use std::path::{Path, PathBuf};

use burnside_driver::Language;

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models in a folder of the repository, by name.
pub(crate) fn models_in(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let is_model = |path: &PathBuf| path.extension().is_some_and(|it| it == "m" || it == "ir");
    let mut paths: Vec<PathBuf> = paths.filter(is_model).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), read(path))).collect()
}

/// The language of a model, by its name.
pub(crate) fn language_of(name: &str) -> Language {
    let extension = name.rsplit_once('.').map_or("m", |(_, extension)| extension);
    Language::of_extension(extension).unwrap_or(Language::Murphi)
}

/// A model's text; what is no UTF-8 in it becomes replacement characters.
pub(crate) fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compares a text with a golden file and returns the lines that differ, in their order; `UPDATE_GOLDEN=1` rewrites the
/// file.
pub(crate) fn compare_golden(name: &str, text: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the golden file is writable");
        return Vec::new();
    }
    differences(&read(&path), text)
}

/// The lines of two texts that differ from those at the same place in the other.
fn differences(expected: &str, given: &str) -> Vec<String> {
    let (mut expected, mut given) = (expected.lines(), given.lines());
    let mut found = Vec::new();
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return found,
            (was, is) if was == is => {}
            (was, is) => {
                found.extend(was.map(|line| format!("was: {line}")));
                found.extend(is.map(|line| format!("is: {line}")));
            }
        }
    }
}

#[test]
fn order_and_repetition_of_golden_lines_count() {
    assert_eq!(differences("a\nb\n", "a\nb\n"), [""; 0]);
    assert_eq!(differences("a\nb\n", "b\na\n").len(), 4);
    assert_eq!(differences("a\n", "a\na\n"), ["is: a"]);
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
