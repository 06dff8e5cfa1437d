//! Certificates as bytes: a header in lines of text, an empty line, the states compressed by zlib (RFC 1950).
//!
//! The states are sorted as numbers, each is replaced by its difference (exclusive or) from the one before, and the
//! bytes of all of them are put together by their place in the state, so that equal bytes lie side by side. Whoever
//! wants to read them needs nothing but a zlib, which every language has. `docs/certificates.md` has the format.

use std::fmt::Write as _;
use std::str::FromStr;

use burnside_interp::Limits;
use burnside_ir::TypeId;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::certificate::{Certificate, Claim, Class, Deadlock, Generator, Unusable};
use crate::{Digest, digest};

const TITLE: &str = "burnside-certificate 1";

/// Compression level: the highest that does not search longer than it saves on states.
const LEVEL: u8 = 6;

/// More states than this do not fit a number of the audit.
const MOST_STATES: usize = u32::MAX as usize;

impl Certificate {
    /// What every certificate begins with.
    pub const MAGIC: &str = "burnside-certificate ";

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let order = self.sorted();
        let mut body = self.planes(&order);
        body.extend(order.iter().filter_map(|&at| self.annotations.get(at)).flat_map(|it| it.to_le_bytes()));
        let packed = compress_to_vec_zlib(&body, LEVEL);
        let mut header = self.header();
        let _ = writeln!(
            header,
            "states {} {}\nbody {} {}\n",
            self.n_bits,
            self.n_states(),
            packed.len(),
            hex(&digest(&packed))
        );
        let mut bytes = header.into_bytes();
        bytes.extend(packed);
        bytes
    }

    fn header(&self) -> String {
        let claim = &self.claim;
        let mut lines = vec![
            TITLE.to_owned(),
            format!("version {}", line(&claim.version)),
            format!("model {}", line(&claim.model)),
            format!("language {}", line(&claim.language)),
            format!("text {}", hex(&claim.text)),
            format!("deadlock {}", claim.deadlock.name()),
            format!("loop-limit {}", claim.limits.loop_rounds),
            format!("call-limit {} {}", claim.limits.call_depth, claim.limits.call_slots),
        ];
        lines.extend(claim.overrides.iter().map(|(name, value)| format!("define {value} {}", line(name))));
        lines.extend(claim.strict_undefined.then(|| "strict-undefined yes".to_owned()));
        lines.extend(claim.property.iter().map(|name| format!("property {}", line(name))));
        lines.extend(self.classes.iter().map(|class| {
            let types: Vec<u32> = class.types.iter().map(|ty| ty.0).collect();
            format!("class {} {} {}", class.size, numbers(&types), line(&class.name))
        }));
        let generators = self.generators.iter();
        lines.extend(generators.map(|it| format!("generator {} {}", numbers(&it.images), line(&it.reason))));
        lines.extend(self.partitions.iter().map(|cells| format!("partition {}", numbers(cells))));
        lines.iter().fold(String::new(), |text, line| text + line + "\n")
    }

    fn sorted(&self) -> Vec<usize> {
        let states: Vec<&[u64]> = self.states().collect();
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_unstable_by(|&one, &other| states[one].iter().rev().cmp(states[other].iter().rev()));
        order
    }

    /// The differences of states, byte by byte of the state.
    fn planes(&self, order: &[usize]) -> Vec<u8> {
        let (n_words, n_states) = (self.n_words(), order.len());
        let mut planes = vec![0; n_words * 8 * n_states];
        let mut before = vec![0; n_words];
        let states: Vec<&[u64]> = self.states().collect();
        for (at, &number) in order.iter().enumerate() {
            for (word, &value) in states[number].iter().enumerate() {
                for (byte, it) in (value ^ before[word]).to_le_bytes().into_iter().enumerate() {
                    planes[(word * 8 + byte) * n_states + at] = it;
                }
                before[word] = value;
            }
        }
        planes
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unusable> {
        let end = bytes.windows(2).position(|two| two == b"\n\n");
        let end = end.filter(|_| bytes.starts_with(Self::MAGIC.as_bytes()));
        let end = end.ok_or_else(|| Unusable("this is no certificate".to_owned()))?;
        let header = std::str::from_utf8(&bytes[..end]).map_err(|_| Unusable("its header is no text".to_owned()))?;
        Reader::default().read(header, &bytes[end + 2..])
    }
}

/// A certificate while it is read.
#[derive(Default)]
struct Reader {
    version: Option<String>,
    model: Option<String>,
    language: Option<String>,
    text: Option<Digest>,
    overrides: Vec<(String, i64)>,
    strict_undefined: bool,
    deadlock: Option<Deadlock>,
    loop_rounds: Option<u32>,
    call_limits: Option<[u32; 2]>,
    property: Option<String>,
    classes: Vec<Class>,
    generators: Vec<Generator>,
    partitions: Vec<Vec<u32>>,
    states: Option<(u32, usize)>,
    body: Option<(usize, Digest)>,
}

impl Reader {
    fn read(mut self, header: &str, body: &[u8]) -> Result<Certificate, Unusable> {
        let mut lines = header.lines();
        if lines.next() != Some(TITLE) {
            return Err(Unusable(format!("it is of another version than `{TITLE}`")));
        }
        for (number, text) in (2..).zip(lines) {
            let (key, value) = text.split_once(' ').unwrap_or((text, ""));
            self.line(key, value).ok_or_else(|| Unusable(format!("line {number} of its header is wrong: `{key}`")))?;
        }
        let missing = |what: &str| Unusable(format!("its header does not say `{what}`"));
        let (n_bits, n_states) = self.states.ok_or_else(|| missing("states"))?;
        let claim = Claim {
            version: self.version.ok_or_else(|| missing("version"))?,
            model: self.model.ok_or_else(|| missing("model"))?,
            language: self.language.ok_or_else(|| missing("language"))?,
            text: self.text.ok_or_else(|| missing("text"))?,
            overrides: self.overrides,
            strict_undefined: self.strict_undefined,
            deadlock: self.deadlock.ok_or_else(|| missing("deadlock"))?,
            limits: {
                let loop_rounds = self.loop_rounds.ok_or_else(|| missing("loop-limit"))?;
                let [call_depth, call_slots] = self.call_limits.ok_or_else(|| missing("call-limit"))?;
                Limits { loop_rounds, call_depth, call_slots }
            },
            property: self.property,
        };
        let (n_bytes, expected) = self.body.ok_or_else(|| missing("body"))?;
        if body.len() != n_bytes || digest(body) != expected {
            return Err(Unusable("its states are damaged".to_owned()));
        }
        let (classes, generators, partitions) = (self.classes, self.generators, self.partitions);
        let (states, annotations) = (Vec::new(), Vec::new());
        let mut read = Certificate { claim, classes, generators, n_bits, states, partitions, annotations };
        unpack(&mut read, n_states, body).ok_or_else(|| Unusable("its states are damaged".to_owned()))?;
        Ok(read)
    }

    /// Takes note of a line, unless it is wrong.
    fn line(&mut self, key: &str, value: &str) -> Option<()> {
        let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
        match key {
            "version" => self.version = Some(value.to_owned()),
            "model" => self.model = Some(value.to_owned()),
            "language" => self.language = Some(value.to_owned()),
            "text" => self.text = Some(from_hex(value)?),
            "define" => self.overrides.push((rest.to_owned(), first.parse().ok()?)),
            "strict-undefined" => self.strict_undefined = (value == "yes").then_some(true)?,
            "deadlock" => self.deadlock = Some(Deadlock::ALL.into_iter().find(|mode| mode.name() == value)?),
            "loop-limit" => self.loop_rounds = Some(value.parse().ok()?),
            "call-limit" => {
                let (depth, slots) = value.split_once(' ')?;
                self.call_limits = Some([depth.parse().ok()?, slots.parse().ok()?]);
            }
            "property" => self.property = Some(value.to_owned()),
            "class" => {
                let (types, name) = rest.split_once(' ').unwrap_or((rest, ""));
                let types = list(types)?.into_iter().map(TypeId).collect();
                self.classes.push(Class { name: name.to_owned(), types, size: first.parse().ok()? });
            }
            "generator" => self.generators.push(Generator { images: list(first)?, reason: rest.to_owned() }),
            "partition" => self.partitions.push(list(value)?),
            "states" => self.states = Some((first.parse().ok()?, rest.parse().ok()?)),
            "body" => self.body = Some((first.parse().ok()?, from_hex(rest)?)),
            _ => return None,
        }
        Some(())
    }
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

/// A text on one line.
fn line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

fn numbers(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    if numbers.is_empty() { "-".to_owned() } else { numbers.join(",") }
}

fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
    if text == "-" { Some(Vec::new()) } else { text.split(',').map(|number| number.parse().ok()).collect() }
}

pub(crate) fn hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(digest)
}
