//! Watches a worker: one that dies, or does not come back, has found something too.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, fs};

use crate::Options;

/// How much processor time a worker may take without a word. A search of so small a model takes milliseconds; shrinking ends
/// after eight seconds and the searches at hand.
const SILENCE: Duration = Duration::from_secs(40);

/// How long a worker may be silent whatever it takes: one that sleeps for good has found something too.
const SLEEP: Duration = Duration::from_secs(900);

/// How often a silent worker is looked at.
const LOOK: Duration = Duration::from_secs(10);

/// What was seen of all workers.
#[derive(Debug, Default)]
pub struct Summary {
    /// Texts, by what became of them.
    texts: BTreeMap<String, u64>,
    symmetric: u64,
    searches: u64,
    /// By class, trouble and configuration: how many texts, and how many texts there were before the first.
    found: BTreeMap<String, (u64, u64)>,
    took: Duration,
}

impl Summary {
    /// Whether any text shows something.
    pub fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    fn total(&self) -> u64 {
        self.texts.values().sum()
    }

    fn note(&mut self, words: &[&str]) {
        let [_, examined, symmetric, searches, kind @ ..] = words else { return };
        *self.texts.entry((*examined).to_owned()).or_default() += 1;
        self.symmetric += u64::from(*symmetric == "1");
        self.searches += searches.parse::<u64>().unwrap_or(0);
        if kind != ["-"] {
            self.find(kind.join(" "));
        }
    }

    fn find(&mut self, kind: String) {
        let before = self.total();
        self.found.entry(kind).or_insert((0, before)).0 += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.texts.iter().map(|(examined, n)| format!("{n} {examined}")).collect();
        let (seconds, total) = (self.took.as_secs_f64(), self.total());
        write!(f, "{total} texts ({}), {} symmetric, ", texts.join(", "), self.symmetric)?;
        let rate = total as f64 / seconds * 60.0;
        writeln!(f, "{} searches, {seconds:.0} s, {rate:.0} texts a minute", self.searches)?;
        for (kind, (times, first)) in &self.found {
            writeln!(f, "  {kind}: {times} times, first after {first} texts")?;
        }
        Ok(())
    }
}

/// Runs workers until the time is up or there are no more seeds.
pub fn supervise(options: &Options) -> Result<Summary, String> {
    fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let begun = Instant::now();
    let mut summary = Summary::default();
    let mut from = options.seeds.start;
    while from < options.seeds.end && begun.elapsed() < options.time {
        let (mut child, lines) = start(options, from)?;
        let end = follow((&child, &lines), begun + options.time, &mut summary);
        // It may be gone already.
        let _ = child.kill();
        let _ = child.wait();
        match end {
            End::Finished => break,
            End::Lost(seed) if options.first => {
                lose(options, seed, &mut summary)?;
                break;
            }
            End::Lost(seed) => {
                lose(options, seed, &mut summary)?;
                from = seed + 1;
            }
        }
    }
    summary.took = begun.elapsed();
    Ok(summary)
}

/// How a worker ended.
enum End {
    /// There is nothing more to do.
    Finished,
    /// It died or was silent for too long, over this seed.
    Lost(u64),
}

fn start(options: &Options, from: u64) -> Result<(Child, Receiver<String>), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(options.worker_words(from)).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let out = child.stdout.take().ok_or("the worker has no output")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok((child, receiver))
}

fn follow((child, lines): (&Child, &Receiver<String>), deadline: Instant, summary: &mut Summary) -> End {
    let mut current = None;
    let mut heard = (Instant::now(), processor_time(child.id()));
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left.min(LOOK)) {
            Ok(line) => {
                heard = (Instant::now(), processor_time(child.id()));
                let words: Vec<&str> = line.split_whitespace().collect();
                match words[..] {
                    ["begin", seed] => current = seed.parse().ok(),
                    ["done", ref rest @ ..] => {
                        summary.note(rest);
                        current = None;
                    }
                    _ => {}
                }
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => return End::Finished,
            Err(RecvTimeoutError::Timeout) if !is_lost(child, heard) => {}
            Err(_) => return current.map_or(End::Finished, End::Lost),
        }
    }
}

/// Whether a worker that was heard at some time, when it had taken some processor time, has been silent for too long.
fn is_lost(child: &Child, (at, taken): (Instant, Option<Duration>)) -> bool {
    let silence = match (taken, processor_time(child.id())) {
        (Some(then), Some(now)) => now.saturating_sub(then),
        _ => at.elapsed(),
    };
    silence >= SILENCE || at.elapsed() >= SLEEP
}

/// The processor time that a process has taken, where the system tells: on a crowded machine the clock says nothing.
pub fn processor_time(process: u32) -> Option<Duration> {
    const TICKS_PER_SECOND: u64 = 100;
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; then come the state and ten numbers that do not matter here.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

fn lose(options: &Options, seed: u64, summary: &mut Summary) -> Result<(), String> {
    let (class, text) = options.source()?.text(seed);
    *summary.texts.entry("Lost".to_owned()).or_default() += 1;
    summary.find(format!("{class} crash -"));
    let path = options.out.join(format!("{class}-crash-{seed}.m"));
    fs::write(&path, format!("-- seed {seed}, class {class}: the process died or did not come back\n{text}"))
        .map_err(|error| format!("{}: {error}", path.display()))
}
