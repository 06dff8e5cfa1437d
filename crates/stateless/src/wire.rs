//! Plain bytes for plans and suspended searches, so that a cursor can be handed to another process and a search be
//! resumed. Numbers are little-endian base 128; there is no versioning: both ends are the same build.

use crate::cursor::{Pick, Plan, Policy, Sleeper};
use crate::explorer::{Bounds, Stats};
use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::persistent::Persistent;
use crate::search::{Cost, Method, Symmetry};
use crate::set::ThreadSet;
use crate::symmetry::{Family, Member, Shape};
use crate::trace::{Birth, Event};
use crate::wakeup::{Branch, Tree};

/// A value that can be written down and read back.
pub(crate) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    /// `None` if the bytes are not those of such a value.
    fn get(bytes: &mut &[u8]) -> Option<Self>;
}

impl Wire for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 128 {
            out.push(rest as u8 | 128);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (first, rest) = bytes.split_first()?;
            *bytes = rest;
            value |= u64::from(first & 127) << shift;
            if first & 128 == 0 {
                return Some(value);
            }
        }
        None
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        T::put(self, out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        T::get(bytes).map(Self::new)
    }
}

impl Wire for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        u64::from(*self).put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        u64::get(bytes)?.try_into().ok()
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u64::from(*self).put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        Some(u64::get(bytes)? != 0)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        (0..u64::get(bytes)?).map(|_| T::get(bytes)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        if bool::get(bytes)? { T::get(bytes).map(Some) } else { Some(None) }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::get(bytes)?, B::get(bytes)?))
    }
}

macro_rules! structs {
    ($($name:ident { $($field:tt),* })*) => {
        $(
            impl Wire for $name {
                fn put(&self, out: &mut Vec<u8>) {
                    $(self.$field.put(out);)*
                }

                fn get(bytes: &mut &[u8]) -> Option<Self> {
                    Some(Self { $($field: Wire::get(bytes)?),* })
                }
            }
        )*
    };
}

structs! {
    ThreadId { 0 }
    ObjId { 0 }
    Op { kind, obj, obj2, arg }
    Pick { thread, choice }
    Sleeper { pick, op }
    Event { thread, choice, op }
    Birth { parent, nth, at, order }
    Member { threads, objects }
    Family { shape, members }
    Bounds { max_depth, max_preemptions, max_delays, max_executions }
    Cost { n_preemptions, n_delays }
    Plan {
        script, n_known, labels, sleep, asleep_from, policy, seed, max_depth, max_preemptions, keep_labels, births
    }
    Stats {
        n_executions, n_completed, n_deadlocks, n_failed, n_asleep, n_bounded, n_infeasible, n_transitions, n_replayed,
        n_symmetric, max_depth
    }
}

/// Branches in the order in which a walk along the tree meets them, each with how many are below it. Trees are as deep as
/// runs are long, so neither side recurses.
impl Wire for Tree {
    fn put(&self, out: &mut Vec<u8>) {
        (self.branches.len() as u64).put(out);
        let mut rest: Vec<&Branch> = self.branches.iter().rev().collect();
        while let Some(branch) = rest.pop() {
            branch.pick.put(out);
            branch.op.put(out);
            (branch.below.branches.len() as u64).put(out);
            rest.extend(branch.below.branches.iter().rev());
        }
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        let mut tree = Self::default();
        // Branches that are not complete, outermost first, and how many are missing below each; the tree itself first.
        let mut open: Vec<(Option<Branch>, u64)> = vec![(None, u64::get(bytes)?)];
        while let Some((_, missing)) = open.last_mut() {
            if *missing > 0 {
                *missing -= 1;
                let branch = Branch { pick: Wire::get(bytes)?, op: Wire::get(bytes)?, below: Self::default() };
                open.push((Some(branch), u64::get(bytes)?));
                continue;
            }
            let (complete, _) = open.pop()?;
            let Some(branch) = complete else { break };
            match open.last_mut() {
                Some((Some(parent), _)) => parent.below.branches.push(branch),
                _ => tree.branches.push(branch),
            }
        }
        Some(tree)
    }
}

impl Wire for ThreadSet {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().collect::<Vec<_>>().put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        Some(Vec::<ThreadId>::get(bytes)?.into_iter().collect())
    }
}

macro_rules! enums {
    ($($name:ident { $($number:literal => $variant:ident $(($field:ident))? $({ $inner:ident })?),* $(,)? })*) => {
        $(
            impl Wire for $name {
                fn put(&self, out: &mut Vec<u8>) {
                    match self {
                        $(Self::$variant $(($field))? $({ $inner })? => {
                            u64::put(&$number, out);
                            $($field.put(out);)?
                            $($inner.put(out);)?
                        })*
                    }
                }

                fn get(bytes: &mut &[u8]) -> Option<Self> {
                    Some(match u64::get(bytes)? {
                        $($number => Self::$variant $(({ let $field = Wire::get(bytes)?; $field }))? $({ $inner: Wire::get(bytes)? })?,)*
                        _ => return None,
                    })
                }
            }
        )*
    };
}

enums! {
    Shape { 0 => Interchange, 1 => Ring }
    Symmetry { 0 => Off, 1 => On }
    Persistent { 0 => Releases, 1 => Futures(futures) }
    Method { 0 => Plain, 1 => Sleep, 2 => Persistent(rule), 3 => Source, 4 => Optimal, 5 => Bounded }
    Policy { 0 => Ascending, 1 => Stay, 2 => Persistent(rule), 3 => Random, 4 => Priorities { drops } }
}

impl Wire for Kind {
    fn put(&self, out: &mut Vec<u8>) {
        u64::from(*self as u8).put(out);
    }

    fn get(bytes: &mut &[u8]) -> Option<Self> {
        Self::ALL.get(usize::try_from(u64::get(bytes)?).ok()?).copied()
    }
}

impl Plan {
    /// The plan as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    /// The plan in these bytes, if there is one.
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let plan = Self::get(&mut bytes)?;
        bytes.is_empty().then_some(plan)
    }
}
