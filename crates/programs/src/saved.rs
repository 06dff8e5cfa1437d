//! Searches that were cut, in files, to be gone on with.
//!
//! A file has lines that say what was searched, an empty line, and the bytes of
//! the core's search. It is good for the same program, arguments and options
//! only; whatever else is in the way would show as a program that is not
//! deterministic.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use burnside_stateless::{ObjId, Schedule, Search};
use rustc_hash::FxHasher;

use crate::search::Config;

const MAGIC: &str = "burnside search 1";
const WATCHED: &str = "watched: ";
const UNCONTROLLED: &str = "not controlled: ";
const RANDOM: &str = "random: ";

/// A search that has begun, and the cells of stacks that are watched in it.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The search.
    pub search: Search,
    /// The cells.
    pub watched: Vec<ObjId>,
    /// What was not controlled in its executions.
    pub uncontrolled: Vec<String>,
    /// What was different each time.
    pub random: Vec<String>,
}

/// Why a file is of no use.
#[derive(Debug)]
pub enum SavedError {
    /// It could not be read or written.
    Io(PathBuf, io::Error),
    /// It holds no search.
    Form(PathBuf),
    /// It holds a search of something else: what was expected and what is in it.
    Other(PathBuf, String, String),
}

impl fmt::Display for SavedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SavedError::Io(file, e) => write!(f, "`{}`: {e}", file.display()),
            SavedError::Form(file) => write!(f, "`{}` holds no search that was cut", file.display()),
            SavedError::Other(file, expected, found) => {
                write!(f, "`{}` holds a search of {found}, this is {expected}", file.display())
            }
        }
    }
}

/// Writes a search to a file.
pub fn write(file: &Path, config: &Config, begun: &Begun) -> Result<(), SavedError> {
    let watched = Schedule { watched: begun.watched.clone(), ..Schedule::default() }.short();
    let mut head = format!("{MAGIC}\n{}\n{WATCHED}{watched}\n", identity(config));
    for (word, lines) in [(UNCONTROLLED, &begun.uncontrolled), (RANDOM, &begun.random)] {
        head.extend(lines.iter().map(|line| format!("{word}{line}\n")));
    }
    let mut bytes = (head + "\n").into_bytes();
    bytes.extend(begun.search.save());
    // A search that is written down again replaces the old one as a whole, or not at all.
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, file));
    written.map_err(|e| SavedError::Io(file.to_owned(), e))
}

/// Reads the search of a file.
pub fn read(file: &Path, config: &Config) -> Result<Begun, SavedError> {
    let bytes = std::fs::read(file).map_err(|e| SavedError::Io(file.to_owned(), e))?;
    let (found, begun) = parse(&bytes).ok_or_else(|| SavedError::Form(file.to_owned()))?;
    let expected = identity(config);
    if found != expected {
        return Err(SavedError::Other(file.to_owned(), expected, found));
    }
    Ok(begun)
}

fn parse(bytes: &[u8]) -> Option<(String, Begun)> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
    let mut lines = str::from_utf8(&bytes[..end]).ok()?.lines();
    if lines.next() != Some(MAGIC) {
        return None;
    }
    let identity = lines.next()?.to_owned();
    let watched = Schedule::from_short(lines.next()?.strip_prefix(WATCHED)?).ok()?.watched;
    let (mut uncontrolled, mut random) = (Vec::new(), Vec::new());
    for line in lines {
        match (line.strip_prefix(UNCONTROLLED), line.strip_prefix(RANDOM)) {
            (Some(what), _) => uncontrolled.push(what.to_owned()),
            (_, Some(what)) => random.push(what.to_owned()),
            _ => return None,
        }
    }
    Some((identity, Begun { search: Search::resume(&bytes[end + 2..])?, watched, uncontrolled, random }))
}

/// What is searched: the program by its contents, and everything that decides
/// what its transitions are, and which of its ends are faults.
fn identity(config: &Config) -> String {
    let target = &config.target;
    let mut hasher = FxHasher::default();
    std::fs::read(&target.program).unwrap_or_default().hash(&mut hasher);
    let (arguments, method, symmetry) = (&target.arguments, config.strategy.word(), &config.symmetry);
    format!(
        "{:?} {arguments:?} with contents {:016x}, explorer {method}, symmetry {symmetry:?}, {} spurious wake-ups, \
         status {}, {}",
        target.program,
        hasher.finish(),
        config.spurious_wakeups,
        config.expected_status,
        if config.finds_leaks { "leaks" } else { "no leaks" },
    )
}
