//! Repeating one failing schedule by an environment variable.
//!
//! A failing test prints `BURNSIDE_REPLAY='tests::name=0,1*2'`. With it in the environment the test of that name, told by the
//! name the test harness gives its thread, executes that schedule alone; others search as ever.

use burnside_stateless::{Schedule, Trace};

/// The variable.
pub(crate) const VARIABLE: &str = "BURNSIDE_REPLAY";

/// In front of a schedule in which clones and drops of references count.
const COUNTED: &str = "refs:";

/// A schedule and whether references are counted in it.
pub(crate) struct Wanted {
    pub(crate) schedule: Schedule,
    pub(crate) counts_references: bool,
    pub(crate) text: String,
}

/// Reads a schedule in its short or file form.
pub(crate) fn parse(text: &str) -> Result<Wanted, String> {
    let (rest, counts_references) = match text.strip_prefix(COUNTED) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let schedule = if rest.starts_with("burnside") { Schedule::from_file(rest) } else { Schedule::from_short(rest) };
    Ok(Wanted { schedule: schedule?, counts_references, text: text.to_owned() })
}

/// What the environment asks this thread to repeat.
///
/// # Panics
///
/// If that cannot be read: a search instead would look like an answer.
pub(crate) fn wanted() -> Option<Wanted> {
    let value = std::env::var(VARIABLE).ok()?;
    let text = match value.rsplit_once('=') {
        Some((name, text)) if std::thread::current().name() == Some(name) => text,
        Some(_) => return None,
        None => &value,
    };
    Some(parse(text).unwrap_or_else(|error| panic!("{VARIABLE}: {error}")))
}

/// The line that tells how to repeat a run.
pub(crate) fn advice(trace: &Trace, counts_references: bool) -> String {
    let prefix = if counts_references { COUNTED } else { "" };
    let short = Schedule::of(trace).short();
    match std::thread::current().name() {
        Some("main") | None => format!("replay: {VARIABLE}='{prefix}{short}'"),
        Some(name) => format!("replay: {VARIABLE}='{name}={prefix}{short}' cargo test {name}"),
    }
}
