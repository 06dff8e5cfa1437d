//! The scratch workspace: a copy of the crates in which some hold all their mutants at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::find;
use crate::rewrite::{Numbered, Rewritten, rewrite};
use crate::site::Site;

/// How often what does not compile is taken out.
const ROUNDS: u32 = 40;

/// The crates that are mutated.
pub(crate) const CRATES: [&str; 5] = ["analysis", "symmetry", "jit", "store", "adaptive"];

/// A source file with its places.
pub(crate) struct Source {
    pub(crate) package: &'static str,
    /// Below the folder of the workspace.
    path: PathBuf,
    text: String,
    pub(crate) sites: Vec<Site>,
    /// The number of the first mutant of each place.
    firsts: Vec<u32>,
    /// Places that do not compile when mutated.
    unviable: BTreeSet<usize>,
    /// Of the last rewriting: the places in it, and where they are.
    written: Vec<(usize, std::ops::Range<usize>)>,
}

/// The copy.
pub(crate) struct Scratch {
    pub(crate) root: PathBuf,
    pub(crate) sources: Vec<Source>,
}

/// One mutant.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    pub(crate) number: u32,
    /// The number that is recorded when its place is executed.
    pub(crate) place: u32,
    pub(crate) package: &'static str,
    pub(crate) what: String,
}

impl Scratch {
    /// Copies the workspace `from` and finds all mutants.
    pub(crate) fn new(from: &Path, root: PathBuf) -> Result<Self, String> {
        for folder in ["corpus", "examples", "docs", "README.md"] {
            link(&from.join(folder), &root.join(folder))?;
        }
        copy(&from.join("crates"), &root.join("crates"))?;
        for file in ["Cargo.toml", "Cargo.lock", "ARCHITECTURE.md"] {
            write(&root.join(file), &read(&from.join(file))?)?;
        }
        let manifest = read(&root.join("Cargo.toml"))?;
        write(&root.join("Cargo.toml"), &with_assertions(&from.join("crates"), &manifest)?)?;
        add_switch(&root)?;
        let mut scratch = Self { root, sources: Vec::new() };
        let mut next = 1;
        for package in CRATES {
            scratch.find(from, package, &mut next)?;
        }
        Ok(scratch)
    }

    fn find(&mut self, from: &Path, package: &'static str, next: &mut u32) -> Result<(), String> {
        let folder = Path::new("crates").join(package).join("src");
        for path in files(&from.join(&folder))? {
            let is_test = path.file_name().is_some_and(|name| name == "tests.rs" || name == "orders.rs");
            if is_test || path.extension().is_none_or(|it| it != "rs") {
                continue;
            }
            let text = read(&path)?;
            let sites = find::sites(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            let mut firsts = Vec::new();
            for site in &sites {
                firsts.push(*next);
                *next += site.change.variants().len() as u32;
            }
            let path = path.strip_prefix(from).map_err(|error| error.to_string())?.to_owned();
            let (unviable, written) = (BTreeSet::new(), Vec::new());
            self.sources.push(Source { package, path, text, sites, firsts, unviable, written });
        }
        Ok(())
    }

    /// Writes and builds, again and again, until everything that is left compiles; gives the executables.
    pub(crate) fn build(&mut self, target: &Path, args: &[&str]) -> Result<Vec<PathBuf>, String> {
        for _ in 0..ROUNDS {
            for source in &mut self.sources {
                source.write(&self.root)?;
            }
            let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            command.args(args).args(["--offline", "--keep-going", "--message-format=json"]);
            command.current_dir(&self.root).env("CARGO_TARGET_DIR", target).stderr(Stdio::null());
            let output = command.output().map_err(|error| error.to_string())?;
            let messages = String::from_utf8_lossy(&output.stdout);
            let messages: Vec<Value> = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            if output.status.success() {
                let executables = messages.iter().filter_map(|it| it["executable"].as_str());
                return Ok(executables.map(PathBuf::from).collect());
            }
            let errors: Vec<&Value> = messages.iter().filter(|it| it["message"]["level"] == "error").collect();
            let n_dropped: usize = errors.iter().map(|error| self.drop_for(&error["message"])).sum();
            if n_dropped == 0 {
                let texts = errors.iter().filter_map(|it| it["message"]["rendered"].as_str());
                let texts: Vec<&str> = texts.take(3).collect();
                return Err(format!("the scratch workspace does not build:\n{}", texts.join("\n")));
            }
        }
        Err(format!("the scratch workspace does not build after {ROUNDS} attempts"))
    }

    /// Writes down which places do not compile.
    pub(crate) fn remember(&self, path: &Path) -> Result<(), String> {
        let lines = self.sources.iter().flat_map(|source| source.unviable.iter().map(|&at| source.key(at) + "\n"));
        write(path, &lines.collect::<String>())
    }

    /// Takes out the places that did not compile last time, as far as their files have not changed.
    pub(crate) fn recall(&mut self, path: &Path) {
        let text = read(path).unwrap_or_default();
        let keys: BTreeSet<&str> = text.lines().collect();
        for source in &mut self.sources {
            source.unviable = (0..source.sites.len()).filter(|&at| keys.contains(&*source.key(at))).collect();
        }
    }

    /// Takes out the places that an error is about; returns how many.
    fn drop_for(&mut self, message: &Value) -> usize {
        let mut spans: Vec<&Value> = message["spans"].as_array().into_iter().flatten().collect();
        let children = message["children"].as_array().into_iter().flatten();
        spans.extend(children.flat_map(|child| child["spans"].as_array().into_iter().flatten()));
        let dropped = self.drop_at(&spans, Source::innermost);
        if dropped == 0 { self.drop_at(&spans, Source::on_line) } else { dropped }
    }

    fn drop_at(&mut self, spans: &[&Value], places: fn(&Source, &Value) -> Vec<usize>) -> usize {
        let mut dropped = 0;
        for span in spans {
            let Some(name) = span["file_name"].as_str() else { continue };
            let Some(source) = self.sources.iter_mut().find(|source| source.path == Path::new(name)) else { continue };
            for at in places(source, span) {
                dropped += usize::from(source.unviable.insert(at));
            }
        }
        dropped
    }

    /// All mutants that compile.
    pub(crate) fn mutants(&self) -> Vec<Mutant> {
        let mut all = Vec::new();
        for source in &self.sources {
            for (at, site) in source.sites.iter().enumerate().filter(|(at, _)| !source.unviable.contains(at)) {
                let file = source.path.strip_prefix("crates").unwrap_or(&source.path).display().to_string();
                for (offset, change) in site.change.variants().into_iter().enumerate() {
                    let what = format!("{file}:{} {}: {change}: {}", site.line, site.function, source.excerpt(site));
                    let place = source.firsts[at];
                    all.push(Mutant { number: place + offset as u32, place, package: source.package, what });
                }
            }
        }
        all
    }

    /// How many mutants do not compile.
    pub(crate) fn n_unviable(&self, package: &str) -> usize {
        let sources = self.sources.iter().filter(|source| source.package == package);
        sources.flat_map(|it| it.unviable.iter().map(|&at| it.sites[at].change.variants().len())).sum()
    }
}

impl Source {
    fn write(&mut self, root: &Path) -> Result<(), String> {
        let places: Vec<usize> = (0..self.sites.len()).filter(|at| !self.unviable.contains(at)).collect();
        let numbered: Vec<Numbered<'_>> =
            places.iter().map(|&at| Numbered { site: &self.sites[at], first: self.firsts[at] }).collect();
        let Rewritten { text, ranges } = rewrite(&self.text, &numbered);
        self.written = places.into_iter().zip(ranges).collect();
        let path = root.join(&self.path);
        if read(&path).is_ok_and(|old| old == text) { Ok(()) } else { write(&path, &text) }
    }

    fn key(&self, at: usize) -> String {
        format!("{}\t{}\t{at}", self.path.display(), self.text.len())
    }

    /// The smallest place around the beginning of a span.
    fn innermost(&self, span: &Value) -> Vec<usize> {
        let begin = span["byte_start"].as_u64().unwrap_or(0) as usize;
        let around = self.written.iter().filter(|(_, range)| range.contains(&begin));
        around.min_by_key(|(_, range)| range.len()).map(|(at, _)| *at).into_iter().collect()
    }

    /// The places that begin on the lines of a span.
    fn on_line(&self, span: &Value) -> Vec<usize> {
        let line = |key: &str| span[key].as_u64().unwrap_or(0) as usize;
        let lines = line("line_start")..=line("line_end");
        let places = self.written.iter().map(|(at, _)| *at);
        places.filter(|&at| lines.contains(&self.sites[at].line)).collect()
    }

    /// The source line of a place.
    fn excerpt(&self, site: &Site) -> String {
        self.text.lines().nth(site.line - 1).unwrap_or_default().trim().to_owned()
    }
}

/// Release builds are fast; assertions are on in our crates, as they are where tests run.
fn with_assertions(crates: &Path, manifest: &str) -> Result<String, String> {
    let mut manifest = manifest.to_owned();
    for entry in fs::read_dir(crates).map_err(|error| error.to_string())? {
        let name = entry.map_err(|error| error.to_string())?.file_name().to_string_lossy().into_owned();
        if !["burnside", "xtask", "mutants"].contains(&&*name) {
            let section = format!("\n[profile.release.package.burnside-{name}]\n");
            manifest += &(section + "debug-assertions = true\noverflow-checks = true\ndebug = false\n");
        }
    }
    Ok(manifest)
}

/// The crate with the switch, and a dependency on it in each crate that is mutated.
fn add_switch(root: &Path) -> Result<(), String> {
    let folder = root.join("crates/switch");
    write(&folder.join("src/lib.rs"), include_str!("../switch/lib.rs"))?;
    let package = "[package]\nname = \"burnside-switch\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    write(&folder.join("Cargo.toml"), package)?;
    for package in CRATES {
        let path = root.join("crates").join(package).join("Cargo.toml");
        let dependency = "[dependencies]\nburnside-switch = { path = \"../switch\" }";
        let manifest = read(&path)?;
        let manifest = match manifest.contains("[dependencies]") {
            true => manifest.replacen("[dependencies]", dependency, 1),
            false => format!("{manifest}\n{dependency}\n"),
        };
        write(&path, &manifest)?;
    }
    Ok(())
}

/// Copies a folder, but for this crate: what is made of it is built elsewhere.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    // What is older than the copy and not the same is written again, so that cargo sees which crates changed.
    for path in files(from)? {
        let below = path.strip_prefix(from).map_err(|error| error.to_string())?;
        if below.starts_with("mutants") {
            continue;
        }
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let target = to.join(below);
        let is_mutated = CRATES.iter().any(|package| below.starts_with(Path::new(package).join("src")));
        if !(is_mutated && target.exists()) && fs::read(&target).ok().as_ref() != Some(&bytes) {
            make_parent(&target)?;
            fs::write(&target, bytes).map_err(|error| format!("{}: {error}", target.display()))?;
        }
    }
    Ok(())
}

/// All files below a folder, in the order of their names.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(problem)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(problem)?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(files(&path)?);
        } else {
            all.push(path);
        }
    }
    Ok(all)
}

fn link(from: &Path, to: &Path) -> Result<(), String> {
    make_parent(to)?;
    match std::os::unix::fs::symlink(from, to) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(format!("{}: {error}", to.display())),
        _ => Ok(()),
    }
}

fn make_parent(path: &Path) -> Result<(), String> {
    let Some(parent) = path.parent() else { return Ok(()) };
    fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    make_parent(path)?;
    if read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
