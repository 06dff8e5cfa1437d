//! Schedules: what to write down of a run so that it can be had again.
//!
//! The short form lists threads, `0*3,1,2*2`, with `/c` after a thread that took alternative `c` of a choice, and after an
//! `@` the cells of stacks that were watched, `0*3,1@0.5-7`, since what was visible decides what counts as a transition.
//! The file form has a header and one line per transition with its label, which replay checks. Threads are numbered in
//! the order of their creation, so a schedule means the same in every process.

use crate::cursor::{Cursor, Pick, Plan};
use crate::explorer::{NotDeterministic, Subject};
use crate::history::History;
use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::trace::{Cut, End, Event, Trace};
use std::fmt::Write as _;

/// A schedule, with labels if it came from a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Free-form header lines: program, arguments, options.
    pub header: Vec<(String, String)>,
    /// The picks.
    pub picks: Vec<Pick>,
    /// The label of each pick; empty if unknown.
    pub labels: Vec<Op>,
    /// The cells of stacks that were visible to their own threads.
    pub watched: Vec<ObjId>,
    /// How the run ended, as a word; empty if unknown.
    pub end: String,
}

/// More transitions than any run of ours has: a count that is mistyped must not take all memory.
const MOST_PICKS: usize = 1 << 24;

const MAGIC: &str = "burnside schedule 1";
const MODEL: (&str, &str) = ("memory-model", "sequential consistency");

impl Schedule {
    /// The schedule of a run.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let trace = trace.renumbered();
        Self {
            header: Vec::new(),
            picks: trace.events.iter().map(Event::pick).collect(),
            labels: trace.events.iter().map(|event| event.op).collect(),
            watched: trace.watched,
            end: trace.end.as_ref().map_or("", End::word).to_owned(),
        }
    }

    /// The short form.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        while at < self.picks.len() {
            let pick = self.picks[at];
            let count = self.picks[at..].iter().take_while(|other| **other == pick).count();
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{}", pick_text(pick));
            if count > 1 {
                let _ = write!(text, "*{count}");
            }
            at += count;
        }
        let cells: Vec<(ThreadId, u32)> = self.watched.iter().filter_map(|obj| obj.stack_cell()).collect();
        let follows = |a: &(ThreadId, u32), b: &(ThreadId, u32)| a.0 == b.0 && a.1 + 1 == b.1;
        for (nth, range) in cells.chunk_by(follows).enumerate() {
            let (owner, first) = range[0];
            let _ = write!(text, "{}{owner}.{first}", if nth == 0 { '@' } else { ',' });
            if range.len() > 1 {
                let _ = write!(text, "-{}", first as usize + range.len() - 1);
            }
        }
        text
    }

    /// Reads the short form.
    ///
    /// # Errors
    ///
    /// With the part that cannot be read.
    pub fn from_short(text: &str) -> Result<Self, String> {
        let (text, watched) = text.split_once('@').unwrap_or((text, ""));
        let mut picks = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let unreadable = || format!("`{part}` is not `thread`, `thread/choice` or `thread*count`");
            let (pick, count) = part.split_once('*').unwrap_or((part, "1"));
            let pick = read_pick(pick).ok_or_else(unreadable)?;
            let count: usize = count.parse().map_err(|_| unreadable())?;
            if count > MOST_PICKS - picks.len() {
                return Err(format!("`{part}` makes it longer than {MOST_PICKS} transitions"));
            }
            picks.extend(std::iter::repeat_n(pick, count));
        }
        let mut cells = Vec::new();
        for part in watched.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let unreadable = || format!("`{part}` is not `thread.cell` or `thread.cell-cell`");
            let more = read_cells(part).ok_or_else(unreadable)?;
            if more.size_hint().0 > MOST_PICKS - cells.len() {
                return Err(format!("`{part}` makes it longer than {MOST_PICKS} cells"));
            }
            cells.extend(more);
        }
        Ok(Self { picks, watched: cells, ..Self::default() })
    }

    /// The file form. `places[i]`, if there, says where in the source transition `i` is.
    #[must_use]
    pub fn to_file(&self, places: &[String]) -> String {
        let mut text = format!("{MAGIC}\n{}: {}\n", MODEL.0, MODEL.1);
        for (key, value) in &self.header {
            let _ = writeln!(text, "{key}: {value}");
        }
        let _ = writeln!(text, "schedule: {}\nend: {}\n", self.short(), self.end);
        for (at, (pick, op)) in self.picks.iter().zip(&self.labels).enumerate() {
            let (obj, obj2) = (obj_text(op.obj), obj_text(op.obj2));
            let place = places.get(at).map_or("", String::as_str);
            let line = format!("{} {} {obj} {obj2} {} {place}", pick_text(*pick), op.kind.word(), op.arg);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Reads the file form.
    ///
    /// # Errors
    ///
    /// With the number of the line that cannot be read.
    pub fn from_file(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line) != Some(MAGIC) {
            return Err(format!("line 1: not a schedule, `{MAGIC}` expected"));
        }
        let mut schedule = Self::default();
        for (_, line) in lines.by_ref().take_while(|(_, line)| !line.is_empty()) {
            let (key, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
            match key {
                "end" => value.clone_into(&mut schedule.end),
                "memory-model" => {}
                // The transitions are below, with their labels.
                "schedule" => schedule.watched = Self::from_short(value)?.watched,
                _ => schedule.header.push((key.to_owned(), value.to_owned())),
            }
        }
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let step = read_step(line).ok_or_else(|| format!("line {}: `{line}` is not a transition", number + 1))?;
            schedule.picks.push(step.0);
            schedule.labels.push(step.1);
        }
        Ok(schedule)
    }

    /// A cursor that follows this schedule strictly.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        Cursor::new(Plan {
            script: self.picks.clone(),
            n_known: self.picks.len() as u32,
            labels: self.labels.clone(),
            keep_labels: true,
            ..Plan::default()
        })
    }
}

fn pick_text(pick: Pick) -> String {
    if pick.choice == 0 { pick.thread.to_string() } else { format!("{}/{}", pick.thread, pick.choice) }
}

fn read_pick(text: &str) -> Option<Pick> {
    let (thread, choice) = text.split_once('/').unwrap_or((text, "0"));
    Some(Pick { thread: ThreadId(thread.parse().ok()?), choice: choice.parse().ok()? })
}

fn read_cells(text: &str) -> Option<impl Iterator<Item = ObjId>> {
    let (owner, cells) = text.split_once('.')?;
    let (first, last) = cells.split_once('-').unwrap_or((cells, cells));
    let (owner, first, last): (_, u32, u32) = (ThreadId(owner.parse().ok()?), first.parse().ok()?, last.parse().ok()?);
    let fits = last.saturating_sub(first) < MOST_PICKS as u32;
    fits.then(|| (first..=last).map(move |cell| ObjId::on_stack(owner, cell)))
}

fn obj_text(obj: ObjId) -> String {
    if obj.is_none() { "-".to_owned() } else { obj.to_string() }
}

fn read_obj(text: &str) -> Option<ObjId> {
    if text == "-" {
        return Some(ObjId::NONE);
    }
    if let Some(address) = text.strip_prefix('@') {
        return u64::from_str_radix(address, 16).ok().map(ObjId::at);
    }
    let (creator, index) = text.strip_prefix('#')?.split_once('.')?;
    if let Some(cell) = index.strip_prefix('s') {
        return Some(ObjId::on_stack(ThreadId(creator.parse().ok()?), cell.parse().ok()?));
    }
    Some(ObjId::created(ThreadId(creator.parse().ok()?), index.parse().ok()?))
}

fn read_step(line: &str) -> Option<(Pick, Op)> {
    let mut words = line.split_whitespace();
    let pick = read_pick(words.next()?)?;
    let kind = Kind::from_word(words.next()?)?;
    let (obj, obj2) = (read_obj(words.next()?)?, read_obj(words.next()?)?);
    Some((pick, Op { kind, obj, obj2, arg: words.next()?.parse().ok()? }))
}

/// Repeats a schedule.
///
/// # Errors
///
/// If the program does something else than the schedule says: it is not deterministic, or not the same program.
pub fn replay(subject: &mut dyn Subject, schedule: &Schedule) -> Result<Trace, NotDeterministic> {
    let trace = subject.run(schedule.cursor());
    let off = match trace.end {
        Some(End::Cut(Cut::OffScript(step))) => Some(step as usize),
        _ if trace.events.len() < schedule.picks.len() => Some(trace.events.len()),
        _ => None,
    };
    if let Some(step) = off {
        let thread = schedule.picks[step].thread;
        let expected = schedule.labels.get(step).map_or_else(|| "an enabled operation".into(), |op| format!("`{op}`"));
        let found = trace.pending.get(thread.index()).copied().unwrap_or(Op::NONE);
        let detail = format!("expected {expected} of thread {thread}, found `{found}`");
        return Err(NotDeterministic { step, detail });
    }
    let end = trace.end.as_ref().map_or("", End::word);
    if !schedule.end.is_empty() && schedule.end != end {
        let detail = format!("expected the run to end as `{}`, it ended as `{end}`", schedule.end);
        return Err(NotDeterministic { step: trace.events.len(), detail });
    }
    Ok(trace)
}

/// The same Mazurkiewicz trace with few context switches: a thread runs as long as what it depends on has happened,
/// then the one that can run longest takes over. The input if that is no better.
///
/// SOUND: the result is a linearisation of the same partial order, so every transition finds the state it found.
#[must_use]
pub fn fewest_switches(trace: &Trace) -> Schedule {
    let mut history = History::default();
    history.set_births(&trace.births);
    let mut races = Vec::new();
    for _ in &trace.events {
        history.push(trace, &mut races);
    }
    let order = greedy_order(&history, trace.births.len());
    let mut better = trace.clone();
    better.events = order.iter().map(|at| trace.events[*at]).collect();
    // A failure is met when its thread takes its last transition; others may have to come first no longer.
    if better.n_switches() >= trace.n_switches() {
        return Schedule::of(trace);
    }
    // Threads are numbered by creation, which follows the creating transitions in their new order.
    let place_of = |old: u32| order.iter().position(|at| *at as u32 + 1 == old).map_or(0, |at| at as u32 + 1);
    for birth in better.births.iter_mut().filter(|birth| birth.happened()) {
        birth.at = if birth.at == 0 { 0 } else { place_of(birth.at) };
    }
    let mut by_time: Vec<usize> = (0..better.births.len()).filter(|at| better.births[*at].happened()).collect();
    by_time.sort_by_key(|at| (better.births[*at].at, trace.births[*at].order));
    for (order, at) in by_time.into_iter().enumerate() {
        better.births[at].order = order as u32;
    }
    Schedule::of(&better)
}

fn greedy_order(history: &History, n_threads: usize) -> Vec<usize> {
    let mut queues: Vec<Vec<usize>> = vec![Vec::new(); n_threads];
    for at in (0..history.len()).rev() {
        queues[history.event(at).thread.index()].push(at);
    }
    let mut done = vec![0u32; n_threads];
    let mut order = Vec::new();
    while order.len() < history.len() {
        let stretch = |thread: usize| {
            let mut seen = done.clone();
            let ready = queues[thread].iter().rev().take_while(|at| is_ready(history, **at, &mut seen));
            ready.count()
        };
        let longest = (0..n_threads).max_by_key(|thread| (stretch(*thread), n_threads - thread)).expect("some thread");
        for _ in 0..stretch(longest).max(1) {
            order.extend(queues[longest].pop());
            done[longest] += 1;
        }
    }
    order
}

/// Whether everything before event `at` has happened; if so, the event counts as happened too.
fn is_ready(history: &History, at: usize, seen: &mut [u32]) -> bool {
    let own = history.event(at).thread.index();
    let clock = history.clock(at);
    let ready = clock.iter().zip(seen.iter()).enumerate().all(|(thread, (c, s))| thread == own || c <= s);
    if ready {
        seen[own] = clock[own];
    }
    ready
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_read_as_they_were_written() {
        for text in ["", "0", "0*3,1,2*2", "1/4,0", "0,1*2@0.6", "0@0.6-30,1.2", "0@0.1-2,0.5-6,2.1"] {
            let schedule = Schedule::from_short(text).expect("readable");
            assert_eq!(schedule.short(), text);
        }
        for text in ["x", "1*", "1/x", "0@1", "0@1.x", "0@1.2-", "0*99999999999999", "0@1.0-4294967295"] {
            assert!(Schedule::from_short(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_keep_labels_and_watched_cells() {
        let picks = vec![Pick { thread: ThreadId(1), choice: 0 }, Pick { thread: ThreadId(0), choice: 2 }];
        let cell = ObjId::on_stack(ThreadId(0), 6);
        let labels = vec![Op::on(Kind::Write, cell), Op::with(Kind::Choose, ObjId::NONE, 3)];
        let header = vec![("program".to_owned(), "./a b".to_owned())];
        let schedule = Schedule { header, picks, labels, watched: vec![cell], end: "assertion".to_owned() };
        assert_eq!(Schedule::from_file(&schedule.to_file(&["a.c:3".to_owned()])), Ok(schedule));
    }
}
