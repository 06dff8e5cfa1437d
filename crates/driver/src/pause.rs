//! Searches that are cut short, written down and read again.
//!
//! A file has a line that names its format, what it is about, what the engine has to say, and a digest of all that. It is
//! used only if it comes from this version, for the same model and the same options. What an engine wrote is believed: a
//! file that somebody made up may claim anything.

use std::fmt;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use burnside_audit::digest;
use burnside_engine::{Paused, Saved, Task};
use burnside_ir::text as ir_text;
use sha2::{Digest as _, Sha256};

use crate::plan::Approach;
use crate::{Outcome, Plan};

/// The first line; the number changes with the format.
const MAGIC: &[u8] = b"burnside search 1\n";
const DIGEST_BYTES: u64 = 32;
/// Most bytes of one text in a file, so that a damaged length is noticed.
const MOST_TEXT: u64 = 1 << 20;

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveProblem {
    /// It is something else.
    NoSearch,
    /// It is not as it was written.
    Damaged,
    /// Another version wrote it.
    Version(String),
    /// It is about another model.
    Model,
    /// It is about the same model with other options.
    Options,
}

impl fmt::Display for SaveProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSearch => write!(f, "it is not a search that `--save` wrote, or another version wrote it"),
            Self::Damaged => write!(f, "it is damaged: its content is not what was written"),
            Self::Version(version) => write!(f, "it was written by version {version} of Burnside"),
            Self::Model => write!(f, "the model has changed since it was written"),
            Self::Options => write!(f, "it was written with other options"),
        }
    }
}

/// A search that was written down.
#[derive(Debug)]
pub struct SavedSearch {
    /// What the writer noted: the words of the command line.
    pub words: Vec<String>,
    version: String,
    about: About,
    saved: Saved,
}

/// What a search is of, as digests.
#[derive(Debug, Clone, PartialEq, Eq)]
struct About {
    model: [u8; 32],
    options: [u8; 32],
    attempt: u64,
}

impl About {
    /// Everything that decides which states are stored in which order, and what is asked about them.
    fn new(task: &Task<'_>, attempt: usize, way: &Approach, depth: Option<u32>) -> Self {
        let asked = (task.deadlock, task.step_limits, task.only, task.fairness);
        let options = format!("{asked:?} {:?} {:?} {depth:?} {way:?}", task.order, task.store);
        Self { model: model_digest(task), options: digest(options.as_bytes()), attempt: attempt as u64 }
    }
}

impl SavedSearch {
    /// Reads a file to its end to see that it is whole, and then again what it is about.
    pub fn read(mut from: impl Read + Seek + Send + 'static) -> Result<Self, SaveProblem> {
        let length = from.seek(SeekFrom::End(0)).map_err(|_| SaveProblem::NoSearch)?;
        let to_magic = from.seek(SeekFrom::Start(0)).and_then(|_| bytes(&mut from, MAGIC.len() as u64));
        if to_magic.map_err(|_| SaveProblem::NoSearch)? != MAGIC {
            return Err(SaveProblem::NoSearch);
        }
        let n_hashed = length.checked_sub(DIGEST_BYTES).ok_or(SaveProblem::Damaged)?;
        Self::read_whole(from, n_hashed).map_err(|_| SaveProblem::Damaged)
    }

    fn read_whole(mut from: impl Read + Seek + Send + 'static, n_hashed: u64) -> io::Result<Self> {
        from.seek(SeekFrom::Start(0))?;
        let mut hasher = Hashing { to: io::sink(), hasher: Sha256::new() };
        io::copy(&mut from.by_ref().take(n_hashed), &mut hasher)?;
        if bytes(&mut from, DIGEST_BYTES)? != hasher.hasher.finalize()[..] {
            return Err(io::ErrorKind::InvalidData.into());
        }
        from.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        let version = text(&mut from)?;
        let digest = |from: &mut _| Ok::<[u8; 32], io::Error>(bytes(from, DIGEST_BYTES)?.try_into().expect("so many"));
        let about = About { model: digest(&mut from)?, options: digest(&mut from)?, attempt: number(&mut from)? };
        let words = (0..number(&mut from)?).map(|_| text(&mut from)).collect::<io::Result<_>>()?;
        let n_states = number(&mut from)?;
        let rest = n_hashed.saturating_sub(from.stream_position()?);
        let saved = Saved::new(n_states, BufReader::new(from.take(rest)));
        Ok(Self { words, version, about, saved })
    }
}

fn bytes(from: &mut impl Read, n: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.by_ref().take(n).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == n { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    Ok(u64::from_le_bytes(bytes(from, 8)?.try_into().expect("so many")))
}

fn text(from: &mut impl Read) -> io::Result<String> {
    let length = number(from)?;
    if length > MOST_TEXT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    String::from_utf8(bytes(from, length)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn write_text(text: &str, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&(text.len() as u64).to_le_bytes())?;
    to.write_all(text.as_bytes())
}

/// Takes note of everything that is written.
struct Hashing<W> {
    to: W,
    hasher: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.to.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<'m> Plan<'m> {
    /// Writes down a search of this plan that was cut short, with words that tell how to make the plan again.
    pub fn write_search(
        &self,
        outcome: &Outcome,
        depth: Option<u32>,
        words: &[String],
        to: impl Write,
    ) -> io::Result<()> {
        let Some(paused) = &outcome.report.paused else { return Ok(()) };
        let mut to = Hashing { to: io::BufWriter::new(to), hasher: Sha256::new() };
        self.write_hashed(outcome, paused, (depth, words), &mut to)?;
        let Hashing { mut to, hasher } = to;
        to.write_all(&hasher.finalize())?;
        to.flush()
    }

    fn write_hashed(
        &self,
        outcome: &Outcome,
        paused: &Paused,
        (depth, words): (Option<u32>, &[String]),
        to: &mut dyn Write,
    ) -> io::Result<()> {
        to.write_all(MAGIC)?;
        write_text(VERSION, to)?;
        let About { model, options, attempt } = self.about(outcome.attempt, depth);
        to.write_all(&model)?;
        to.write_all(&options)?;
        to.write_all(&attempt.to_le_bytes())?;
        to.write_all(&(words.len() as u64).to_le_bytes())?;
        words.iter().try_for_each(|word| write_text(word, to))?;
        to.write_all(&paused.n_states().to_le_bytes())?;
        paused.write(to)
    }

    /// The same plan, but going on with a search that was written down; `depth` is the bound of this search.
    pub fn resuming(mut self, saved: &'m SavedSearch, depth: Option<u32>) -> Result<Self, SaveProblem> {
        if saved.version != VERSION {
            return Err(SaveProblem::Version(saved.version.clone()));
        }
        let attempt = saved.about.attempt as usize;
        if model_digest(&self.task) != saved.about.model {
            return Err(SaveProblem::Model);
        }
        if attempt >= self.attempts.len() || self.about(attempt, depth) != saved.about {
            return Err(SaveProblem::Options);
        }
        self.task.resumed = Some(&saved.saved);
        self.first_attempt = attempt;
        Ok(self)
    }

    fn about(&self, attempt: usize, depth: Option<u32>) -> About {
        About::new(&self.task, attempt, &self.attempts[attempt].way, depth)
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn model_digest(task: &Task<'_>) -> [u8; 32] {
    digest(ir_text::print(task.model).as_bytes())
}
