//! The axiom about sequentially consistent events: `psc` has no cycle (RC11, section 3.4 of the PLDI 2017 paper).
//!
//! `psc` relates sequentially consistent accesses and fences. Written with `S` for both, `F` for fences:
//!
//! ```text
//! scb      = po ∪ po≠loc;hb;po≠loc ∪ hb|loc ∪ mo ∪ fr
//! psc base = ([S] ∪ [F];hb?) ; scb ; ([S] ∪ hb?;[F])
//! psc F    = [F] ; (hb ∪ hb;eco;hb) ; [F]
//! ```

use super::Memory;
use burnside_stateless::{ObjId, ThreadId};

/// One event, with its place in what it takes part in.
struct Node<'a> {
    thread: usize,
    number: u32,
    event: &'a super::Event,
    /// Its place in the order of writes, if it writes an atomic.
    written: Option<usize>,
    /// The place of the write it reads.
    read: Option<usize>,
}

struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    /// Per event the first one after it in its thread, and the last one before, that is about something else.
    next_other: Vec<Option<usize>>,
    last_other: Vec<Option<usize>>,
}

impl Memory {
    /// Whether `psc` has no cycle.
    pub(super) fn is_consistent(&self) -> bool {
        let graph = Graph::of(self);
        let sc: Vec<usize> = (0..graph.nodes.len()).filter(|at| graph.nodes[*at].event.is_sc).collect();
        let mut edges = vec![vec![false; sc.len()]; sc.len()];
        for x in 0..graph.nodes.len() {
            let from: Vec<usize> = (0..sc.len()).filter(|s| graph.starts(sc[*s], x)).collect();
            if from.is_empty() {
                continue;
            }
            for y in (0..graph.nodes.len()).filter(|y| *y != x) {
                let (base, by_fences) = (graph.scb(x, y), graph.hb(x, y) || graph.eco(x, y));
                if !base && !by_fences {
                    continue;
                }
                for (t, end) in sc.iter().enumerate().filter(|(_, end)| graph.ends(y, **end)) {
                    for s in &from {
                        let fences = graph.nodes[sc[*s]].event.is_fence && graph.nodes[*end].event.is_fence;
                        edges[*s][t] |= base || fences;
                    }
                }
            }
        }
        is_acyclic(edges)
    }

    fn place_of(&self, obj: ObjId, thread: ThreadId, number: u32) -> Option<usize> {
        let writes = &self.locations.get(&obj)?.writes;
        writes.iter().position(|write| write.name.thread == thread && write.name.number == number)
    }
}

impl<'a> Graph<'a> {
    fn of(memory: &'a Memory) -> Self {
        let mut nodes = Vec::new();
        for (thread, events) in memory.events.iter().enumerate() {
            for (at, event) in events.iter().enumerate() {
                let number = at as u32 + 1;
                let written = memory.place_of(event.loc, ThreadId::from(thread), number);
                let read = event.source.and_then(|source| memory.place_of(event.loc, source.thread, source.number));
                nodes.push(Node { thread, number, event, written, read });
            }
        }
        let is_other = |a: &Node<'_>, b: &Node<'_>| a.event.loc != b.event.loc || a.event.loc.is_none();
        let next_other = (0..nodes.len())
            .map(|at| {
                let mut after = (at + 1..nodes.len()).take_while(|next| nodes[*next].thread == nodes[at].thread);
                after.find(|next| is_other(&nodes[at], &nodes[*next]))
            })
            .collect();
        let last_other = (0..nodes.len())
            .map(|at| {
                let mut before = (0..at).rev().take_while(|last| nodes[*last].thread == nodes[at].thread);
                before.find(|last| is_other(&nodes[at], &nodes[*last]))
            })
            .collect();
        Self { nodes, next_other, last_other }
    }

    fn hb(&self, a: usize, b: usize) -> bool {
        let (a_node, b_node) = (&self.nodes[a], &self.nodes[b]);
        let name = super::Name { thread: ThreadId::from(a_node.thread), number: a_node.number };
        a != b && b_node.event.clock.includes(name)
    }

    fn same_loc(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.nodes[a].event.loc, self.nodes[b].event.loc);
        a == b && !a.is_none()
    }

    fn mo(&self, a: usize, b: usize) -> bool {
        self.same_loc(a, b) && matches!((self.nodes[a].written, self.nodes[b].written), (Some(x), Some(y)) if x < y)
    }

    fn fr(&self, a: usize, b: usize) -> bool {
        a != b
            && self.same_loc(a, b)
            && matches!((self.nodes[a].read, self.nodes[b].written), (Some(x), Some(y)) if x < y)
    }

    fn scb(&self, a: usize, b: usize) -> bool {
        let (a_node, b_node) = (&self.nodes[a], &self.nodes[b]);
        let po = a_node.thread == b_node.thread && a_node.number < b_node.number;
        let around = || match (self.next_other[a], self.last_other[b]) {
            (Some(c), Some(d)) => self.hb(c, d),
            _ => false,
        };
        po || self.mo(a, b) || self.fr(a, b) || self.same_loc(a, b) && self.hb(a, b) || around()
    }

    /// `rf`, `mo`, `fr`, and the last two followed by `rf`.
    fn eco(&self, a: usize, b: usize) -> bool {
        if !self.same_loc(a, b) {
            return false;
        }
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        let mut from = a.written.into_iter().chain(a.read);
        let reads = |place: usize| b.read.is_some_and(|read| place < read || a.written == Some(place) && place == read);
        from.any(|place| reads(place) || b.written.is_some_and(|written| place < written))
    }

    /// Whether paths of `psc` from `s` may go on at `x`.
    fn starts(&self, s: usize, x: usize) -> bool {
        s == x || self.nodes[s].event.is_fence && self.hb(s, x)
    }

    /// Whether paths of `psc` that have come to `y` may end in `s`.
    fn ends(&self, y: usize, s: usize) -> bool {
        s == y || self.nodes[s].event.is_fence && self.hb(y, s)
    }
}

fn is_acyclic(mut edges: Vec<Vec<bool>>) -> bool {
    let n = edges.len();
    for via in 0..n {
        let onward = edges[via].clone();
        for row in edges.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&onward).for_each(|(to, more)| *to |= *more);
        }
    }
    (0..n).all(|at| !edges[at][at])
}
