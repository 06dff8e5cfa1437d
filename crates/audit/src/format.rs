//! Certificates from bytes: a header in lines of text, an empty line, the states compressed by zlib (RFC 1950).
//!
//! The states are sorted as numbers, each is replaced by its difference (exclusive or) from the one before, and the
//! bytes of all of them are put together by their place in the state, so that equal bytes lie side by side. Whoever
//! wants to read them needs nothing but a zlib, which every language has. `docs/certificates.md` has the format.

use std::str::FromStr;

use burnside_interp::Limits;
use burnside_ir::TypeId;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use sha2::{Digest as _, Sha256};

use crate::certificate::{Certificate, Claim, Class, Deadlock, Digest, Generator, Unusable};

/// More states than this do not fit a number of the audit.
const MOST_STATES: usize = u32::MAX as usize;

/// What every header says.
const REQUIRED: [&str; 9] =
    ["version", "model", "language", "text", "deadlock", "loop-limit", "call-limit", "states", "body"];

/// The SHA-256 hash of some bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

impl Certificate {
    /// What every certificate begins with.
    pub const MAGIC: &str = "burnside-certificate ";

    /// The first line of a certificate of this version.
    pub const TITLE: &str = "burnside-certificate 1";

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unusable> {
        let end = bytes.windows(2).position(|two| two == b"\n\n");
        let end = end.filter(|_| bytes.starts_with(Self::MAGIC.as_bytes()));
        let end = end.ok_or_else(|| Unusable("this is not a certificate".to_owned()))?;
        let header = std::str::from_utf8(&bytes[..end]).map_err(|_| Unusable("its header is not text".to_owned()))?;
        Reader::read(header, &bytes[end + 2..])
    }
}

/// A certificate while it is read.
struct Reader {
    read: Certificate,
    n_states: usize,
    body: (usize, Digest),
}

impl Reader {
    fn read(header: &str, body: &[u8]) -> Result<Certificate, Unusable> {
        let mut lines = header.lines();
        if lines.next() != Some(Certificate::TITLE) {
            return Err(Unusable(format!("it is of another version than `{}`", Certificate::TITLE)));
        }
        let mut reader = Self { read: empty(), n_states: 0, body: (0, [0; 32]) };
        let mut said = Vec::new();
        for (number, text) in (2..).zip(lines) {
            let (key, value) = text.split_once(' ').unwrap_or((text, ""));
            reader
                .line(key, value)
                .ok_or_else(|| Unusable(format!("line {number} of its header is wrong: `{key}`")))?;
            said.push(key);
        }
        if let Some(missing) = REQUIRED.iter().find(|key| !said.contains(key)) {
            return Err(Unusable(format!("its header does not say `{missing}`")));
        }
        let damaged = || Unusable("its states are damaged".to_owned());
        if reader.body != (body.len(), digest(body)) {
            return Err(damaged());
        }
        unpack(&mut reader.read, reader.n_states, body).ok_or_else(damaged)?;
        Ok(reader.read)
    }

    /// Takes note of a line, unless it is wrong.
    fn line(&mut self, key: &str, value: &str) -> Option<()> {
        let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
        let claim = &mut self.read.claim;
        match key {
            "version" => value.clone_into(&mut claim.version),
            "model" => value.clone_into(&mut claim.model),
            "language" => value.clone_into(&mut claim.language),
            "text" => claim.text = from_hex(value)?,
            "define" => claim.overrides.push((rest.to_owned(), first.parse().ok()?)),
            "strict-undefined" => claim.strict_undefined = (value == "yes").then_some(true)?,
            "deadlock" => claim.deadlock = Deadlock::ALL.into_iter().find(|mode| mode.name() == value)?,
            "loop-limit" => claim.limits.loop_rounds = value.parse().ok()?,
            "call-limit" => {
                claim.limits.call_depth = first.parse().ok()?;
                claim.limits.call_slots = rest.parse().ok()?;
            }
            "property" => claim.property = Some(value.to_owned()),
            "class" => {
                let (types, name) = rest.split_once(' ').unwrap_or((rest, ""));
                let types = list(types)?.into_iter().map(TypeId).collect();
                self.read.classes.push(Class { name: name.to_owned(), types, size: first.parse().ok()? });
            }
            "generator" => self.read.generators.push(Generator { images: list(first)?, reason: rest.to_owned() }),
            "partition" => self.read.partitions.push(list(value)?),
            "states" => (self.read.n_bits, self.n_states) = (first.parse().ok()?, rest.parse().ok()?),
            "body" => self.body = (first.parse().ok()?, from_hex(rest)?),
            _ => return None,
        }
        Some(())
    }
}

/// A certificate that says nothing yet.
fn empty() -> Certificate {
    let claim = Claim {
        version: String::new(),
        model: String::new(),
        language: String::new(),
        text: [0; 32],
        overrides: Vec::new(),
        strict_undefined: false,
        deadlock: Deadlock::Stuttering,
        limits: Limits::default(),
        property: None,
    };
    let (classes, generators, states) = (Vec::new(), Vec::new(), Vec::new());
    Certificate { claim, classes, generators, n_bits: 0, states, partitions: Vec::new(), annotations: Vec::new() }
}

/// Puts states and annotations together again.
fn unpack(read: &mut Certificate, n_states: usize, body: &[u8]) -> Option<()> {
    let n_words = read.n_words();
    let n_planes = n_words.checked_mul(8)?;
    let n_bytes = n_planes.checked_mul(n_states).filter(|_| n_states <= MOST_STATES)?;
    let n_annotations = if read.partitions.is_empty() { 0 } else { n_states };
    let n_expected = n_bytes.checked_add(n_annotations * 4)?;
    let body = decompress_to_vec_zlib_with_limit(body, n_expected).ok().filter(|body| body.len() == n_expected)?;
    let mut before = vec![0_u64; n_words];
    read.states.reserve_exact(n_words * n_states);
    for at in 0..n_states {
        for (word, before) in before.iter_mut().enumerate() {
            let byte = |byte: usize| u64::from(body[(word * 8 + byte) * n_states + at]) << (8 * byte);
            *before ^= (0..8).map(byte).sum::<u64>();
            read.states.push(*before);
        }
    }
    let annotation = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    read.annotations = body[n_bytes..].chunks_exact(4).map(annotation).collect();
    Some(())
}

fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
    if text == "-" { Some(Vec::new()) } else { text.split(',').map(|number| number.parse().ok()).collect() }
}

fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(digest)
}
