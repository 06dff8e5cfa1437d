//! Schedules as text: `0*3,1:4,2*2`.
//!
//! Threads in order, with how often they go in a row, and after a colon which
//! alternative of a choice they take. Short enough for a bug report.

use std::fmt;

use burnside_stateless::{Pick, ThreadId};

/// A text that is no schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// The part that makes no sense.
    pub part: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no part of a schedule such as `0*3,1,2:1`", self.part)
    }
}

impl std::error::Error for ScheduleError {}

/// Reads a schedule.
///
/// # Errors
///
/// When a part is not of the form `thread`, `thread*times` or `thread:choice`.
pub fn parse_schedule(text: &str) -> Result<Vec<Pick>, ScheduleError> {
    let mut picks = Vec::new();
    for part in text.split([',', ' ', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        let (pick, times) = parse_part(part).ok_or_else(|| ScheduleError { part: part.to_owned() })?;
        picks.extend(std::iter::repeat_n(pick, times));
    }
    Ok(picks)
}

fn parse_part(part: &str) -> Option<(Pick, usize)> {
    let (part, times) = match part.split_once('*') {
        Some((part, times)) => (part, times.parse().ok()?),
        None => (part, 1),
    };
    let (thread, choice) = part.split_once(':').unwrap_or((part, "0"));
    let pick = Pick { thread: ThreadId(thread.parse().ok()?), choice: choice.parse().ok()? };
    Some((pick, times))
}

/// Writes a schedule, on one line.
#[must_use]
pub fn print_schedule(picks: &[Pick]) -> String {
    let runs = picks.chunk_by(|a, b| a == b).map(|run| {
        let Pick { thread, choice } = run[0];
        let choice = if choice == 0 { String::new() } else { format!(":{choice}") };
        let times = if run.len() == 1 { String::new() } else { format!("*{}", run.len()) };
        format!("{thread}{choice}{times}")
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_read_back_as_written() {
        for text in ["", "0", "0*3,1,2*2", "1:4,1,1:4*2"] {
            let picks = parse_schedule(text).expect("a schedule");
            assert_eq!(print_schedule(&picks), text);
        }
        assert_eq!(parse_schedule("0*3,1").expect("a schedule").len(), 4);
    }

    #[test]
    fn nonsense_is_named() {
        assert_eq!(parse_schedule("0,x*2"), Err(ScheduleError { part: "x*2".to_owned() }));
    }
}
