//! `cargo xtask pan`: the large Promela models of the shared corpus against SPIN's verifier, in one run.
//!
//! Both see every state once: no reduction, no symmetry, assertions and invalid end states passed over. User CPU seconds of
//! the whole process count, so our time has the compilation of the model in it and SPIN's has not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bench::measure::{Run, Said, geometric_mean, measure};
use crate::bench::models::{NO_CORPUS, entries, shared_corpus};
use crate::shell::{cargo, is_there, must, target, words};

/// Models with fewer states are over before they can be timed.
const LEAST_STATES: f64 = 200_000.0;

/// CPU time of one run.
const MOST: Duration = Duration::from_secs(120);

/// What SPIN's verifiers are compiled with.
const FLAGS: [&str; 7] = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-DMEMLIM=6000", "-DVECTORSZ=4096"];

/// Orders of search: the option for us, also the name of SPIN's verifier, and what that is compiled with.
const ORDERS: [(&str, &str); 2] = [("bfs", "-DBFS"), ("dfs", "-DSAFETY")];

struct Options {
    repeat: usize,
    only: Option<String>,
    most_states: f64,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { repeat: 2, only: None, most_states: f64::INFINITY };
        for pair in words.chunks(2) {
            let [word, value] = pair else { return Err(format!("`{}` needs a value", pair[0])) };
            let number = || value.parse::<f64>().map_err(|_| format!("`{value}` is no number"));
            match *word {
                "--repeat" => options.repeat = (number()? as usize).max(1),
                "--only" => options.only = Some((*value).to_owned()),
                "--most-states" => options.most_states = number()?,
                _ => return Err(format!("`{word}` is unknown; see `cargo xtask`")),
            }
        }
        Ok(options)
    }

    fn takes(&self, name: &str, states: f64) -> bool {
        states > LEAST_STATES
            && states <= self.most_states
            && self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

/// What was measured of one model.
struct Row {
    name: String,
    states: u64,
    /// Ours and SPIN's user seconds in each order.
    seconds: [[f64; 2]; 2],
    setup_seconds: f64,
    /// Bytes for each stored state: ours as it comes, ours with the compressed store, SPIN's with `-DCOLLAPSE`.
    bytes: [f64; 3],
}

/// Measures every model and prints a table.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    if !is_there("spin", &["-V"]) || !is_there("gcc", &["--version"]) {
        return Err("SPIN and gcc are needed".to_owned());
    }
    let corpus = shared_corpus().ok_or(NO_CORPUS)?.join("../promela");
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside"]))?;
    println!("{HEADING}");
    let mut rows = Vec::new();
    for entry in entries(&corpus)? {
        let (file, states) = (entry.cell("file"), entry.number("states_clean").unwrap_or(0.0));
        if entry.cell("accepted") != "yes" || !options.takes(file, states) {
            continue;
        }
        let subject = Subject::build(&corpus.join("models").join(file))?;
        match subject.measure(options.repeat) {
            Ok(row) => {
                println!("{}", row.text());
                rows.push(row);
            }
            Err(reason) => println!("{file}: {reason}"),
        }
    }
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    (0..ORDERS.len()).for_each(|order| println!("{}", summary(&rows, order)));
    Ok(())
}

const HEADING: &str = "\
                                states    bfs  pan-bfs  ratio    dfs  pan-dfs  ratio  setup  bytes compressed COLLAPSE";

impl Row {
    fn ratio(&self, order: usize) -> f64 {
        let [ours, theirs] = self.seconds[order];
        theirs / ours.max(0.01)
    }

    fn text(&self) -> String {
        let [[bfs, pan_bfs], [dfs, pan_dfs]] = self.seconds;
        let [exact, compressed, collapse] = self.bytes;
        format!(
            "{:28.28} {:>9} {bfs:>6.2} {pan_bfs:>8.2} {:>6.2} {dfs:>6.2} {pan_dfs:>8.2} {:>6.2} {:>6.3} {exact:>6.1} {compressed:>10.1} {collapse:>8.1}",
            self.name,
            self.states,
            self.ratio(0),
            self.ratio(1),
            self.setup_seconds
        )
    }
}

fn summary(rows: &[Row], order: usize) -> String {
    let ratios: Vec<f64> = rows.iter().map(|row| row.ratio(order)).collect();
    let mean = geometric_mean(&ratios).unwrap_or(f64::NAN);
    let least = rows.iter().min_by(|one, other| one.ratio(order).total_cmp(&other.ratio(order)));
    let least = least.map_or(String::new(), |row| format!(", least {:.2} ({})", row.ratio(order), row.name));
    format!(
        "{}: pan takes {mean:.2} times our user seconds in the geometric mean of {}{least}",
        ORDERS[order].0,
        rows.len()
    )
}

/// A model with SPIN's verifiers of it.
struct Subject {
    name: String,
    model: PathBuf,
    folder: PathBuf,
}

impl Subject {
    /// Makes SPIN's verifiers, unless they are there from another time.
    fn build(model: &Path) -> Result<Self, String> {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = target().join("pan").join(&name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let subject = Self { name, model: model.to_owned(), folder };
        if !subject.folder.join("collapse").is_file() {
            subject.quietly(Command::new("spin").args(["-a", "-o1", "-o2", "-o3"]).arg(&subject.model))?;
            for (verifier, flag) in [ORDERS[0], ORDERS[1], ("collapse", "-DCOLLAPSE")] {
                subject.quietly(Command::new("gcc").args(FLAGS).args([flag, "pan.c", "-o", verifier]))?;
            }
        }
        Ok(subject)
    }

    fn quietly(&self, command: &mut Command) -> Result<(), String> {
        must(command.current_dir(&self.folder).stdout(Stdio::null()).stderr(Stdio::null()))
    }

    /// Runs everything in turns; the least of each counts.
    fn measure(&self, repeat: usize) -> Result<Row, String> {
        let mut row = Row {
            name: self.name.rsplit("__").next().unwrap_or_default().to_owned(),
            states: 0,
            seconds: [[f64::INFINITY; 2]; 2],
            setup_seconds: f64::INFINITY,
            bytes: [0.0; 3],
        };
        for _ in 0..repeat {
            for (seconds, (order, _)) in row.seconds.iter_mut().zip(ORDERS) {
                let (ours, states) = self.ours(&["--search", order])?;
                let (theirs, _) = self.theirs(order, states)?;
                seconds[0] = seconds[0].min(ours.user_seconds);
                seconds[1] = seconds[1].min(theirs.user_seconds);
                row.states = states;
                row.setup_seconds = row.setup_seconds.min(ours.setup_seconds.unwrap_or(f64::INFINITY));
                row.bytes[0] = ours.store_bytes.unwrap_or(f64::NAN) / states as f64;
            }
        }
        let (compressed, states) = self.ours(&["--store", "compressed"])?;
        row.bytes[1] = compressed.store_bytes.unwrap_or(f64::NAN) / states as f64;
        row.bytes[2] = self.theirs("collapse", states)?.1 / states as f64;
        Ok(row)
    }

    fn ours(&self, further: &[&str]) -> Result<(Run, u64), String> {
        let mut command = Command::new(target().join("release/burnside"));
        command.args([
            "check",
            "--symmetry",
            "off",
            "--deadlock",
            "off",
            "--ignore-assertions",
            "--verbose",
            "--json",
            "-",
        ]);
        let (run, said) = measure(command.args(further).arg(&self.model), MOST)?;
        let read = crate::bench::tools::read_report(&said)
            .ok_or_else(|| format!("{}: {}", words(&command), said.err.lines().last().unwrap_or_default()))?;
        let run = Run { setup_seconds: read.setup_seconds, store_bytes: read.store_bytes, ..run };
        Ok((run, read.states))
    }

    /// A run of one of SPIN's verifiers, which must have at least so many states, and the bytes that it says they take.
    fn theirs(&self, verifier: &str, states: u64) -> Result<(Run, f64), String> {
        let mut said = Said::default();
        // The deeper its stack may be the more memory is set aside, and some models need much.
        for depth in ["-m1000000", "-m20000000"] {
            let mut command = Command::new(self.folder.join(verifier));
            let (run, out) =
                measure(command.current_dir(&self.folder).args(["-c0", "-n", "-E", "-A", "-w24", depth]), MOST)?;
            said = out;
            // Breadth first, SPIN also stores states inside an `atomic`.
            if number_before(&said.out, " states, stored").is_some_and(|stored| stored >= states as f64) {
                let megabytes = number_before(&said.out, "\tactual memory usage for states");
                return Ok((run, megabytes.unwrap_or(f64::NAN) * f64::from(1 << 20)));
            }
        }
        let told = said.out.lines().find(|line| line.contains("states, stored")).unwrap_or("nothing");
        Err(format!("{verifier} of SPIN says `{}`, we have {states} states", told.trim()))
    }
}

/// The number at the beginning of the line that has this text.
fn number_before(text: &str, label: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains(label))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_what_pan_says() {
        let said = "       12 states, stored\n    3.500\tactual memory usage for states (compression: 2%)\n";
        assert_eq!(number_before(said, " states, stored"), Some(12.0));
        assert_eq!(number_before(said, "\tactual memory usage for states"), Some(3.5));
        assert_eq!(number_before(said, "atomic steps"), None);
    }

    #[test]
    fn ratios_are_theirs_over_ours() {
        let row = |name: &str, bfs| Row {
            name: name.to_owned(),
            states: 1,
            seconds: [[1.0, bfs], [2.0, 1.0]],
            setup_seconds: 0.0,
            bytes: [0.0; 3],
        };
        let rows = [row("a", 2.0), row("b", 8.0)];
        assert_eq!(
            summary(&rows, 0),
            "bfs: pan takes 4.00 times our user seconds in the geometric mean of 2, least 2.00 (a)"
        );
        assert!(summary(&rows, 1).contains("0.50 times"));
    }
}
