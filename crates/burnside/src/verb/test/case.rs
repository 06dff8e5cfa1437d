//! What is to be checked, with which options, and what should come of it.

use std::fmt;
use std::path::{Path, PathBuf};

use burnside_driver::{Expect, Expectation, Header, Language};
use toml_edit::{DocumentMut, Item};

/// The file that says what is expected of models beside it.
const FILE: &str = "burnside.toml";

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) model: PathBuf,
    /// Options of `check`.
    pub(super) options: Vec<String>,
    /// `None` if there is no expectation yet, which only matters where one is to be written.
    pub(super) expectation: Option<Expectation>,
    pub(super) origin: Origin,
}

/// Where an expectation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// In the model's header: its verdict.
    Verdict,
    /// In the model's header: the numbers of a search without symmetry.
    Counts,
    /// In the model's header, the line `with` of this number.
    With(usize),
    /// In a `burnside.toml`, the test of this number.
    File(PathBuf, usize),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.model.display())?;
        if self.options.is_empty() { Ok(()) } else { write!(f, " ({})", self.options.join(" ")) }
    }
}

impl Case {
    /// The command that does the same.
    pub(super) fn command(&self) -> String {
        let words = ["burnside", "check"].map(str::to_owned).into_iter();
        let words = words.chain([self.model.display().to_string()]).chain(self.options.iter().cloned());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What was found.
pub(super) struct Found {
    pub(super) cases: Vec<Case>,
    /// Expectations that cannot be read.
    pub(super) problems: Vec<String>,
    /// Models that say nothing.
    pub(super) n_silent: usize,
}

/// Finds the models at some paths. With `all`, models without an expectation are cases too.
pub(super) fn find(paths: &[PathBuf], all: bool) -> Result<Found, String> {
    let mut found = Found { cases: Vec::new(), problems: Vec::new(), n_silent: 0 };
    for path in paths {
        let path = path.strip_prefix(".").ok().filter(|it| !it.as_os_str().is_empty()).unwrap_or(path);
        found.visit(path, all, true)?;
    }
    Ok(found)
}

impl Found {
    fn visit(&mut self, path: &Path, all: bool, is_named: bool) -> Result<(), String> {
        let unreadable = |error: std::io::Error| format!("cannot read `{}`: {error}", path.display());
        if path.is_dir() {
            let entries = std::fs::read_dir(path).map_err(unreadable)?;
            let mut paths: Vec<PathBuf> =
                entries.map(|entry| Ok(entry?.path())).collect::<Result<_, _>>().map_err(unreadable)?;
            paths.sort();
            let is_hidden =
                |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            let mut paths = paths.into_iter().filter(|it| !is_hidden(it) && !it.is_symlink());
            return paths.try_for_each(|path| {
                let path = path.strip_prefix("./").map_or(path.clone(), Path::to_path_buf);
                self.visit(&path, all, false)
            });
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.file_name().is_some_and(|name| name == FILE) {
            let text = std::fs::read_to_string(path).map_err(unreadable)?;
            self.listed(path, &text);
        } else if is_named || Language::of_extension(extension).is_some() {
            let bytes = std::fs::read(path).map_err(unreadable)?;
            self.model(path, &String::from_utf8_lossy(&bytes), all);
        }
        Ok(())
    }

    /// The cases in a model's header.
    fn model(&mut self, path: &Path, text: &str, all: bool) {
        let case = |options, expectation, origin| Case { model: path.to_owned(), options, expectation, origin };
        if !Header::is_there(text) {
            self.n_silent += 1;
            self.cases.extend(all.then(|| case(Vec::new(), None, Origin::Verdict)));
            return;
        }
        let header = match Header::parse(text) {
            Ok(header) => header,
            Err(problem) => return self.problems.push(format!("{}: {problem}", path.display())),
        };
        let options = options(&header);
        let verdict = Expectation { expect: header.expect.clone(), states: None, rules: None };
        self.cases.push(case(options.clone(), Some(verdict), Origin::Verdict));
        let is_counted = header.states.is_some() || header.rules.is_some();
        if is_counted && !matches!(header.expect, Expect::Invalid(_)) {
            let counts = Expectation { expect: header.expect.clone(), states: header.states, rules: header.rules };
            let plain = options.iter().cloned().chain(["--symmetry", "off"].map(str::to_owned));
            self.cases.push(case(plain.collect(), Some(counts), Origin::Counts));
        }
        for (at, with) in header.with.into_iter().enumerate() {
            let options = options.iter().cloned().chain(with.options).collect();
            self.cases.push(case(options, Some(with.expectation), Origin::With(at)));
        }
    }

    /// The cases that a `burnside.toml` lists.
    fn listed(&mut self, path: &Path, text: &str) {
        let mut problem = |problem: String| self.problems.push(format!("{}: {problem}", path.display()));
        let document: DocumentMut = match text.parse() {
            Ok(document) => document,
            Err(error) => return problem(error.to_string()),
        };
        if let Some((key, _)) = document.iter().find(|(key, _)| *key != "test") {
            return problem(format!("unknown key `{key}`; there are only tables `[[test]]`"));
        }
        let Some(tests) = document.get("test").and_then(Item::as_array_of_tables) else {
            return problem("there are no tables `[[test]]`".to_owned());
        };
        for (at, test) in tests.iter().enumerate() {
            if let Some((key, _)) = test.iter().find(|(key, _)| !["model", "options", "expect"].contains(key)) {
                problem(format!("unknown key `{key}` in test {}", at + 1));
                continue;
            }
            let word = |key: &str| test.get(key).and_then(Item::as_str);
            let Some((model, expect)) = word("model").zip(word("expect")) else {
                problem(format!("test {} needs the texts `model` and `expect`", at + 1));
                continue;
            };
            match Expectation::parse(expect) {
                Ok(expectation) => self.cases.push(Case {
                    model: path.with_file_name(model),
                    options: word("options").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
                    expectation: Some(expectation),
                    origin: Origin::File(path.to_owned(), at),
                }),
                Err(reason) => problem(format!("test {}: {reason}", at + 1)),
            }
        }
    }
}

/// What a header says about how to check.
fn options(header: &Header) -> Vec<String> {
    let mut options = Vec::new();
    let mut add = |key: &str, value: String| options.extend([key.to_owned(), value]);
    header.deadlock.iter().for_each(|mode| add("--deadlock", mode.clone()));
    header.define.iter().for_each(|(name, value)| add("-D", format!("{name}={value}")));
    header.loop_limit.iter().for_each(|limit| add("--loop-limit", limit.to_string()));
    options.extend(header.strict_undefined.then(|| "--strict-undefined".to_owned()));
    options
}
