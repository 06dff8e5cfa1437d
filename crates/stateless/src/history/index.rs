//! Where the events are that a new one may depend on, so that long runs need not be looked through for each event.
//!
//! Events are listed under the objects they touch and the thread they name, and there in classes of equal labels but
//! for arguments that the dependency table does not look at. The events of a class stand in the same relation to any
//! new event, so of a class that is independent of it none needs to be looked at, and of one that is only ordered with it
//! the last one, whose clock covers those before.

use std::collections::HashMap;

use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::relation::{Relation, relation};
use crate::trace::Event;

/// What an event is listed under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Object(ObjId),
    Target(ThreadId),
}

/// Events of one thread with the same label, ascending.
#[derive(Clone, Debug)]
struct Class {
    thread: ThreadId,
    label: Op,
    places: Vec<u32>,
}

/// The events of a run by what they touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    classes: HashMap<Key, Vec<Class>>,
}

/// The label of an event without what the dependency table does not look at. Messages and rounds of barriers are told
/// apart by numbers, but a class for each number would be a list for each event: they share one and are looked at singly.
fn label(op: &Op) -> Op {
    let arg = match op.kind {
        Kind::Read | Kind::Write | Kind::Rmw => u64::from(op.bytes()),
        Kind::RefDrop | Kind::RefCount => op.arg,
        _ if op.target().is_some() => op.arg,
        _ => 0,
    };
    Op { arg, ..*op }
}

/// Whether the relation of a label to others depends on more than its class.
fn is_numbered(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::BarrierArrive
            | Kind::BarrierLeave
            | Kind::ChanSend
            | Kind::ChanTrySend
            | Kind::ChanHandoff
            | Kind::ChanRecv
            | Kind::ChanTryRecv
            | Kind::ChanClosed
            | Kind::SenderDrop
            | Kind::ReceiverDrop
    )
}

fn keys(op: &Op) -> impl Iterator<Item = Key> {
    let first = (!op.obj.is_none()).then_some(Key::Object(op.obj));
    let second = (!op.obj2.is_none() && op.obj2 != op.obj).then_some(Key::Object(op.obj2));
    first.into_iter().chain(second).chain(op.target().map(Key::Target))
}

impl Index {
    /// The length from which a run is indexed. PERF: shorter ones are looked through faster than anything is looked up.
    pub(super) const WORTHWHILE: usize = if cfg!(debug_assertions) { 8 } else { 512 };

    pub(super) fn of(events: &[Event]) -> Self {
        let mut index = Self::default();
        for (at, event) in events.iter().enumerate() {
            index.push(at, event);
        }
        index
    }

    pub(super) fn push(&mut self, at: usize, event: &Event) {
        let label = label(&event.op);
        for key in keys(&event.op) {
            let classes = self.classes.entry(key).or_default();
            match classes.iter_mut().find(|class| class.thread == event.thread && class.label == label) {
                Some(class) => class.places.push(at as u32),
                None => classes.push(Class { thread: event.thread, label, places: vec![at as u32] }),
            }
        }
    }

    /// Takes the last event out.
    pub(super) fn pop(&mut self, event: &Event) {
        let label = label(&event.op);
        for key in keys(&event.op) {
            let classes = self.classes.get_mut(&key).expect("it was put in");
            let class = classes.iter_mut().find(|class| class.thread == event.thread && class.label == label);
            class.expect("it was put in").places.pop();
        }
    }

    /// The earlier events that `event` may depend on.
    ///
    /// SOUND: the relation of two labels is that of their touches of a common object, or of an operation on a thread with
    /// that thread's operations or with another operation on it (`relation::related`); all of these are looked up. What
    /// names a thread (`join`, `isfinished`) is ordered with, or surely races with, every operation of that thread, so
    /// only the last one counts: its clock covers the rest.
    pub(super) fn candidates<'a>(&'a self, event: &Event, last: &[u32], events: &[Event]) -> Candidates<'a> {
        let mut heads: Vec<Head<'a>> = Vec::new();
        let own = [Key::Target(event.thread)];
        for key in keys(&event.op).chain(own.into_iter().filter(|own| !keys(&event.op).any(|key| key == *own))) {
            for class in self.classes.get(&key).into_iter().flatten().filter(|class| class.thread != event.thread) {
                let Some(top) = class.places.last() else { continue };
                let all = match relation(class.thread, &events[*top as usize].op, event.thread, &event.op) {
                    _ if is_numbered(class.label.kind) => true,
                    Relation::Independent => continue,
                    Relation::Ordered => false,
                    Relation::Race => true,
                };
                let from = if all { 0 } else { class.places.len() - 1 };
                heads.push(Head::List(&class.places[from..]));
            }
        }
        if let (Kind::Join | Kind::Finished, Some(target)) = (event.op.kind, event.op.target()) {
            let place = last.get(target.index()).copied().unwrap_or(0);
            heads.extend(place.checked_sub(1).filter(|_| target != event.thread).map(Head::One));
        }
        Candidates { heads, before: u32::MAX }
    }
}

/// Events yet to be looked at, of one class.
enum Head<'a> {
    List(&'a [u32]),
    One(u32),
}

impl Head<'_> {
    fn place(&self) -> u32 {
        match self {
            Head::List(places) => *places.last().expect("empty lists are dropped"),
            Head::One(place) => *place,
        }
    }
}

/// Earlier events, latest first, each once.
pub(super) struct Candidates<'a> {
    heads: Vec<Head<'a>>,
    before: u32,
}

impl Candidates<'_> {
    /// The next one that is not hidden. A hidden event hides those of its thread before it.
    pub(super) fn next(&mut self, is_hidden: impl Fn(usize) -> bool) -> Option<usize> {
        loop {
            let (nth, place) =
                self.heads.iter().enumerate().map(|(nth, head)| (nth, head.place())).max_by_key(|(_, place)| *place)?;
            let hidden = is_hidden(place as usize);
            match &mut self.heads[nth] {
                Head::List(places) if places.len() > 1 && !hidden => *places = &places[..places.len() - 1],
                _ => drop(self.heads.swap_remove(nth)),
            }
            if !hidden && place < self.before {
                self.before = place;
                return Some(place as usize);
            }
        }
    }
}
