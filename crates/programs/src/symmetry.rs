//! Which threads of a program are interchangeable.
//!
//! Found without being told: threads with the same creator, start routine and
//! argument, created with no visible operation in between. Nothing the program
//! can look at distinguishes them but their handles. Everything else has to be
//! declared on the command line; objects are then named by ELF symbol.

use std::fmt;
use std::str::FromStr;

use burnside_stateless::{Family, ObjId, ThreadId};
use burnside_wire::Report;

use crate::symbols::Symbols;

/// What `--sym` says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SymmetryOption {
    /// What is found.
    #[default]
    Auto,
    /// None.
    Off,
    /// What the other option says, after a check on permuted executions.
    Check(Box<SymmetryOption>),
    /// Threads in a ring, each with one object of an array.
    Ring {
        /// The array, or `sysv` for the first set of System V semaphores.
        symbol: String,
        /// Its length, and the number of threads.
        size: usize,
    },
    /// Threads that may be exchanged.
    Interchange(Vec<ThreadId>),
    /// Threads that run this function may be exchanged, each with its element of these arrays.
    InterchangeRoutine {
        /// The function.
        routine: String,
        /// Arrays with an element for each of the threads, in the order of their creation.
        arrays: Vec<String>,
    },
}

/// A declaration that makes no sense, or not for this program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SymmetryError {
    /// The text has none of the forms.
    Form(String),
    /// The program has no such symbol.
    NoSymbol(String),
    /// The array cannot be divided so.
    Size {
        /// The array.
        symbol: String,
        /// Its size in bytes.
        n_bytes: u64,
        /// Into how many objects it was to be divided.
        n_objects: usize,
    },
    /// The elements of the array share cells of memory.
    Cells {
        /// The array.
        symbol: String,
        /// Bytes of an element.
        size: u64,
    },
    /// The program does not have that many threads.
    Threads {
        /// How many there should be.
        expected: usize,
        /// How many the first thread created.
        created: usize,
    },
}

impl SymmetryOption {
    /// Does it rest on what is found about the threads, and not on a declaration?
    pub(crate) fn is_auto(&self) -> bool {
        match self {
            SymmetryOption::Auto => true,
            SymmetryOption::Check(option) => option.is_auto(),
            _ => false,
        }
    }
}

impl fmt::Display for SymmetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymmetryError::Form(text) => write!(
                f,
                "`{text}` is none of auto, off, ring:SYMBOL:N, interchange:1,2,3, interchange:FUNCTION, interchange:FUNCTION:ARRAY:…, \
                 check, check:…"
            ),
            SymmetryError::NoSymbol(symbol) => write!(f, "the program has no symbol `{symbol}`"),
            SymmetryError::Size { symbol, n_bytes, n_objects } => {
                write!(f, "`{symbol}` has {n_bytes} bytes, which cannot be divided into {n_objects} objects")
            }
            SymmetryError::Cells { symbol, size } => {
                write!(f, "elements of `{symbol}` have {size} bytes; only whole words of eight can be exchanged")
            }
            SymmetryError::Threads { expected, created } => write!(
                f,
                "a ring of {expected} needs {expected} threads, or {} and the first; the first thread created {created}",
                expected - 1
            ),
        }
    }
}

impl std::error::Error for SymmetryError {}

impl FromStr for SymmetryOption {
    type Err = SymmetryError;

    fn from_str(text: &str) -> Result<SymmetryOption, SymmetryError> {
        let bad = || SymmetryError::Form(text.to_owned());
        match text.split_once(':') {
            None => match text {
                "auto" => Ok(SymmetryOption::Auto),
                "off" => Ok(SymmetryOption::Off),
                "check" => Ok(SymmetryOption::Check(Box::new(SymmetryOption::Auto))),
                _ => Err(bad()),
            },
            Some(("check", rest)) => match rest.parse()? {
                SymmetryOption::Check(_) | SymmetryOption::Off => Err(bad()),
                option => Ok(SymmetryOption::Check(Box::new(option))),
            },
            Some(("ring", rest)) => {
                let (symbol, size) = rest.rsplit_once(':').ok_or_else(bad)?;
                let size = size.parse().ok().filter(|size| *size >= 2).ok_or_else(bad)?;
                Ok(SymmetryOption::Ring { symbol: symbol.to_owned(), size })
            }
            Some(("interchange", list)) if list.starts_with(|c: char| c.is_ascii_digit()) => {
                let threads: Result<Vec<u32>, _> = list.split(',').map(str::parse).collect();
                Ok(SymmetryOption::Interchange(threads.map_err(|_| bad())?.into_iter().map(ThreadId).collect()))
            }
            Some(("interchange", names)) if names.split(':').all(|name| !name.is_empty()) => {
                let mut names = names.split(':').map(str::to_owned);
                let routine = names.next().unwrap_or_default();
                Ok(SymmetryOption::InterchangeRoutine { routine, arrays: names.collect() })
            }
            Some(_) => Err(bad()),
        }
    }
}

/// Name of the semaphores of a program that has no array of them.
const SYSV: &str = "sysv";
/// As the library inside the program names them.
const SYSV_NAMES: u64 = 1 << 62;

/// The symmetries of the program that made this report.
///
/// # Errors
///
/// When what was declared does not fit the program.
pub(crate) fn families(
    option: &SymmetryOption,
    report: &Report,
    symbols: &Symbols,
) -> Result<Vec<Family>, SymmetryError> {
    match option {
        SymmetryOption::Off => Ok(Vec::new()),
        SymmetryOption::Auto => Ok(alike(report)),
        SymmetryOption::Check(option) => families(option, report, symbols),
        SymmetryOption::Interchange(threads) => {
            let born = threads.iter().all(|thread| is_born(report, *thread));
            Ok(if born { vec![Family::interchange(threads)] } else { Vec::new() })
        }
        SymmetryOption::InterchangeRoutine { routine, arrays } => {
            let address = symbols.function(routine).ok_or_else(|| SymmetryError::NoSymbol(routine.clone()))?;
            let runs_it =
                |thread: &ThreadId| is_born(report, *thread) && report.starts[thread.index()].routine == address;
            let threads: Vec<ThreadId> = (0..report.starts.len()).map(ThreadId::from).filter(runs_it).collect();
            let mut family = Family::interchange(&threads);
            for symbol in arrays {
                let elements = cells(symbol, threads.len(), symbols)?;
                for (member, objects) in family.members.iter_mut().zip(elements) {
                    member.objects.extend(objects);
                }
            }
            Ok(vec![family])
        }
        SymmetryOption::Ring { symbol, size } => {
            let objects = array(symbol, *size, symbols)?;
            Ok(vec![Family::ring(&ring_threads(report, *size)?, &objects)])
        }
    }
}

fn is_born(report: &Report, thread: ThreadId) -> bool {
    report.trace.births.get(thread.index()).is_some_and(burnside_stateless::Birth::happened)
}

/// Families of threads that began alike, as the library inside the program has
/// found when they were created.
///
/// SOUND: only threads created before the first transition count. Their state is
/// the same in all executions, so having compared it once is enough; what they
/// could be told apart by later is in the reports of the executions.
fn alike(report: &Report) -> Vec<Family> {
    let births = &report.trace.births;
    let mut groups: Vec<(ThreadId, Vec<ThreadId>)> = Vec::new();
    for thread in (1..births.len().min(report.starts.len())).map(ThreadId::from) {
        let Some(twin) = report.starts[thread.index()].twin else { continue };
        if !is_born(report, thread) || births[thread.index()].at != 0 {
            continue;
        }
        match groups.iter_mut().find(|(first, _)| *first == twin) {
            Some((_, group)) => group.push(thread),
            None => groups.push((twin, vec![thread])),
        }
    }
    groups.iter().filter(|(_, group)| group.len() > 1).map(|(_, group)| Family::interchange(group)).collect()
}

/// The objects of the array `symbol`.
fn array(symbol: &str, size: usize, symbols: &Symbols) -> Result<Vec<ObjId>, SymmetryError> {
    if symbol == SYSV {
        return Ok((0..size as u64).map(|number| ObjId::at(SYSV_NAMES | number)).collect());
    }
    let (start, n_bytes) = symbols.variable(symbol).ok_or_else(|| SymmetryError::NoSymbol(symbol.to_owned()))?;
    let n_objects = size as u64;
    if n_bytes < n_objects || n_bytes % n_objects != 0 {
        return Err(SymmetryError::Size { symbol: symbol.to_owned(), n_bytes, n_objects: size });
    }
    Ok((0..n_objects).map(|index| ObjId::at(start + index * (n_bytes / n_objects))).collect())
}

/// Bytes of a cell of watched memory.
const CELL: u64 = 8;

/// What each element of the array `symbol` consists of: an object at its beginning, and cells of watched memory.
fn cells(symbol: &str, n_elements: usize, symbols: &Symbols) -> Result<Vec<Vec<ObjId>>, SymmetryError> {
    let starts = array(symbol, n_elements.max(1), symbols)?;
    let n_bytes = symbols.variable(symbol).map_or(0, |(_, n_bytes)| n_bytes);
    let size = n_bytes / n_elements.max(1) as u64;
    if !size.is_multiple_of(CELL) {
        return Err(SymmetryError::Cells { symbol: symbol.to_owned(), size });
    }
    let of_element = |start: ObjId| (0..size / CELL).map(|cell| ObjId::at(start.0 + cell * CELL)).collect();
    Ok(starts.into_iter().map(of_element).collect())
}

/// The threads of a ring: those the first thread created, in order, and the
/// first thread itself at the end if one is missing.
fn ring_threads(report: &Report, size: usize) -> Result<Vec<ThreadId>, SymmetryError> {
    let births = report.trace.births.iter().enumerate().skip(1);
    let mut children: Vec<(u32, ThreadId)> = births
        .map(|(index, birth)| (birth, ThreadId::from(index)))
        .filter(|(birth, _)| birth.parent == ThreadId::MAIN && birth.happened())
        .map(|(birth, thread)| (birth.nth, thread))
        .collect();
    children.sort_unstable();
    let mut threads: Vec<ThreadId> = children.into_iter().map(|(_, thread)| thread).collect();
    let created = threads.len();
    if created + 1 == size {
        threads.push(ThreadId::MAIN);
    }
    if threads.len() == size { Ok(threads) } else { Err(SymmetryError::Threads { expected: size, created }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burnside_stateless::{Birth, Trace};
    use burnside_wire::Start;

    #[test]
    fn every_form_of_the_option_is_read() {
        let ring = SymmetryOption::Ring { symbol: "forks".to_owned(), size: 5 };
        let routine = |arrays: &[&str]| SymmetryOption::InterchangeRoutine {
            routine: "worker".to_owned(),
            arrays: arrays.iter().map(|name| (*name).to_owned()).collect(),
        };
        for (text, option) in [
            ("auto", SymmetryOption::Auto),
            ("off", SymmetryOption::Off),
            ("check", SymmetryOption::Check(Box::new(SymmetryOption::Auto))),
            ("check:ring:forks:5", SymmetryOption::Check(Box::new(ring.clone()))),
            ("ring:forks:5", ring),
            ("interchange:1,3", SymmetryOption::Interchange(vec![ThreadId(1), ThreadId(3)])),
            ("interchange:worker", routine(&[])),
            ("interchange:worker:slots:locks", routine(&["slots", "locks"])),
        ] {
            assert_eq!(text.parse(), Ok(option));
        }
        for text in [
            "",
            "on",
            "check:off",
            "ring:forks",
            "ring:forks:1",
            "interchange:",
            "interchange:1,x",
            "interchange:worker:",
        ] {
            assert!(text.parse::<SymmetryOption>().is_err(), "{text}");
        }
    }

    fn report(twins: &[Option<u32>], births: &[(u32, u32)]) -> Report {
        let first = Birth { parent: ThreadId::MAIN, nth: 0, at: 0, order: 0 };
        let rest = births.iter().enumerate().map(|(nth, (parent, at))| Birth {
            parent: ThreadId(*parent),
            nth: nth as u32,
            at: *at,
            order: nth as u32 + 1,
        });
        let births = std::iter::once(first).chain(rest).collect();
        let start = |twin: &Option<u32>| Start { routine: 8, twin: twin.map(ThreadId), ..Start::default() };
        let starts = std::iter::once(Start::default()).chain(twins.iter().map(start)).collect();
        Report { trace: Trace { births, ..Trace::default() }, starts, ..Report::default() }
    }

    #[test]
    fn threads_that_begin_alike_are_interchangeable() {
        let twins = [Some(1), Some(1), Some(3), Some(1), None];
        let report = report(&twins, &[(0, 0), (0, 0), (0, 0), (0, 3), (0, 0)]);
        // The third is different, the fourth was created after a transition, of the fifth nothing is known.
        assert_eq!(alike(&report), [Family::interchange(&[ThreadId(1), ThreadId(2)])]);
    }

    #[test]
    fn a_ring_may_need_the_first_thread() {
        let report = report(&[None, None], &[(0, 0), (0, 0)]);
        assert_eq!(ring_threads(&report, 2), Ok(vec![ThreadId(1), ThreadId(2)]));
        assert_eq!(ring_threads(&report, 3), Ok(vec![ThreadId(1), ThreadId(2), ThreadId::MAIN]));
        assert_eq!(ring_threads(&report, 5), Err(SymmetryError::Threads { expected: 5, created: 2 }));
    }
}
