//! A search from the start states to the verdict.

use std::sync::Arc;
use std::thread;

use burnside_engine::{
    Answer, Asked, AuditReport, Breach, Counts, Evidence, Follower, Meaning, Monitor, Paused, Reason, Report,
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
use crate::frontier::Frontier;
use crate::job::{self, Job};
use crate::ledger::{Halt, Ledger, looked_at_afterwards};
use crate::liveness;
use crate::partial::{FiredSteps, Forced, PartialOrder};
use crate::pause::{self, Aside, Cut, Unusable};
use crate::pipeline::{Beginning, Finished, Pipeline};
use crate::recent::Recent;
use crate::visited::Visited;

/// More threads would wait for each other. Jobs also count on shard numbers of 16 bits.
const MAX_THREADS: usize = 256;

/// Searches until the verdict is known or the monitor says to stop. Every thread makes its own expander.
pub(crate) fn search<'m, C: Codec + 'static, S: Stepper, R: Representatives>(
    Means { task, quotient, partial, .. }: Means<'m>,
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
    let no_room = || {
        let fired = vec![0; task.model.rules.len()];
        Ok(Report { fired, ..Report::new(task, Verdict::Unknown(Shortfall::Memory), Counts::default()) })
    };
    let store = Config { n_bits, n_shards: n_threads, limit: monitor.budget().bytes };
    let Ok((set, shards)) = Set::<C>::open(store) else { return no_room() };
    let mut visited = Visited { set, shards };
    let config = job::Config {
        n_words: task.layout.n_words(),
        has_assumptions: !task.properties(PropertyKind::Assumption).is_empty(),
        has_ends: !task.properties(PropertyKind::Ending).is_empty(),
        deadlocks: task.deadlocks(),
        depth_bound: monitor.budget().depth.unwrap_or(u32::MAX),
        remembers: monitor.budget().depth.is_none()
            && task.properties(PropertyKind::Liveness).is_empty()
            && reduction.is_none_or(|it| !it.strategy().has_memory())
            && partial.is_none()
            && Recent::is_worthwhile(task.layout.n_words(), reduction.is_some()),
    };
    let mut own_expander = expander();
    let mut beginning = Beginning {
        ledger: Ledger::new::<C>(task, monitor, quotient),
        first: Job::new(config.n_words, n_threads),
        frontier: Frontier::new(task.order),
        forced: Arc::default(),
    };
    beginning.ledger.fired = partial.map(|_| FiredSteps::default());
    let mut aside = None;
    match task.resumed.filter(|saved| saved.n_states() > 0) {
        None => beginning.first.begin(&mut own_expander),
        Some(saved) => match pause::go_on(task, &mut *saved.reader(), &mut visited, &mut beginning) {
            Ok(read) => aside = Some(read),
            Err(Unusable::Damaged) => return Err(Reason::Unreadable),
            Err(Unusable::Full) => return no_room(),
        },
    }
    let mut share: Option<Share> = None;
    let mut forced = Forced::default();
    let finished = loop {
        let pipeline = Pipeline::new(task, config, visited, beginning);
        let own = run(&pipeline, n_threads, own_expander, &expander);
        share = Some(match share {
            Some(before) => before.and(own),
            None => own,
        });
        let finished = pipeline.finish();
        let completes = finished.end.is_ok() && !finished.ledger.tally.cut;
        let again = partial.filter(|_| completes).map_or(Vec::new(), |partial| finished.ledger.left_open(partial));
        if again.is_empty() {
            break finished;
        }
        forced.extend(again.iter().map(|(state, _)| *state));
        visited = finished.visited;
        beginning = Beginning {
            ledger: *finished.ledger,
            first: Job::new(config.n_words, n_threads),
            frontier: Frontier::of(task.order, &again),
            forced: Arc::new(again.iter().map(|(state, _)| *state).collect()),
        };
        own_expander = expander();
    };
    let mut share = share.expect("the search was made");
    share.aside.add(aside);
    let partial = partial.map(|partial| (partial.order, &forced));
    let is_counted = task.counts_orbits && C::IS_EXACT && finished.end.is_ok();
    let counted = reduction.filter(|_| is_counted);
    let census = counted.and_then(|reduction| count_orbits(reduction, &finished, config.n_words));
    let lost = lost(task, &finished, (quotient, &share.followers));
    let explainer = Explainer::new(task, &finished.visited, quotient);
    let report = conclude(monitor, &finished, (explainer, reduction, partial), &share.aside.uncovered)?;
    let disagreement = report.audit.disagreement.or_else(|| lost.map(Follower::is_lost));
    let audit = AuditReport { states: share.aside.n_audited, disagreement };
    let goes_on = task.pauses && audit.disagreement.is_none() && can_go_on(&report.verdict);
    let paused = if goes_on { Cut::new(task, finished, share.aside).map(Paused::new) } else { None };
    Ok(Report { audit, census, paused, ..report })
}

/// Whether with more time, memory or patience there would be more to say.
fn can_go_on(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds(_) | Verdict::Violated(_) => false,
        Verdict::Unknown(shortfall) => match shortfall {
            Shortfall::Time | Shortfall::Memory | Shortfall::Cancelled | Shortfall::States(_) => true,
            Shortfall::Depth(_)
            | Shortfall::Lossy { .. }
            | Shortfall::Approximate
            | Shortfall::Formula
            | Shortfall::Violation => false,
        },
    }
}

/// A state that the search should have met and has not. Only a search that is complete has met everything, and only where
/// one state stands for each orbit is it known which.
fn lost<'f, C: Codec>(
    task: &Task<'_>,
    Finished { ledger, visited, end, .. }: &Finished<'_, C>,
    (quotient, followers): (Option<Quotient<'_>>, &'f [Follower]),
) -> Option<&'f Follower> {
    let is_exact = quotient.is_none_or(|it| it.reduction.strategy().exactness() == Exactness::Exact);
    // Steps may lead to states that are passed through, which are not stored.
    let is_stored = task.properties(PropertyKind::Passing).is_empty();
    if end.is_err() || ledger.tally.cut || !is_exact || !is_stored {
        return None;
    }
    let mut canonicaliser = quotient.map(Quotient::canonicaliser);
    let mut packed = vec![0; task.layout.n_words()];
    let mut state = packed.clone();
    followers.iter().find(|follower| {
        if let Some(fired) = &ledger.fired {
            task.layout.pack(&follower.state, &mut state);
            if !visited.find(&state).is_some_and(|id| fired.is_full(id)) {
                return false;
            }
        }
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
    for &id in finished.ledger.kept.as_ref()? {
        finished.visited.set.read(id, &mut state);
        counter.note(&state);
    }
    Some(counter.finish()).filter(|census| !census.sizes.is_empty())
}

/// What a thread knows of its work beside what it entered into the ledger, or all threads together.
struct Share {
    aside: Aside,
    /// Where some of the steps lead.
    followers: Vec<Follower>,
}

impl Share {
    fn of(expander: &mut Expander<'_, impl Stepper, impl Representatives>) -> Self {
        let aside = Aside { uncovered: expander.uncovered(), n_audited: expander.n_audited() };
        Self { aside, followers: expander.followers() }
    }

    fn and(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    fn add(&mut self, other: Self) {
        self.aside.add(Some(other.aside));
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

/// How steps were chosen, and where all were fired.
type Parts<'a> = Option<(&'a PartialOrder, &'a Forced)>;

/// The report, unless a violation cannot be explained or the search was given up before.
fn conclude<C: Codec>(
    monitor: &Monitor,
    finished: &Finished<'_, C>,
    (explainer, reduction, partial): (Explainer<'_, C>, Option<&Reduction>, Parts<'_>),
    uncovered: &[PropertyId],
) -> Result<Report, Reason> {
    let Finished { ledger, visited, end, .. } = finished;
    let task = explainer.task();
    let (n_words, reduces) = (task.layout.n_words(), explainer.reduces());
    let is_complete = end.is_ok() && !ledger.tally.cut && !explainer.is_approximate() && C::IS_EXACT;
    let mut claims = Vec::new();
    let verdict = match end {
        Err(Halt::Found(finding)) => {
            Verdict::Violated(Box::new(explainer.explain(*finding).ok_or(Reason::Unexplained)?))
        }
        Err(Halt::LittleSymmetry) => return Err(Reason::LittleSymmetry),
        Err(Halt::Disagreement) => Verdict::Unknown(Shortfall::Cancelled),
        Err(Halt::Short(shortfall)) => {
            cut_short((monitor, finished), (task, reduction, partial), *shortfall, &mut claims)?
        }
        Ok(()) if ledger.tally.cut => {
            let shortfall = Shortfall::Depth(monitor.budget().depth.unwrap_or(0));
            cut_short((monitor, finished), (task, reduction, partial), shortfall, &mut claims)?
        }
        Ok(()) if explainer.is_approximate() => Verdict::Unknown(Shortfall::Approximate),
        Ok(()) if !C::IS_EXACT => {
            Verdict::Unknown(Shortfall::Lossy { omission: omission_probability(ledger.n_states()) })
        }
        Ok(()) => {
            let (verdict, explainer) = judge_all(explainer, ledger, visited, uncovered).ok_or(Reason::Unexplained)?;
            match verdict {
                Verdict::Holds(_) if !looked_at_afterwards(task, reduces).is_empty() => {
                    judge_claims((monitor, finished), (explainer, reduction, partial), &mut claims)?
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
    let stored = stored.map(|ids| stored_states(visited, ids, n_words, reduces));
    let report = Report::new(task, verdict, counts);
    let report = if is_complete { report.of_all_states(task, uncovered) } else { report };
    let mut fired = ledger.tally.fired.clone();
    // Of the job at which a search was cut short, it is not known which of these came before.
    if end.is_ok() {
        fired.iter_mut().zip(&ledger.tally.fired_inside).for_each(|(all, inside)| *all += inside);
    }
    Ok(Report { fired, stored, audit, ..report.with(claims) })
}

/// What is to be said where a search was cut short: a violation of a temporal property among the states found is one all
/// the same.
fn cut_short<C: Codec>(
    (monitor, finished): (&Monitor, &Finished<'_, C>),
    (task, reduction, partial): (&Task<'_>, Option<&Reduction>, Parts<'_>),
    shortfall: Shortfall,
    claims: &mut Vec<Answer>,
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
    let found = Found::new(task, (visited, ids), reduction, &properties, &stop).with(partial);
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

fn first_violation(claims: &[Answer]) -> Option<Box<Violation>> {
    claims.iter().find_map(|claim| match &claim.verdict {
        Verdict::Violated(violation) => Some(violation.clone()),
        Verdict::Holds(_) | Verdict::Unknown(_) => None,
    })
}

fn stored_states<C: Codec>(visited: &Visited<C>, ids: &[StateId], n_words: usize, reduces: bool) -> Stored {
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
    (mut explainer, reduction, partial): (Explainer<'_, C>, Option<&Reduction>, Parts<'_>),
    claims: &mut Vec<Answer>,
) -> Result<Verdict, Reason> {
    let Finished { ledger, visited, .. } = finished;
    let task = explainer.task();
    let properties = looked_at_afterwards(task, reduction.is_some());
    let ids = ledger.kept.as_deref().expect("states are kept for temporal properties");
    let counts = ledger.counts(&visited.set);
    let stop = |bytes| monitor.publish(Counts { bytes: counts.bytes + bytes, ..counts });
    let found = Found::new(task, (visited, ids), reduction, &properties, &stop).with(partial);
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
    let is_open = claims.iter().any(|claim| matches!(claim.verdict, Verdict::Unknown(_)));
    // Nothing else would have come so far.
    let liveness = task.properties(PropertyKind::Liveness).into_iter().map(Asked::Property);
    let verdict = Verdict::Holds(Evidence::Exhausted);
    claims.extend(liveness.map(|asked| Answer { asked, verdict: verdict.clone(), notes: Vec::new() }));
    Ok(match violation {
        Some(violation) => Verdict::Violated(violation),
        None if is_open => Verdict::Unknown(Shortfall::Formula),
        None => Verdict::Holds(Evidence::Exhausted),
    })
}
