//! The systems of the experiments, built by hand: small enough to know every answer.

use burnside_group::Permutation;

use super::system::{Condition, Fired, Rules, System, Values, blocks, rotations, symmetric};
use crate::graph::Point;

pub(crate) const IDLE: i8 = 0;
pub(crate) const TRYING: i8 = 1;
pub(crate) const CRITICAL: i8 = 2;

fn fired(process: usize, rule: u32, target: Values) -> Fired {
    Fired { process, rule, target }
}

fn local(value: i8) -> Condition {
    Box::new(move |values, arguments| values.locals[arguments[0] as usize] == value)
}

fn some(value: i8) -> Condition {
    Box::new(move |values, _| values.locals.contains(&value))
}

fn reference() -> Condition {
    Box::new(|values, arguments| values.references[0] == arguments[0] as i8)
}

fn count(values: &Values, value: i8) -> usize {
    values.locals.iter().filter(|own| **own == value).count()
}

/// Idle, trying, critical; a semaphore guards the critical section.
pub(crate) fn mutex(n: usize) -> System {
    let rules: Rules = Box::new(move |values| {
        let step = |process: usize| {
            let (rule, semaphore, to) = match values.locals[process] {
                IDLE => (0, values.shared[0], TRYING),
                TRYING if values.shared[0] == 0 => (1, 1, CRITICAL),
                TRYING => return None,
                _ => (2, 0, IDLE),
            };
            let mut target = values.with(process, to);
            target.shared[0] = semaphore;
            Some(fired(process, rule, target))
        };
        (0..n).filter_map(step).collect()
    });
    System {
        name: "mutex".into(),
        n,
        group: symmetric(n),
        starts: vec![Values::new(&[0], &[], &vec![IDLE; n])],
        rules,
        conditions: vec![
            ("N", local(IDLE)),
            ("T", local(TRYING)),
            ("C", local(CRITICAL)),
            ("someT", some(TRYING)),
            ("someC", some(CRITICAL)),
            ("two", Box::new(|values, _| count(values, CRITICAL) > 1)),
        ],
    }
}

/// A token goes round; its holder may enter, and passes it on when it leaves, or, if `can_pass`, while it is idle.
pub(crate) fn ring(n: usize, can_pass: bool) -> System {
    let rules: Rules = Box::new(move |values| {
        let mut steps = Vec::new();
        for process in 0..n {
            let has_token = values.references[0] == process as i8;
            let passed = |mut target: Values| {
                target.references[0] = ((process + 1) % n) as i8;
                target
            };
            match values.locals[process] {
                IDLE => {
                    steps.push(fired(process, 0, values.with(process, TRYING)));
                    if can_pass && has_token {
                        steps.push(fired(process, 3, passed(values.clone())));
                    }
                }
                TRYING if has_token => steps.push(fired(process, 1, values.with(process, CRITICAL))),
                TRYING => {}
                _ => steps.push(fired(process, 2, passed(values.with(process, IDLE)))),
            }
        }
        steps
    });
    System {
        name: if can_pass { "ringpass" } else { "ring" }.into(),
        n,
        group: rotations(n),
        starts: (0..n).map(|token| Values::new(&[], &[token as i8], &vec![IDLE; n])).collect(),
        rules,
        conditions: vec![
            ("N", local(IDLE)),
            ("T", local(TRYING)),
            ("C", local(CRITICAL)),
            ("tok", reference()),
            ("someT", some(TRYING)),
            ("someC", some(CRITICAL)),
        ],
    }
}

/// A token and whoever may get it next; `may_end`: anybody without it may end everything.
fn token_system(name: &str, n: usize, group: Vec<Permutation>, may_end: bool) -> System {
    let anybody = group.len() > n || n == 2 && name != "carousel" && name != "crash";
    let rules: Rules = Box::new(move |values| {
        if values.shared.first() == Some(&1) {
            return Vec::new();
        }
        let holder = values.references[0] as usize;
        let mut steps = Vec::new();
        for process in 0..n {
            if process == holder {
                let next = (0..n).filter(|&to| if anybody { to != holder } else { to == (holder + 1) % n });
                steps.extend(next.map(|to| {
                    let mut target = values.clone();
                    target.references[0] = to as i8;
                    fired(process, 0, target)
                }));
            } else if may_end {
                let mut target = values.clone();
                target.shared[0] = 1;
                steps.push(fired(process, 1, target));
            }
        }
        steps
    });
    let shared: &[i8] = if may_end { &[0] } else { &[] };
    let mut conditions: Vec<(&'static str, Condition)> = vec![("tok", reference())];
    if may_end {
        conditions.push(("dead", Box::new(|values, _| values.shared[0] == 1)));
    }
    System {
        name: name.into(),
        n,
        group,
        starts: (0..n).map(|token| Values::new(shared, &[token as i8], &[])).collect(),
        rules,
        conditions,
    }
}

/// The holder gives the token to any other process.
pub(crate) fn relay(n: usize) -> System {
    token_system("relay", n, symmetric(n), false)
}

/// The holder gives the token to the next process.
pub(crate) fn carousel(n: usize) -> System {
    token_system("carousel", n, rotations(n), false)
}

/// As `carousel`; anybody else may end everything.
pub(crate) fn crash(n: usize) -> System {
    token_system("crash", n, rotations(n), true)
}

/// As `relay`; anybody else may end everything.
pub(crate) fn crashall(n: usize) -> System {
    token_system("crashall", n, symmetric(n), true)
}

/// Philosophers take the left fork, then the right one; or both in one step.
pub(crate) fn philosophers(n: usize, both: bool) -> System {
    let rules: Rules = Box::new(move |values| {
        let is_free = |fork: usize| values.locals[fork] == 0 && values.locals[(fork + n - 1) % n] != 2;
        let step = |process: usize| {
            let right = (process + 1) % n;
            let to = match values.locals[process] {
                0 if both => (is_free(process) && is_free(right)).then_some(2),
                0 => is_free(process).then_some(1),
                1 => is_free(right).then_some(2),
                _ => Some(0),
            };
            to.map(|to| fired(process, values.locals[process] as u32, values.with(process, to)))
        };
        (0..n).filter_map(step).collect()
    });
    System {
        name: if both { "philboth" } else { "phil" }.into(),
        n,
        group: rotations(n),
        starts: vec![Values::new(&[], &[], &vec![0; n])],
        rules,
        conditions: vec![
            ("eats", local(2)),
            ("someE", some(2)),
            (
                "otherE",
                Box::new(|v, a| (0..v.locals.len()).any(|other| other != a[0] as usize && v.locals[other] == 2)),
            ),
        ],
    }
}

/// Each process changes its own bit.
pub(crate) fn flip(n: usize) -> System {
    let step = |values: &Values, process: usize| fired(process, 0, values.with(process, 1 - values.locals[process]));
    System {
        name: "flip".into(),
        n,
        group: symmetric(n),
        starts: vec![Values::new(&[], &[], &vec![0; n])],
        rules: Box::new(move |values| (0..n).map(|process| step(values, process)).collect()),
        conditions: vec![("b", local(1)), ("all0", Box::new(|values, _| count(values, 1) == 0))],
    }
}

/// Readers first, then writers; readers may be critical together.
pub(crate) fn readers_writers(readers: usize, writers: usize) -> System {
    let n = readers + writers;
    let rules: Rules = Box::new(move |values| {
        let locals = &values.locals;
        let step = |process: usize| {
            let alone = !locals.contains(&CRITICAL);
            let among_readers = process < readers && !locals[readers..].contains(&CRITICAL);
            let to = match locals[process] {
                IDLE => TRYING,
                TRYING if alone || among_readers => CRITICAL,
                TRYING => return None,
                _ => IDLE,
            };
            Some(fired(process, locals[process] as u32, values.with(process, to)))
        };
        (0..n).filter_map(step).collect()
    });
    let is_writer = move |point: Point| point as usize >= readers;
    System {
        name: format!("rw{readers}r{writers}w"),
        n,
        group: blocks(&[readers, writers]),
        starts: vec![Values::new(&[], &[], &vec![IDLE; n])],
        rules,
        conditions: vec![
            ("T", local(TRYING)),
            ("C", local(CRITICAL)),
            ("someT", some(TRYING)),
            ("someC", some(CRITICAL)),
            ("TW", Box::new(move |v, a| is_writer(a[0]) && v.locals[a[0] as usize] == TRYING)),
            ("TR", Box::new(move |v, a| !is_writer(a[0]) && v.locals[a[0] as usize] == TRYING)),
            ("CW", Box::new(move |v, _| v.locals[readers..].contains(&CRITICAL))),
            ("CR", Box::new(move |v, _| v.locals[..readers].contains(&CRITICAL))),
        ],
    }
}

/// A resource is granted to whoever asks, the first class of askers first; then it is held and given back.
pub(crate) fn resource(sizes: &[usize]) -> System {
    let n: usize = sizes.iter().sum();
    let class: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let rules: Rules = Box::new(move |values| {
        let locals = &values.locals;
        let is_free = !locals.iter().any(|&local| local >= 2);
        let step = |process: usize| {
            let first = || !(0..n).any(|other| locals[other] == 1 && class[other] < class[process]);
            let to = match locals[process] {
                0 if is_free => 1,
                1 if is_free && first() => 2,
                0 | 1 => return None,
                4 => 0,
                local => local + 1,
            };
            Some(fired(process, locals[process] as u32, values.with(process, to)))
        };
        (0..n).filter_map(step).collect()
    });
    let names: Vec<String> = sizes.iter().map(usize::to_string).collect();
    System {
        name: format!("resource{}", names.join("+")),
        n,
        group: blocks(sizes),
        starts: vec![Values::new(&[], &[], &vec![0; n])],
        rules,
        conditions: vec![
            ("T", local(1)),
            ("O", Box::new(|values, arguments| values.locals[arguments[0] as usize] >= 2)),
            ("someT", some(1)),
            ("someO", Box::new(|values, _| values.locals.iter().any(|&local| local >= 2))),
        ],
    }
}

/// Mutual exclusion without symmetry: `may_enter` says who of those that try may.
pub(crate) fn priority(n: usize, name: &str, may_enter: impl Fn(&[usize], usize) -> bool + 'static) -> System {
    let rules: Rules = Box::new(move |values| {
        let trying: Vec<usize> = (0..n).filter(|&process| values.locals[process] == TRYING).collect();
        let step = |process: usize| {
            let to = match values.locals[process] {
                IDLE => TRYING,
                CRITICAL => IDLE,
                _ if !values.locals.contains(&CRITICAL) && may_enter(&trying, process) => CRITICAL,
                _ => return None,
            };
            Some(fired(process, values.locals[process] as u32, values.with(process, to)))
        };
        (0..n).filter_map(step).collect()
    });
    let (group, starts) = (vec![Permutation::identity(n)], vec![Values::new(&[], &[], &vec![IDLE; n])]);
    let conditions = vec![("someT", some(TRYING)), ("someC", some(CRITICAL))];
    System { name: name.into(), n, group, starts, rules, conditions }
}

/// Two processes, A and B: in this order they stay, in the other they change places.
pub(crate) fn swapper() -> System {
    let rules: Rules = Box::new(|_| vec![fired(0, 0, Values::new(&[], &[], &[0, 1]))]);
    let starts = vec![Values::new(&[], &[], &[0, 1]), Values::new(&[], &[], &[1, 0])];
    System { name: "swapper".into(), n: 2, group: vec![Permutation::identity(2)], starts, rules, conditions: vec![] }
}

/// A bridge with one lane: cars of two sides, and whose turn it is if both wait.
pub(crate) fn bridge(n: usize) -> System {
    let rules: Rules = Box::new(move |values| {
        let step = |car: usize| {
            let (own, other) = ((car % 2) as i8, 1 - car % 2);
            let is_empty = !values.locals.contains(&2);
            let others_wait = || (0..n).any(|car| car % 2 == other && values.locals[car] == 1);
            match values.locals[car] {
                0 => Some(fired(car, 0, values.with(car, 1))),
                1 if is_empty && (values.shared[0] == own || !others_wait()) => {
                    let mut target = values.with(car, 2);
                    target.shared[0] = other as i8;
                    Some(fired(car, 1, target))
                }
                1 => None,
                _ => Some(fired(car, 2, values.with(car, 0))),
            }
        };
        (0..n).filter_map(step).collect()
    });
    let starts = vec![Values::new(&[0], &[], &vec![0; n])];
    System { name: "bridge".into(), n, group: vec![Permutation::identity(n)], starts, rules, conditions: vec![] }
}

/// From all at 0 anybody goes to 1 or 2; then the first process alone goes from 1 to 2, the second alone from 2 to 1.
pub(crate) fn twist(n: usize) -> System {
    let rules: Rules = Box::new(move |values| {
        let mut steps = Vec::new();
        for process in 0..n {
            let mut go = |rule: u32, to: i8| steps.push(fired(process, rule, values.with(process, to)));
            match values.locals[process] {
                0 if values.locals.iter().all(|&local| local == 0) => {
                    go(0, 1);
                    go(1, 2);
                }
                1 if process == 0 => go(2, 2),
                2 if process == 1 => go(3, 1),
                _ => {}
            }
        }
        steps
    });
    let starts = vec![Values::new(&[], &[], &vec![0; n])];
    let conditions = vec![("one", some(1)), ("two", some(2))];
    System { name: "twist".into(), n, group: vec![Permutation::identity(n)], starts, rules, conditions }
}
