//! The dependency table against the reference interpreter, over all small states of every sort of object.
//!
//! Independent operations must commute in every state and leave each other's enabledness, label and answer alone;
//! ordered ones must never be enabled together; every pair of kinds that is called a race must have a state that
//! shows why.

use burnside_stateless::{Chan, Kind, ObjId, Object, Op, Relation, ThreadId, World, relation};
use std::collections::BTreeSet;

const N_THREADS: usize = 3;
const DEPTH: usize = 6;
const FIRST: ObjId = ObjId(1);
const SECOND: ObjId = ObjId(2);

/// What a thread may do next depends on what it has done: nobody unlocks what he does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Local {
    Idle,
    Holds(Kind),
    Waits,
    Arrived(u64),
    Handing(u64),
    Gone,
}

#[derive(Clone, PartialEq, Debug)]
struct State {
    world: World,
    locals: [Local; N_THREADS],
}

/// One sort of object: its initial state, and the operations a thread may be about to execute.
struct Sort {
    name: &'static str,
    init: fn(&mut World),
    next: fn(ThreadId, Local) -> Vec<Op>,
}

fn on(kinds: &[Kind]) -> Vec<Op> {
    kinds.iter().map(|kind| Op::on(*kind, FIRST)).collect()
}

fn others(thread: ThreadId) -> impl Iterator<Item = ThreadId> {
    (0..N_THREADS).map(ThreadId::from).filter(move |other| *other != thread)
}

fn channel(thread: ThreadId, local: Local, capacity: Option<u64>) -> Vec<Op> {
    let obj2 = if capacity.is_some() { FIRST } else { ObjId::NONE };
    let kinds: &[Kind] = match (thread.index(), local, capacity) {
        (_, Local::Gone, _) => &[],
        (_, Local::Handing(number), _) => {
            return vec![Op { kind: Kind::ChanHandoff, obj: FIRST, obj2, arg: number }];
        }
        (0, ..) => &[Kind::ChanRecv, Kind::ChanTryRecv, Kind::ReceiverDrop],
        (_, _, Some(0)) => &[Kind::ChanSend, Kind::SenderDrop],
        _ => &[Kind::ChanSend, Kind::ChanTrySend, Kind::SenderDrop],
    };
    kinds.iter().map(|kind| Op::on_two(*kind, FIRST, obj2)).collect()
}

fn add_channel(world: &mut World, capacity: Option<u64>) {
    let mut chan = Chan::new(capacity);
    chan.n_senders = 2;
    world.add(FIRST, Object::Chan(chan));
}

fn sorts() -> Vec<Sort> {
    use Kind as K;
    vec![
        Sort {
            name: "mutex",
            init: |_| {},
            next: |_, local| match local {
                Local::Holds(_) => on(&[K::MutexUnlock]),
                _ => on(&[K::MutexLock, K::MutexTryLock, K::MutexTimedLock]),
            },
        },
        Sort {
            name: "readers-writer lock",
            init: |_| {},
            next: |_, local| match local {
                Local::Holds(K::RwRead | K::RwTryRead) => on(&[K::RwReadUnlock]),
                Local::Holds(_) => on(&[K::RwWriteUnlock]),
                _ => on(&[K::RwRead, K::RwTryRead, K::RwWrite, K::RwTryWrite]),
            },
        },
        Sort {
            name: "condition",
            init: |_| {},
            next: |_, local| match local {
                Local::Waits => {
                    vec![Op::on_two(K::CondWake, FIRST, SECOND), Op::on_two(K::CondTimedWake, FIRST, SECOND)]
                }
                Local::Holds(_) => {
                    let mut ops = on(&[K::CondSignal, K::CondBroadcast]);
                    ops.extend([Op::on_two(K::CondWait, FIRST, SECOND), Op::on(K::MutexUnlock, SECOND)]);
                    ops
                }
                _ => [on(&[K::CondSignal, K::CondBroadcast]), vec![Op::on(K::MutexLock, SECOND)]].concat(),
            },
        },
        Sort {
            name: "semaphore",
            init: |world| world.add(FIRST, Object::Sem(1)),
            next: |_, _| on(&[K::SemWait, K::SemTryWait, K::SemPost, K::SemValue]),
        },
        Sort {
            name: "barrier",
            init: |world| world.add(FIRST, Object::Barrier { size: 2, n_arrived: 0 }),
            next: |_, local| match local {
                Local::Arrived(round) => vec![Op::with(K::BarrierLeave, FIRST, round)],
                _ => on(&[K::BarrierArrive]),
            },
        },
        Sort {
            name: "barrier for three",
            init: |world| world.add(FIRST, Object::Barrier { size: 3, n_arrived: 0 }),
            next: |_, local| match local {
                Local::Arrived(round) => vec![Op::with(K::BarrierLeave, FIRST, round)],
                _ => on(&[K::BarrierArrive]),
            },
        },
        Sort {
            name: "one-time initialisation",
            init: |_| {},
            next: |_, local| match local {
                Local::Holds(_) => on(&[K::OnceLeave]),
                _ => on(&[K::OnceEnter, K::OncePeek]),
            },
        },
        Sort {
            name: "cell",
            init: |_| {},
            next: |_, _| {
                let with = |kind, arg| Op::with(kind, FIRST, arg);
                vec![Op::on(K::Read, FIRST), with(K::Write, 1), with(K::Write, 2), with(K::Rmw, 1)]
            },
        },
        Sort {
            name: "bytes of a cell",
            init: |_| {},
            next: |_, _| {
                let some = |kind, bytes, value| {
                    let op = Op::on_bytes(kind, FIRST, bytes);
                    Op { arg: op.arg | value, ..op }
                };
                let low = [some(K::Read, 1, 0), some(K::Write, 1, 5), some(K::Rmw, 1, 1)];
                let high = [some(K::Read, 6, 0), some(K::Write, 6, 0x700)];
                low.into_iter().chain(high).chain([some(K::Write, 3, 0x203), Op::on(K::Read, FIRST)]).collect()
            },
        },
        Sort {
            name: "threads",
            init: |_| {},
            next: |me, local| {
                if local == Local::Gone {
                    return Vec::new();
                }
                let own = [K::Park, K::ParkTimeout].map(|kind| Op::thread(kind, me));
                let theirs =
                    others(me).flat_map(|other| [K::Unpark, K::Finished, K::Join].map(|kind| Op::thread(kind, other)));
                own.into_iter().chain(theirs).chain([Op::on(K::Exit, ObjId::NONE)]).collect()
            },
        },
        Sort {
            name: "unbounded channel",
            init: |world| add_channel(world, None),
            next: |me, local| channel(me, local, None),
        },
        Sort {
            name: "bounded channel",
            init: |world| add_channel(world, Some(1)),
            next: |me, local| channel(me, local, Some(1)),
        },
        Sort {
            name: "rendezvous channel",
            init: |world| add_channel(world, Some(0)),
            next: |me, local| channel(me, local, Some(0)),
        },
        Sort {
            name: "references",
            init: |world| world.add(FIRST, Object::Shared(N_THREADS as u64)),
            next: |_, local| match local {
                Local::Gone => vec![Op::with(K::RefCount, FIRST, 1)],
                _ => [(K::RefDrop, 0), (K::RefDrop, 1), (K::RefClone, 0), (K::RefCount, 0), (K::RefCount, 1)]
                    .map(|(kind, arg)| Op::with(kind, FIRST, arg))
                    .to_vec(),
            },
        },
        Sort {
            name: "System V semaphore",
            init: |world| world.add(FIRST, Object::Sem(1)),
            next: |_, _| {
                let op = |kind, arg| Op { kind, obj: FIRST, obj2: SECOND, arg };
                let sets = [op(K::SysvSet, 1), op(K::SysvSet, 2), op(K::SysvTry, 1)];
                [op(K::SysvWait, 1), op(K::SysvWait, 2), op(K::SysvPost, 1), op(K::SysvZero, 0)]
                    .into_iter()
                    .chain(sets)
                    .collect()
            },
        },
    ]
}

/// Executes an operation and returns its answer.
fn execute(state: &mut State, thread: ThreadId, op: &Op) -> u64 {
    let answer = state.world.execute(thread, op);
    let local = &mut state.locals[thread.index()];
    *local = match op.kind {
        Kind::MutexLock | Kind::RwRead | Kind::RwWrite | Kind::CondWake | Kind::CondTimedWake => Local::Holds(op.kind),
        Kind::MutexTryLock | Kind::MutexTimedLock | Kind::RwTryRead | Kind::RwTryWrite | Kind::OnceEnter
            if answer == 1 =>
        {
            Local::Holds(op.kind)
        }
        Kind::CondWait => Local::Waits,
        Kind::CondSignal | Kind::CondBroadcast => *local,
        Kind::BarrierArrive => Local::Arrived(answer / 2),
        Kind::ChanSend if answer == 1 && op.obj2 == FIRST && is_rendezvous(&state.world) => Local::Handing(op.arg),
        Kind::RefCount if answer == 0 => Local::Gone,
        Kind::Exit | Kind::SenderDrop | Kind::ReceiverDrop | Kind::RefDrop => Local::Gone,
        _ => Local::Idle,
    };
    if op.kind == Kind::Exit {
        state.world.finish(thread);
    }
    answer
}

fn is_rendezvous(world: &World) -> bool {
    matches!(world.get(FIRST), Some(Object::Chan(chan)) if chan.capacity == Some(0))
}

/// The labelled operations each thread may be about to execute.
fn pending(sort: &Sort, state: &State, thread: ThreadId) -> Vec<Op> {
    let ops = (sort.next)(thread, state.locals[thread.index()]);
    ops.iter().map(|op| state.world.label(op)).collect()
}

fn states(sort: &Sort) -> Vec<State> {
    let mut world = World::new();
    (sort.init)(&mut world);
    let mut all = vec![State { world, locals: [Local::Idle; N_THREADS] }];
    let mut level = 0..1;
    for _ in 0..DEPTH {
        for at in level.clone() {
            for thread in (0..N_THREADS).map(ThreadId::from) {
                for op in pending(sort, &all[at], thread) {
                    if all[at].world.enabled(thread, &op) {
                        let mut next = all[at].clone();
                        execute(&mut next, thread, &op);
                        if !all.contains(&next) {
                            all.push(next);
                        }
                    }
                }
            }
        }
        level = level.end..all.len();
        if all.len() > 2_000 {
            break;
        }
    }
    all
}

/// Why swapping the two matters in this state, if it does.
fn clash(state: &State, (p, a): (ThreadId, Op), (q, b): (ThreadId, Op)) -> Option<&'static str> {
    for ((p, a), (q, b)) in [((p, a), (q, b)), ((q, b), (p, a))] {
        if state.world.enabled(p, &a) {
            let mut after = state.clone();
            execute(&mut after, p, &a);
            if after.world.enabled(q, &b) != state.world.enabled(q, &b) {
                return Some("one enables or disables the other");
            }
            if state.world.enabled(q, &b) && after.world.label(&b).in_trace() != b.in_trace() {
                return Some("one changes the other's label");
            }
        }
    }
    if !state.world.enabled(p, &a) || !state.world.enabled(q, &b) {
        return None;
    }
    let (mut one, mut two) = (state.clone(), state.clone());
    let first = (execute(&mut one, p, &a), execute(&mut one, q, &b));
    let second = (execute(&mut two, q, &b), execute(&mut two, p, &a));
    if first != (second.1, second.0) {
        return Some("the answers differ");
    }
    (one != two).then_some("the states differ")
}

#[test]
fn the_table_agrees_with_the_reference_in_every_small_state() {
    let mut n_checked = 0u64;
    for sort in sorts() {
        let mut claimed: BTreeSet<(Kind, Kind)> = BTreeSet::new();
        let mut shown: BTreeSet<(Kind, Kind)> = BTreeSet::new();
        for state in states(&sort) {
            for p in (0..N_THREADS).map(ThreadId::from) {
                for q in others(p) {
                    for a in pending(&sort, &state, p) {
                        for b in pending(&sort, &state, q) {
                            n_checked += 1;
                            let waits = !state.world.enabled(p, &a);
                            assert!(!waits || !a.kind.is_always_enabled(), "{}: `{a}` waits in {state:?}", sort.name);
                            let both = state.world.enabled(p, &a) && state.world.enabled(q, &b);
                            let clash = clash(&state, (p, a), (q, b));
                            let context = || format!("{}: `{a}` of {p} and `{b}` of {q} in {state:?}", sort.name);
                            match relation(p, &a, q, &b) {
                                Relation::Independent => assert_eq!(clash, None, "{}", context()),
                                Relation::Ordered => assert!(!both, "enabled together: {}", context()),
                                Relation::Race => {
                                    claimed.insert((a.kind, b.kind));
                                    if clash.is_some() {
                                        shown.insert((a.kind, b.kind));
                                    }
                                }
                            }
                            assert_eq!(relation(p, &a, q, &b), relation(q, &b, p, &a), "not symmetric: {}", context());
                        }
                    }
                }
            }
        }
        let unjustified: Vec<_> = claimed.difference(&shown).filter(|pair| !is_known_caution(**pair)).collect();
        assert!(unjustified.is_empty(), "{}: races that no small state shows: {unjustified:?}", sort.name);
    }
    assert!(n_checked > 20_000, "only {n_checked} pairs were looked at");
}

/// Pairs that are called races although no single state shows a clash: any operation of a thread may be its last, and
/// that is not known before.
fn is_known_caution((a, b): (Kind, Kind)) -> bool {
    a == Kind::Finished || b == Kind::Finished
}
