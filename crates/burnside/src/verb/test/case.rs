//! What is to be checked, with which options, and what should come of it.

use std::fmt;
use std::path::{Path, PathBuf};

use burnside_driver::{Expect, Expectation, Header, Language};
use toml_edit::{DocumentMut, Item, Table};

use super::configuration::{Configuration, Counts};

/// The file that says what is expected of models beside it.
const FILE: &str = "burnside.toml";
/// What makes a search a plain one, with every state and shortest counterexamples.
const PLAIN: [&str; 2] = ["--symmetry", "off"];

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) model: PathBuf,
    /// Options of `check`.
    pub(super) options: Vec<String>,
    /// `None` if there is no expectation yet, which only matters where one is to be written.
    pub(super) expectation: Option<Expectation>,
    pub(super) origin: Origin,
    /// In which other ways it must come to the same; then this is the plain search.
    pub(super) configurations: Vec<Configuration>,
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
    /// What comes of a plain search.
    Plain,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.model.display())?;
        if self.options.is_empty() { Ok(()) } else { write!(f, " ({})", self.options.join(" ")) }
    }
}

impl Case {
    /// The same check in another configuration.
    pub(super) fn within(&self, configuration: &Configuration) -> Self {
        let own = self.options.strip_suffix(&PLAIN.map(str::to_owned)).unwrap_or(&self.options);
        // The plain search's symmetry stays unless the configuration has one of its own.
        let has_symmetry = configuration.options.iter().any(|it| it == PLAIN[0] || it == "--engine");
        let base = if has_symmetry { own } else { &self.options[..] };
        let options = base.iter().chain(&configuration.options).cloned().collect();
        Self { options, configurations: Vec::new(), ..self.clone() }
    }

    /// Keeps what has a text in its line.
    fn retain(&mut self, text: &str) -> bool {
        if self.configurations.is_empty() {
            return self.to_string().contains(text);
        }
        let mut configurations = std::mem::take(&mut self.configurations);
        configurations.retain(|it| self.within(it).to_string().contains(text));
        self.configurations = configurations;
        !self.configurations.is_empty()
    }

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
    /// The configurations of the folders we are in.
    configurations: Vec<Configuration>,
}

/// Finds the models at some paths. With `all`, models without an expectation are cases too.
pub(super) fn find(paths: &[PathBuf], all: bool) -> Result<Found, String> {
    let mut found = Found { cases: Vec::new(), problems: Vec::new(), n_silent: 0, configurations: Vec::new() };
    for path in paths {
        let path = path.strip_prefix(".").ok().filter(|it| !it.as_os_str().is_empty()).unwrap_or(path);
        found.visit(path, all, true)?;
    }
    Ok(found)
}

impl Found {
    /// Keeps what has a text in its line.
    pub(super) fn retain(&mut self, text: &str) {
        self.cases.retain_mut(|case| case.retain(text));
    }

    fn visit(&mut self, path: &Path, all: bool, is_named: bool) -> Result<(), String> {
        let unreadable = |error: std::io::Error| format!("cannot read `{}`: {error}", path.display());
        if path.is_dir() {
            let entries = std::fs::read_dir(path).map_err(unreadable)?;
            let mut paths: Vec<PathBuf> =
                entries.map(|entry| Ok(entry?.path())).collect::<Result<_, _>>().map_err(unreadable)?;
            paths.sort();
            let is_hidden =
                |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            // Where this is read, its configurations hold for everything in the folder and below.
            paths.sort_by_key(|path| path.file_name().is_none_or(|name| name != FILE));
            let n_outside = self.configurations.len();
            for path in paths.into_iter().filter(|it| !is_hidden(it) && !it.is_symlink()) {
                let path = path.strip_prefix("./").map_or(path.clone(), Path::to_path_buf);
                self.visit(&path, all, false)?;
            }
            self.configurations.truncate(n_outside);
            return Ok(());
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.file_name().is_some_and(|name| name == FILE) {
            let text = std::fs::read_to_string(path).map_err(unreadable)?;
            let n_outside = self.configurations.len();
            self.listed(path, &text);
            if is_named {
                self.configurations.truncate(n_outside);
            }
        } else if is_named || Language::of_extension(extension).is_some() {
            let bytes = std::fs::read(path).map_err(unreadable)?;
            self.model(path, &String::from_utf8_lossy(&bytes), all);
        }
        Ok(())
    }

    /// The cases in a model's header.
    fn model(&mut self, path: &Path, text: &str, all: bool) {
        let case = |options, expectation, origin| Case {
            model: path.to_owned(),
            options,
            expectation,
            origin,
            configurations: Vec::new(),
        };
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
            self.cases.push(case(plain(&options), Some(counts), Origin::Counts));
        }
        if !matches!(header.expect, Expect::Invalid(_)) {
            self.compare(path, &options);
        }
        for (at, with) in header.with.into_iter().enumerate() {
            let options = options.iter().cloned().chain(with.options).collect();
            self.cases.push(case(options, Some(with.expectation), Origin::With(at)));
        }
    }

    /// A case in all configurations, if there are any.
    fn compare(&mut self, model: &Path, options: &[String]) {
        let (model, configurations) = (model.to_owned(), self.configurations.clone());
        if !configurations.is_empty() {
            let (options, expectation, origin) = (plain(options), None, Origin::Plain);
            self.cases.push(Case { model, options, expectation, origin, configurations });
        }
    }

    /// The cases and configurations that a `burnside.toml` lists.
    fn listed(&mut self, path: &Path, text: &str) {
        let document: DocumentMut = match text.parse() {
            Ok(document) => document,
            Err(error) => return self.problems.push(format!("{}: {error}", path.display())),
        };
        let known = ["test", "configuration"];
        if let Some((key, _)) = document.iter().find(|(key, _)| !known.contains(key)) {
            let tables = "there are only tables `[[test]]` and `[[configuration]]`";
            return self.problems.push(format!("{}: unknown key `{key}`; {tables}", path.display()));
        }
        let tables = |key: &str| document.get(key).and_then(Item::as_array_of_tables).into_iter().flatten().enumerate();
        if known.iter().all(|key| tables(key).next().is_none()) {
            let tables = "there are no tables `[[test]]` or `[[configuration]]`";
            return self.problems.push(format!("{}: {tables}", path.display()));
        }
        let mut problem = |kind: &str, at: usize, problem: String| {
            self.problems.push(format!("{}: {kind} {}: {problem}", path.display(), at + 1));
        };
        for (at, table) in tables("configuration") {
            match configuration(table) {
                Ok(configuration) => self.configurations.push(configuration),
                Err(reason) => problem("configuration", at, reason),
            }
        }
        let mut cases = Vec::new();
        for (at, table) in tables("test") {
            match listed_case(path, at, table) {
                Ok(case) => cases.push(case),
                Err(reason) => problem("test", at, reason),
            }
        }
        for case in cases {
            let (model, options, expectation) = (case.model.clone(), case.options.clone(), case.expectation.clone());
            let is_valid = !matches!(expectation, Some(Expectation { expect: Expect::Invalid(_), .. }));
            if expectation.is_some() {
                self.cases.push(case);
            } else if self.configurations.is_empty() {
                self.problems.push(format!("{}: {case}: there is no `expect`", path.display()));
            }
            // One with a symmetry of its own is no plain search.
            if is_valid && !options.iter().any(|it| it == PLAIN[0]) {
                self.compare(&model, &options);
            }
        }
    }
}

/// The texts of a table; a key that it cannot have is an error.
fn texts<'t, const N: usize>(table: &'t Table, keys: [&str; N]) -> Result<[Option<&'t str>; N], String> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !keys.contains(key)) {
        return Err(format!("unknown key `{key}`; there are `{}`", keys.join("`, `")));
    }
    if let Some((key, _)) = table.iter().find(|(_, value)| !value.is_str()) {
        return Err(format!("`{key}` must be a text"));
    }
    Ok(keys.map(|key| table.get(key).and_then(Item::as_str)))
}

fn listed_case(file: &Path, at: usize, table: &Table) -> Result<Case, String> {
    let [model, options, expect] = texts(table, ["model", "options", "expect"])?;
    Ok(Case {
        model: file.with_file_name(model.ok_or("it needs a `model`")?),
        options: words(options),
        expectation: expect.map(Expectation::parse).transpose()?,
        origin: Origin::File(file.to_owned(), at),
        configurations: Vec::new(),
    })
}

fn configuration(table: &Table) -> Result<Configuration, String> {
    let [options, counts] = texts(table, ["options", "counts"])?;
    let counts = counts.unwrap_or("same");
    let known = || format!("`counts` is `same`, `fewer` or `any`, not `{counts}`");
    let (options, counts) = (words(options), Counts::of_word(counts).ok_or_else(known)?);
    if options.is_empty() { Err("it needs `options`".to_owned()) } else { Ok(Configuration { options, counts }) }
}

fn words(options: Option<&str>) -> Vec<String> {
    options.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// The options of a plain search.
fn plain(options: &[String]) -> Vec<String> {
    options.iter().cloned().chain(PLAIN.map(str::to_owned)).collect()
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
