//! Time and memory of one process, taken from the system while it runs.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// The system counts CPU time in these.
const TICKS_PER_SECOND: f64 = 100.0;

/// No run takes longer than this.
const MOST: Duration = Duration::from_secs(600);

/// One run of a checker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) states: u64,
    pub(crate) rules: u64,
    /// From the start of the process to the first state, where the checker says so.
    pub(crate) setup_seconds: Option<f64>,
}

/// Runs a command to its end; returns what it cost and what it said.
pub(crate) fn measure(command: &mut Command) -> Result<(Run, String), String> {
    let said = tempfile(command)?;
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", crate::shell::words(command)))?;
    let (cpu_seconds, peak_bytes) = watch(&mut child, begun)?;
    let wall_seconds = begun.elapsed().as_secs_f64();
    child.wait().map_err(|error| error.to_string())?;
    let text = fs::read(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let run = Run { wall_seconds, cpu_seconds, peak_bytes, ..Run::default() };
    Ok((run, String::from_utf8_lossy(&text).into_owned()))
}

/// Sends the output of a command to a file: a pipe that nobody empties would stop it.
fn tempfile(command: &mut Command) -> Result<std::path::PathBuf, String> {
    let path = std::env::temp_dir().join(format!("burnside-bench-{}", std::process::id()));
    let file = fs::File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    Ok(path)
}

/// Looks at a process until it ends. A process that ended but was not waited for still tells its CPU time.
fn watch(child: &mut Child, begun: Instant) -> Result<(f64, u64), String> {
    let folder = format!("/proc/{}", child.id());
    let mut peak_bytes = 0;
    loop {
        let stat = fs::read_to_string(format!("{folder}/stat")).map_err(|error| format!("{folder}: {error}"))?;
        // The fields after the name, which stands in parentheses: state, …, user time (12th), system time (13th).
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        if fields.first().is_some_and(|state| *state == "Z") {
            let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
            return Ok(((ticks(11) + ticks(12)) / TICKS_PER_SECOND, peak_bytes));
        }
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        peak_bytes = peak_bytes.max(peak_of(&status));
        if begun.elapsed() > MOST {
            child.kill().map_err(|error| error.to_string())?;
            return Err(format!("took more than {} s", MOST.as_secs()));
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
        let (run, said) = measure(Command::new("echo").arg("hello")).expect("echo runs");
        assert_eq!(said, "hello\n");
        assert!(run.wall_seconds > 0.0 && run.cpu_seconds < 1.0);
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
