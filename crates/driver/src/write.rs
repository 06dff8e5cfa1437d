//! Certificates as bytes; `docs/certificates.md` has the format, `burnside_audit` reads it.

use std::fmt::Write as _;

use burnside_audit::{Certificate, Digest, digest};
use miniz_oxide::deflate::compress_to_vec_zlib;

/// Compression level: the highest that does not search longer than it saves on states.
const LEVEL: u8 = 6;

/// The bytes of a certificate's file.
pub fn write_certificate(certificate: &Certificate) -> Vec<u8> {
    let order = sorted(certificate);
    let mut body = planes(certificate, &order);
    body.extend(order.iter().filter_map(|&at| certificate.annotations.get(at)).flat_map(|it| it.to_le_bytes()));
    let packed = compress_to_vec_zlib(&body, LEVEL);
    let mut header = header(certificate);
    let _ = writeln!(
        header,
        "states {} {}\nbody {} {}\n",
        certificate.n_bits,
        certificate.n_states(),
        packed.len(),
        hex(&digest(&packed))
    );
    let mut bytes = header.into_bytes();
    bytes.extend(packed);
    bytes
}

fn header(certificate: &Certificate) -> String {
    let claim = &certificate.claim;
    let mut lines = vec![
        Certificate::TITLE.to_owned(),
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
    lines.extend(certificate.classes.iter().map(|class| {
        let types: Vec<u32> = class.types.iter().map(|ty| ty.0).collect();
        format!("class {} {} {}", class.size, numbers(&types), line(&class.name))
    }));
    let generators = certificate.generators.iter();
    lines.extend(generators.map(|it| format!("generator {} {}", numbers(&it.images), line(&it.reason))));
    lines.extend(certificate.partitions.iter().map(|cells| format!("partition {}", numbers(cells))));
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

fn sorted(certificate: &Certificate) -> Vec<usize> {
    let states: Vec<&[u64]> = certificate.states().collect();
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_unstable_by(|&one, &other| states[one].iter().rev().cmp(states[other].iter().rev()));
    order
}

/// The differences of states, byte by byte of the state.
fn planes(certificate: &Certificate, order: &[usize]) -> Vec<u8> {
    let (n_words, n_states) = (certificate.n_words(), order.len());
    let mut planes = vec![0; n_words * 8 * n_states];
    let mut before = vec![0; n_words];
    let states: Vec<&[u64]> = certificate.states().collect();
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

/// A text on one line.
fn line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

fn numbers(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    if numbers.is_empty() { "-".to_owned() } else { numbers.join(",") }
}

fn hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
