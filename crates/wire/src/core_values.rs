//! The core's plain values as words.

use burnside_stateless::{
    Birth, Cut, End, Event, Failure, FailureKind, Family, Kind, Member, ObjId, Op, Persistent, Pick, Plan, Policy,
    Shape, Sleeper, ThreadId, ThreadSet, Trace,
};

use crate::words::{Reader, Wire, wire_struct};

wire_struct! {
    Pick { thread, choice }
    Sleeper { pick, op }
    Op { kind, obj, obj2, arg }
    Event { thread, choice, op }
    Birth { parent, nth, at, order }
    Failure { kind, thread, message }
    Member { threads, objects }
    Family { shape, members }
    Plan {
        script, n_known, labels, sleep, asleep_from, policy, seed, max_depth, max_preemptions,
        keep_labels, births,
    }
    Trace {
        events, enabled, surplus, labels, births, pending, enabled_at_end, left_script_at, watched, families, end,
    }
}

impl Wire for ThreadId {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
    }

    fn read(words: &mut Reader<'_>) -> Option<ThreadId> {
        Some(ThreadId(words.value()?))
    }
}

impl Wire for ObjId {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
    }

    fn read(words: &mut Reader<'_>) -> Option<ObjId> {
        Some(ObjId(words.value()?))
    }
}

impl Wire for Kind {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self as u64);
    }

    fn read(words: &mut Reader<'_>) -> Option<Kind> {
        let index: usize = words.word()?.try_into().ok()?;
        Kind::ALL.get(index).copied()
    }
}

/// Threads 64 to a word, and how many words.
impl Wire for ThreadSet {
    fn write(&self, words: &mut Vec<u64>) {
        let length = words.len();
        words.extend([1, 0]);
        for thread in self.iter() {
            let at = length + 1 + thread.index() / 64;
            if words.len() <= at {
                words.resize(at + 1, 0);
            }
            words[at] |= 1 << (thread.index() % 64);
        }
        words[length] = (words.len() - length - 1) as u64;
    }

    fn read(words: &mut Reader<'_>) -> Option<ThreadSet> {
        let masks: Vec<u64> = words.value()?;
        let mut set = ThreadSet::new();
        for (index, mut mask) in masks.into_iter().enumerate() {
            while mask != 0 {
                set.insert(ThreadId::from(index * 64 + mask.trailing_zeros() as usize));
                mask &= mask - 1;
            }
        }
        Some(set)
    }
}

impl Wire for FailureKind {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self as u64);
    }

    fn read(words: &mut Reader<'_>) -> Option<FailureKind> {
        let index: usize = words.word()?.try_into().ok()?;
        FailureKind::ALL.get(index).copied()
    }
}

impl Wire for Shape {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(match self {
            Shape::Interchange => 0,
            Shape::Ring => 1,
        });
    }

    fn read(words: &mut Reader<'_>) -> Option<Shape> {
        match words.word()? {
            0 => Some(Shape::Interchange),
            1 => Some(Shape::Ring),
            _ => None,
        }
    }
}

impl Wire for End {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            End::Completed => words.push(0),
            End::Deadlock => words.push(1),
            End::Failed(failure) => {
                words.push(2);
                failure.write(words);
            }
            End::Divergence(thread) => {
                words.push(3);
                thread.write(words);
            }
            End::Cut(cut) => {
                words.push(4);
                cut.write(words);
            }
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<End> {
        Some(match words.word()? {
            0 => End::Completed,
            1 => End::Deadlock,
            2 => End::Failed(words.value()?),
            3 => End::Divergence(words.value()?),
            4 => End::Cut(words.value()?),
            _ => return None,
        })
    }
}

impl Wire for Cut {
    fn write(&self, words: &mut Vec<u64>) {
        let (tag, step) = match self {
            Cut::Asleep => (0, 0),
            Cut::Depth => (1, 0),
            Cut::Preemptions => (2, 0),
            Cut::OffScript(step) => (3, *step),
        };
        words.extend([tag, u64::from(step)]);
    }

    fn read(words: &mut Reader<'_>) -> Option<Cut> {
        let (tag, step) = (words.word()?, words.value()?);
        Some(match tag {
            0 => Cut::Asleep,
            1 => Cut::Depth,
            2 => Cut::Preemptions,
            3 => Cut::OffScript(step),
            _ => return None,
        })
    }
}

impl Wire for Policy {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            Policy::Ascending => words.push(0),
            Policy::Stay => words.push(1),
            Policy::Persistent(Persistent::Releases) => words.push(2),
            Policy::Persistent(Persistent::Futures(futures)) => {
                words.push(3);
                futures.write(words);
            }
            Policy::Random => words.push(4),
            Policy::Priorities { drops } => {
                words.push(5);
                drops.write(words);
            }
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Policy> {
        Some(match words.word()? {
            0 => Policy::Ascending,
            1 => Policy::Stay,
            2 => Policy::Persistent(Persistent::Releases),
            3 => Policy::Persistent(Persistent::Futures(words.value()?)),
            4 => Policy::Random,
            5 => Policy::Priorities { drops: words.value()? },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{decode, frame};

    fn check<T: Wire + PartialEq + std::fmt::Debug>(value: &T) {
        assert_eq!(decode::<T>(&frame(value)[8..]).as_ref(), Some(value));
    }

    #[test]
    fn every_kind_travels() {
        for kind in Kind::ALL {
            check(&Op { kind: *kind, obj: ObjId::at(64), obj2: ObjId::NONE, arg: 7 });
        }
    }

    #[test]
    fn every_end_travels() {
        for kind in FailureKind::ALL {
            let message = "c == 2".to_owned();
            check(&End::Failed(Failure { kind, thread: ThreadId(3), message }));
        }
        for cut in [Cut::Asleep, Cut::Depth, Cut::Preemptions, Cut::OffScript(9)] {
            check(&End::Cut(cut));
        }
        for end in [End::Completed, End::Deadlock, End::Divergence(ThreadId(1))] {
            check(&end);
        }
    }

    #[test]
    fn every_policy_travels() {
        let op = Op::on(Kind::SemWait, ObjId::at(8));
        for policy in [
            Policy::Ascending,
            Policy::Stay,
            Policy::Random,
            Policy::Persistent(Persistent::Releases),
            Policy::Persistent(Persistent::Futures(vec![vec![op], Vec::new()])),
            Policy::Priorities { drops: vec![3, 8] },
        ] {
            check(&Plan { policy, ..Plan::default() });
        }
    }

    #[test]
    fn large_sets_of_threads_travel() {
        check(&ThreadSet::new());
        check(&[0, 63, 64, 200].into_iter().map(ThreadId).collect::<ThreadSet>());
    }
}
