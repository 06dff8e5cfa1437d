//! Time and memory of one process, taken from the system while it runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// The system counts CPU time in these.
const TICKS_PER_SECOND: f64 = 100.0;

/// No run takes longer than this.
const MOST_WALL: Duration = Duration::from_secs(1200);

/// One run of a checker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
    /// The part of that outside the system.
    pub(crate) user_seconds: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) states: u64,
    pub(crate) rules: u64,
    /// From the start of the process to the first state, where the checker says so.
    pub(crate) setup_seconds: Option<f64>,
    /// The memory of the visited set, where the checker says so.
    pub(crate) store_bytes: Option<f64>,
    /// Bytes of a packed state, where the checker says so.
    pub(crate) packed_bytes: Option<f64>,
    /// Whether it was stopped because it took too long.
    pub(crate) is_cut: bool,
}

/// What a command wrote.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs a command to its end, or until it has taken `most` of CPU time; returns what it cost and what it said.
pub(crate) fn measure(command: &mut Command, most: Duration) -> Result<(Run, Said), String> {
    let (out, err) = (scratch("out"), scratch("err"));
    command.stdin(Stdio::null()).stdout(create(&out)?).stderr(create(&err)?);
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", crate::shell::words(command)))?;
    let mut run = watch(&mut child, begun, most)?;
    run.wall_seconds = begun.elapsed().as_secs_f64();
    child.wait().map_err(|error| error.to_string())?;
    Ok((run, Said { out: read(&out)?, err: read(&err)? }))
}

/// Where output goes: a pipe that nobody empties would stop the command.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("burnside-bench-{}-{name}", std::process::id()))
}

fn create(path: &Path) -> Result<fs::File, String> {
    fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<String, String> {
    let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Looks at a process until it ends. A process that ended but was not waited for still tells its CPU time.
fn watch(child: &mut Child, begun: Instant, most: Duration) -> Result<Run, String> {
    let folder = format!("/proc/{}", child.id());
    let mut run = Run::default();
    loop {
        let stat = fs::read_to_string(format!("{folder}/stat")).map_err(|error| format!("{folder}: {error}"))?;
        // The fields after the name, which stands in parentheses: state, …, user time (12th), system time (13th).
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        run.user_seconds = ticks(11) / TICKS_PER_SECOND;
        run.cpu_seconds = (ticks(11) + ticks(12)) / TICKS_PER_SECOND;
        if fields.first().is_some_and(|state| *state == "Z") {
            return Ok(run);
        }
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        run.peak_bytes = run.peak_bytes.max(peak_of(&status));
        // CPU time, as other work on the machine must not decide; but nothing that only waits goes on for ever.
        if (run.cpu_seconds > most.as_secs_f64() || begun.elapsed() > MOST_WALL) && !run.is_cut {
            child.kill().map_err(|error| error.to_string())?;
            run.is_cut = true;
        }
        sleep(LOOK);
    }
}

fn peak_of(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kilobytes| kilobytes * 1024)
}

/// The middle one of some numbers.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// The geometric mean of some ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let n = ratios.len() as f64;
    (!ratios.is_empty()).then(|| (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / n).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_to_its_end() {
        let most = Duration::from_secs(60);
        let (run, said) = measure(Command::new("echo").arg("hello"), most).expect("echo runs");
        assert_eq!((said.out.as_str(), said.err.as_str()), ("hello\n", ""));
        assert!(run.wall_seconds > 0.0 && run.cpu_seconds < 1.0 && !run.is_cut);
    }

    #[test]
    fn a_process_that_takes_too_long_is_stopped() {
        let mut endless = Command::new("sh");
        let (run, _) = measure(endless.args(["-c", "while :; do :; done"]), Duration::ZERO).expect("sh runs");
        assert!(run.is_cut);
    }

    #[test]
    fn medians_and_means() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        assert_eq!(median(Vec::new()), None);
        assert!(geometric_mean(&[2.0, 8.0]).is_some_and(|mean| (mean - 4.0).abs() < 1e-9));
    }

    #[test]
    fn peaks_are_read_in_bytes() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t    1024 kB\n"), 1 << 20);
    }
}
