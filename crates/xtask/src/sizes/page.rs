//! `docs/set-sizes.md` and its plots.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{Growth, OUT_OF_THE_RACE, Options};
use crate::bench::race::{LONG_SECONDS, PATIENCE, Peer, Race, Ratio, TELLING_SECONDS, mean};
use crate::plot::{Plot, Series};
use crate::shell::root;

pub(super) fn write(growths: &[Growth], options: &Options) -> Result<(), String> {
    let docs = root().join("docs");
    let plots = docs.join("set-sizes");
    // Plots of models that are no longer measured go.
    let _ = fs::remove_dir_all(&plots);
    fs::create_dir_all(&plots).map_err(|error| format!("{}: {error}", plots.display()))?;
    for growth in growths {
        put(&plots.join(format!("{}.svg", growth.name)), &growth.plot().svg())?;
    }
    let peers: Vec<Peer> =
        Peer::ALL.into_iter().filter(|peer| growths.iter().any(|growth| growth.was_run(*peer))).collect();
    let mut page = head(options);
    page.push_str(&summary(growths));
    for growth in growths {
        page.push_str(&growth.section(&peers));
    }
    put(&docs.join("set-sizes.md"), &page)?;
    print!("{}", summary(growths));
    eprintln!("wrote docs/set-sizes.md");
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn head(options: &Options) -> String {
    format!(
        "\
# Time against the number of identities

Written by `cargo xtask sizes --cap {}`, which makes all runs; do not edit. Each model is checked with larger and larger sets
of identities: ours is `burnside check` as it comes, on one thread; the others are Rumur, compiled by
`gcc -O3 -march=native` for one thread, with its default `heuristic` symmetry reduction and with `exhaustive`, and CMurphi
where it was at hand. Checkers take turns. Times are CPU seconds (user and system), the least of {} runs, or of one if that
took more than {LONG_SECONDS} s, on a shared machine with two cores; building the others' checkers, which takes seconds, is not
counted.

Another checker is stopped after {} s, or {PATIENCE} times our own time if that is longer, which gives a lower bound, marked `>`.
With larger sets it is not run again, nor is a way of it that took more than {OUT_OF_THE_RACE} times as long as the best of
the others. The last column is the fastest of the others divided by ours, where the former takes at least {TELLING_SECONDS} s.
In models of the shared corpus it is the largest set that grows; of models with equal counts, which are copies of each other,
the first is taken, and what has less than 100 states is left out.
",
        options.cap_seconds, options.repeat, options.cap_seconds
    )
}

/// The ratio of each model at the largest size at which another was run, and their means.
fn summary(growths: &[Growth]) -> String {
    let mut text = String::from(
        "\n## All models\n\nFor each model the largest size at which another checker was run.\n\n\
         | model | own size | size | times faster |\n|---|---|---|---|\n",
    );
    let mut last: Vec<(u32, Ratio)> = Vec::new();
    for growth in growths {
        let Some((size, ratio)) = growth.last_ratio() else { continue };
        let (name, own) = (&growth.name, growth.own_size);
        let _ = writeln!(text, "| {name} | {own} | {size} | {} |", ratio.text());
        last.push((size - own, ratio));
    }
    let enlarged: Vec<Ratio> = last.iter().filter(|(added, _)| *added >= 2).map(|(_, ratio)| *ratio).collect();
    let all: Vec<Ratio> = last.into_iter().map(|(_, ratio)| ratio).collect();
    for (ratios, which) in [(&enlarged, "with two or more identities added"), (&all, "at all")] {
        let Some(mean) = mean(ratios) else { continue };
        let least = ratios.iter().map(|ratio| ratio.times).fold(f64::INFINITY, f64::min);
        let n_bounds = ratios.iter().filter(|ratio| ratio.is_bound).count();
        let _ = writeln!(
            text,
            "\nGeometric mean of the {} models measured {which}: **{} times faster** (least {least:.1}; {n_bounds} of them \
             lower bounds).",
            ratios.len(),
            mean.text()
        );
    }
    text
}

impl Growth {
    fn was_run(&self, peer: Peer) -> bool {
        self.rows.iter().any(|(_, race)| race.run(peer).is_some())
    }

    fn last_ratio(&self) -> Option<(u32, Ratio)> {
        self.rows.iter().rev().find_map(|(size, race)| race.ratio().map(|ratio| (*size, ratio)))
    }

    fn section(&self, peers: &[Peer]) -> String {
        let mut text = format!("\n## {}\n\n![seconds over {}](set-sizes/{}.svg)\n\n", self.name, self.set, self.name);
        let heading: String = peers.iter().map(|peer| format!(" {} |", peer.name())).collect();
        let _ = writeln!(text, "| {} | states | rules fired | Burnside |{heading} times faster |", self.set);
        let _ = writeln!(text, "|---|---|---|---|{}---|", "---|".repeat(peers.len()));
        for (size, race) in &self.rows {
            let ours = Race::seconds(&race.ours);
            let count = |count: u64| if race.ours.is_cut { "–".to_owned() } else { count.to_string() };
            let cell = |peer: &Peer| format!(" {} |", race.run(*peer).map_or("–".to_owned(), Race::seconds));
            let theirs: String = peers.iter().map(cell).collect();
            let ratio = race.ratio().map_or("–".to_owned(), Ratio::text);
            let (states, rules) = (count(race.ours.states), count(race.ours.rules));
            let _ = writeln!(text, "| {size} | {states} | {rules} | {ours} |{theirs} {ratio} |");
        }
        let differences = self.rows.iter().flat_map(|(size, race)| {
            race.differences().into_iter().map(move |difference| format!("with {size}, {difference}"))
        });
        let differences: Vec<String> = differences.collect();
        if !differences.is_empty() {
            let _ = writeln!(text, "\nOther counts: {}.", differences.join("; "));
        } else if self.rows.iter().any(|(_, race)| race.theirs.iter().any(|(_, run)| !run.is_cut)) {
            text.push_str("\nAll that finish count the same states and rules.\n");
        }
        text
    }

    fn plot(&self) -> Plot {
        let mut ours = Series::new("Burnside");
        for (size, race) in &self.rows {
            let seconds = race.ours.cpu_seconds.max(0.01);
            let series = if race.ours.is_cut { &mut ours.bounds } else { &mut ours.points };
            series.push((f64::from(*size), seconds));
        }
        let mut all = vec![ours];
        for peer in Peer::ALL.into_iter().filter(|peer| self.was_run(*peer)) {
            let mut series = Series::new(peer.name());
            for (size, race) in &self.rows {
                let Some(run) = race.run(peer) else { continue };
                let points = if run.is_cut { &mut series.bounds } else { &mut series.points };
                points.push((f64::from(*size), run.cpu_seconds.max(0.01)));
            }
            all.push(series);
        }
        Plot { title: format!("{}: CPU seconds over {}", self.name, self.set), series: all }
    }
}
