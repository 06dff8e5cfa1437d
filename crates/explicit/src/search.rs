//! A search from the start states to the verdict.

use std::thread;

use burnside_engine::{
    AuditReport, Breach, ClaimAnswer, ClaimReport, Counts, Evidence, Follower, Meaning, Monitor, Reason, Report,
    SearchOrder, Shortfall, Stored, Task, Verdict, Violation,
};
use burnside_interp::STACK_BYTES;
use burnside_ir::{PropertyId, PropertyKind};
use burnside_step::Stepper;
use burnside_store::{Codec, Config, Set, StateId, omission_probability};
use burnside_symmetry::{Census, Exactness, OrbitCounter, Reduction};

use crate::claims::{self, Failure, Found};
use crate::expander::{Expander, Means, Quotient, Representatives};
use crate::explain::Explainer;
use crate::job::{self, Job};
use crate::ledger::{Halt, Ledger, looked_at_afterwards};
use crate::liveness;
use crate::pipeline::{Finished, Pipeline};
use crate::recent::Recent;
use crate::visited::Visited;

/// More threads would wait for each other. Jobs also count on shard numbers of 16 bits.
const MAX_THREADS: usize = 256;

/// Searches until the verdict is known or the monitor says to stop. Every thread makes its own expander.
pub(crate) fn search<'m, C: Codec, S: Stepper, R: Representatives>(
    Means { task, quotient, .. }: Means<'m>,
    monitor: &Monitor,
    expander: impl Fn() -> Expander<'m, S, R> + Sync,
) -> Result<Report, Reason> {
    let reduction = quotient.map(|it| it.reduction);
    let n_threads = match task.order {
        SearchOrder::BreadthFirst => task.threads.get().min(MAX_THREADS),
        // The next state is among those found last, so there is nothing to do meanwhile.
        SearchOrder::DepthFirst => 1,
    };
    // What stands for a state can depend on the order in which states are met; and with one thread, numbers of states
    // have no gaps.
    let is_sequential = |it: &Reduction| it.strategy().has_memory() || task.counts_orbits;
    let n_threads = if reduction.is_some_and(is_sequential) { 1 } else { n_threads };
    let n_bits = task.layout.n_bits();
    let Ok(store) = Set::<C>::open(Config { n_bits, n_shards: n_threads, limit: monitor.budget().bytes }) else {
        let fired = vec![0; task.model.rules.len()];
        return Ok(Report { fired, ..Report::new(Verdict::Unknown(Shortfall::Memory), Counts::default()) });
    };
    let config = job::Config {
        n_words: task.layout.n_words(),
        has_assumptions: !task.properties(PropertyKind::Assumption).is_empty(),
        has_ends: !task.properties(PropertyKind::Ending).is_empty(),
        deadlocks: task.deadlocks(),
        depth_bound: monitor.budget().depth.unwrap_or(u32::MAX),
        remembers: monitor.budget().depth.is_none()
            && task.properties(PropertyKind::Liveness).is_empty()
            && reduction.is_none_or(|it| !it.strategy().has_memory())
            && Recent::is_worthwhile(task.layout.n_words(), reduction.is_some()),
    };
    let mut own_expander = expander();
    let mut starts = Job::new(config.n_words, n_threads);
    starts.begin(&mut own_expander);
    let pipeline = Pipeline::new(task, config, store, (Ledger::new::<C>(task, monitor, quotient), starts));
    let share = run(&pipeline, n_threads, own_expander, expander);
    let mut finished = pipeline.finish();
    // A search that was cut short has gone on from some states that it has not come to, which depends on threads.
    if finished.end.is_ok() {
        finished.ledger.fired.iter_mut().zip(&share.fired_inside).for_each(|(all, inside)| *all += inside);
    }
    let is_counted = task.counts_orbits && C::IS_EXACT && finished.end.is_ok();
    let counted = reduction.filter(|_| is_counted);
    let census = counted.and_then(|reduction| count_orbits(reduction, &finished, config.n_words));
    let lost = lost(task, &finished, (quotient, &share.followers));
    let explainer = Explainer::new(task, &finished.visited, quotient);
    let report = conclude(monitor, &finished, (explainer, reduction), &share.uncovered)?;
    let disagreement = report.audit.disagreement.or_else(|| lost.map(Follower::is_lost));
    Ok(Report { audit: AuditReport { states: share.n_audited, disagreement }, census, ..report })
}

/// A state that the search should have met and has not. Only a search that is complete has met everything, and only where
/// one state stands for each orbit is it known which.
fn lost<'f, C: Codec>(
    task: &Task<'_>,
    Finished { ledger, visited, end }: &Finished<'_, C>,
    (quotient, followers): (Option<Quotient<'_>>, &'f [Follower]),
) -> Option<&'f Follower> {
    let is_exact = quotient.is_none_or(|it| it.reduction.strategy().exactness() == Exactness::Exact);
    // Steps may lead to states that are passed through, which are not stored.
    let is_stored = task.properties(PropertyKind::Passing).is_empty();
    if end.is_err() || ledger.cut || !is_exact || !is_stored {
        return None;
    }
    let mut canonicaliser = quotient.map(Quotient::canonicaliser);
    let mut packed = vec![0; task.layout.n_words()];
    followers.iter().find(|follower| {
        task.layout.pack(&follower.next, &mut packed);
        if let Some(canonicaliser) = &mut canonicaliser {
            canonicaliser.canonicalise(&mut packed);
        }
        visited.find(&packed).is_none()
    })
}

/// Counts the states in the orbits of those stored.
fn count_orbits<C: Codec>(reduction: &Reduction, finished: &Finished<'_, C>, n_words: usize) -> Option<Census> {
    let mut counter = OrbitCounter::new(reduction)?;
    let mut state = vec![0; n_words];
    for id in 0..finished.ledger.n_states() as u32 {
        finished.visited.set.read(StateId(id), &mut state);
        counter.note(&state);
    }
    Some(counter.finish()).filter(|census| !census.sizes.is_empty())
}

/// What a thread knows of its work beside what it entered into the ledger, or all threads together.
struct Share {
    /// The properties to be covered that are not.
    uncovered: Vec<PropertyId>,
    /// How many states were looked at twice.
    n_audited: u64,
    /// How often each rule fired in states that are not stored.
    fired_inside: Vec<u64>,
    /// Where some of the steps lead.
    followers: Vec<Follower>,
}

impl Share {
    fn of(expander: &mut Expander<'_, impl Stepper, impl Representatives>) -> Self {
        let fired_inside = expander.fired_inside().to_vec();
        let (uncovered, n_audited) = (expander.uncovered(), expander.n_audited());
        Self { uncovered, n_audited, fired_inside, followers: expander.followers() }
    }

    fn add(&mut self, other: Self) {
        self.uncovered.retain(|property| other.uncovered.contains(property));
        self.n_audited += other.n_audited;
        self.fired_inside.iter_mut().zip(&other.fired_inside).for_each(|(all, more)| *all += more);
        self.followers.extend(other.followers);
    }
}

/// Lets all threads work, this one among them.
fn run<'m, C: Codec, S: Stepper, R: Representatives>(
    pipeline: &Pipeline<'_, C>,
    n_threads: usize,
    mut own_expander: Expander<'m, S, R>,
    expander: impl Fn() -> Expander<'m, S, R> + Sync,
) -> Share {
    let expander = &expander;
    let stack_bytes = STACK_BYTES + own_expander.stack_bytes();
    // The thread we are on has a large stack, but native code that recurses may want a larger one.
    let first_other = if own_expander.stack_bytes() > STACK_BYTES / 2 { 0 } else { 1 };
    thread::scope(|scope| {
        let others: Vec<_> = (first_other..n_threads)
            .map(|thread| {
                let work = move || {
                    let mut expander = expander();
                    pipeline.work(thread, &mut expander);
                    Share::of(&mut expander)
                };
                thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, work)
            })
            .collect();
        if first_other > 0 {
            pipeline.work(0, &mut own_expander);
        }
        assert!(first_other > 0 || others.iter().any(Result::is_ok), "there is a thread to search");
        let mut all = Share::of(&mut own_expander);
        // A thread that could not be started has no share in the work.
        for other in others.into_iter().flatten() {
            all.add(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

/// The report, unless a violation cannot be explained or the search was given up before.
fn conclude<C: Codec>(
    monitor: &Monitor,
    finished: &Finished<'_, C>,
    (explainer, reduction): (Explainer<'_, C>, Option<&Reduction>),
    uncovered: &[PropertyId],
) -> Result<Report, Reason> {
    let Finished { ledger, visited, end } = finished;
    let task = explainer.task();
    let (n_words, reduces) = (task.layout.n_words(), explainer.reduces());
    let mut claims = Vec::new();
    let verdict = match end {
        Err(Halt::Found(finding)) => {
            Verdict::Violated(Box::new(explainer.explain(*finding).ok_or(Reason::Unexplained)?))
        }
        Err(Halt::LittleSymmetry) => return Err(Reason::LittleSymmetry),
        Err(Halt::Disagreement) => Verdict::Unknown(Shortfall::Cancelled),
        Err(Halt::Short(shortfall)) => cut_short((monitor, finished), (task, reduction), *shortfall, &mut claims)?,
        Ok(()) if ledger.cut => {
            let shortfall = Shortfall::Depth(monitor.budget().depth.unwrap_or(0));
            cut_short((monitor, finished), (task, reduction), shortfall, &mut claims)?
        }
        Ok(()) if explainer.is_approximate() => Verdict::Unknown(Shortfall::Approximate),
        Ok(()) if !C::IS_EXACT => {
            Verdict::Unknown(Shortfall::Lossy { omission: omission_probability(ledger.n_states()) })
        }
        Ok(()) => {
            let (verdict, explainer) = judge_all(explainer, ledger, visited, uncovered).ok_or(Reason::Unexplained)?;
            match verdict {
                Verdict::Holds(_) if !looked_at_afterwards(task, reduces).is_empty() => {
                    judge_claims((monitor, finished), (explainer, reduction), &mut claims)?
                }
                verdict => verdict,
            }
        }
    };
    let counts = ledger.counts(&visited.set);
    monitor.publish(counts);
    let audit = AuditReport { states: 0, disagreement: ledger.disagreement.clone() };
    let is_wanted = task.keeps_states && matches!(verdict, Verdict::Holds(_));
    let stored = is_wanted.then_some(ledger.kept.as_ref()).flatten();
    let stored = stored.map(|ids| stored_states(visited, ids, (n_words, reduces)));
    Ok(Report { fired: ledger.fired.clone(), stored, audit, claims, ..Report::new(verdict, counts) })
}

/// What is to be said where a search was cut short: a violation of a temporal property among the states found is one all
/// the same.
fn cut_short<C: Codec>(
    (monitor, finished): (&Monitor, &Finished<'_, C>),
    (task, reduction): (&Task<'_>, Option<&Reduction>),
    shortfall: Shortfall,
    claims: &mut Vec<ClaimReport>,
) -> Result<Verdict, Reason> {
    let Finished { ledger, visited, .. } = finished;
    let properties = task.temporal_properties();
    // Who is out of time or memory has none for this either.
    let has_means = matches!(shortfall, Shortfall::States(_) | Shortfall::Depth(_));
    let Some(ids) = ledger.kept.as_deref().filter(|_| has_means && !properties.is_empty()) else {
        return Ok(Verdict::Unknown(shortfall));
    };
    let counts = ledger.counts(&visited.set);
    let stop = |bytes| {
        let shortfall = monitor.publish(Counts { bytes: counts.bytes + bytes, ..counts });
        shortfall.filter(|shortfall| !matches!(shortfall, Shortfall::States(_)))
    };
    let found = Found::new(task, (visited, ids), reduction, &properties, &stop);
    if found.has_assumptions() {
        return Ok(Verdict::Unknown(shortfall));
    }
    let reports = match claims::violations(&found.partial()) {
        Ok(reports) => reports,
        Err(Failure::Lost) => return Err(Reason::Unexplained),
        Err(Failure::Short(_) | Failure::Broken(..)) => return Ok(Verdict::Unknown(shortfall)),
    };
    Ok(match first_violation(&reports) {
        Some(violation) => {
            *claims = reports;
            Verdict::Violated(violation)
        }
        None => Verdict::Unknown(shortfall),
    })
}

fn first_violation(claims: &[ClaimReport]) -> Option<Box<Violation>> {
    claims.iter().find_map(|claim| match &claim.answer {
        ClaimAnswer::Violated(violation) => Some(violation.clone()),
        ClaimAnswer::Holds | ClaimAnswer::Unknown(_) => None,
    })
}

fn stored_states<C: Codec>(visited: &Visited<C>, ids: &[StateId], (n_words, reduces): (usize, bool)) -> Stored {
    let mut states = vec![0; n_words * ids.len()];
    for (&id, state) in ids.iter().zip(states.chunks_exact_mut(n_words)) {
        visited.set.read(id, state);
    }
    Stored { states, meaning: if reduces { Meaning::Orbit } else { Meaning::Itself } }
}

/// What can only be said once every state was visited.
fn judge_all<'a, C: Codec>(
    mut explainer: Explainer<'a, C>,
    ledger: &Ledger<'_>,
    visited: &Visited<C>,
    uncovered: &[PropertyId],
) -> Option<(Verdict, Explainer<'a, C>)> {
    let violated = |breach, trace| Verdict::Violated(Box::new(Violation { breach, trace }));
    if let Some(&property) = uncovered.first() {
        return Some((violated(Breach::Uncovered(property), None), explainer));
    }
    let task = explainer.task();
    let strict = explainer.strict_types();
    let unsatisfied = ledger
        .graph
        .as_ref()
        .map_or(Ok(None), |graph| liveness::check((task, explainer.reduces()), &visited.set, graph, strict));
    let verdict = match unsatisfied {
        Ok(None) => Verdict::Holds(Evidence::Exhausted),
        Ok(Some((state, breach))) => {
            let (breach, trace) = explainer.explain_liveness(state, breach)?;
            violated(breach, Some(trace))
        }
        Err(shortfall) => Verdict::Unknown(shortfall),
    };
    Some((verdict, explainer))
}

/// What is to be said about temporal properties, and about liveness properties whose parameters are tracked, once every
/// state was visited and everything else holds.
fn judge_claims<C: Codec>(
    (monitor, finished): (&Monitor, &Finished<'_, C>),
    (mut explainer, reduction): (Explainer<'_, C>, Option<&Reduction>),
    claims: &mut Vec<ClaimReport>,
) -> Result<Verdict, Reason> {
    let Finished { ledger, visited, .. } = finished;
    let task = explainer.task();
    let properties = looked_at_afterwards(task, reduction.is_some());
    let ids = ledger.kept.as_deref().expect("states are kept for temporal properties");
    let counts = ledger.counts(&visited.set);
    let stop = |bytes| monitor.publish(Counts { bytes: counts.bytes + bytes, ..counts });
    let found = Found::new(task, (visited, ids), reduction, &properties, &stop);
    match claims::answer(&found) {
        Ok(answers) => *claims = answers,
        Err(Failure::Lost) => return Err(Reason::Unexplained),
        Err(Failure::Short(shortfall)) => return Ok(Verdict::Unknown(shortfall)),
        Err(Failure::Broken(state, breach)) => {
            let (breach, trace) = explainer.explain_liveness(state, breach).ok_or(Reason::Unexplained)?;
            return Ok(Verdict::Violated(Box::new(Violation { breach, trace: Some(trace) })));
        }
    }
    let violation = first_violation(claims);
    let is_open = claims.iter().any(|claim| matches!(claim.answer, ClaimAnswer::Unknown(_)));
    Ok(match violation {
        Some(violation) => Verdict::Violated(violation),
        None if is_open => Verdict::Unknown(Shortfall::Formula),
        None => Verdict::Holds(Evidence::Exhausted),
    })
}
