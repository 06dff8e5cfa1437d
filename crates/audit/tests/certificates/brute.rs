//! What a certificate proves, by brute force: no canonical forms, no hashing of states by structure, no shared code with
//! the audit but the interpreter.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use burnside_audit::{Certificate, Class};
use burnside_driver::{Plan, Prepared, Settings, SymmetryChoice};
use burnside_engine::{DeadlockMode, Monitor, Verdict};
use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{Layout, Model, PropertyKind, Type, TypeId, UNDEFINED};

use crate::made::deadlock_mode;

/// More states than this are not small.
const MOST: usize = 200_000;

type State = Vec<i64>;

/// Whether the certificate proves its claim: the claim is true, and all that start states, steps and permutations lead
/// to is listed (up to permutations) and violates nothing. `None` if there is too much to look at.
pub(crate) fn proves(prepared: &Prepared, certificate: &Certificate) -> Option<bool> {
    let Some(meant) = all_images(prepared, certificate)? else { return Some(false) };
    let claim = &certificate.claim;
    let deadlock = deadlock_mode(claim.deadlock);
    let symmetry = SymmetryChoice::Off;
    let settings = Settings { symmetry, deadlock, step_limits: claim.limits, ..Settings::default() };
    let mut prepared = Prepared::new(prepared.model.clone(), prepared.layout.clone());
    let asked: Vec<String> = claim.property.iter().cloned().collect();
    if prepared.select(&asked).is_err() {
        return Some(false);
    }
    let prepared = &prepared;
    let Ok(plan) = Plan::new(prepared, &settings) else { return Some(false) };
    let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
    Some(matches!(outcome.report.verdict, Verdict::Holds(_)) && is_closed(plan.task(), certificate, &meant))
}

/// The listed states with all their images; `Some(None)` if something is no state or no permutation, `None` if they are too
/// many.
fn all_images(prepared: &Prepared, certificate: &Certificate) -> Option<Option<BTreeSet<State>>> {
    let (model, layout) = (&prepared.model, &prepared.layout);
    let n_points = certificate.n_points();
    let is_permutation = |images: &Vec<u32>| {
        let is_one_to_one =
            images.len() == n_points && images.iter().copied().collect::<BTreeSet<u32>>().len() == n_points;
        let mut first = 0;
        // Members of a class stay in it, or they would be no values.
        is_one_to_one
            && certificate.classes.iter().all(|class| {
                let own = first..first + class.size;
                first = own.end;
                own.clone().all(|point| own.contains(&images[point as usize]))
            })
    };
    let generators: Vec<Vec<u32>> = certificate.generators.iter().map(|it| it.images.clone()).collect();
    let fits = |class: &Class| {
        let has_size = |ty: &TypeId| {
            ty.index() < model.types.iter().len() && model.types.shape(*ty).cardinality() == u64::from(class.size)
        };
        class.types.iter().all(has_size)
    };
    let are_fitting = certificate.classes.iter().all(fits);
    if certificate.n_bits != layout.n_bits() || !are_fitting {
        return Some(None);
    }
    let mut meant = BTreeSet::new();
    for (at, packed) in certificate.states().enumerate() {
        let mut state = vec![UNDEFINED; layout.slots().len()];
        layout.unpack(packed, &mut state);
        let admits = |(slot, &value): (&burnside_ir::Slot, &i64)| match model.types.get(slot.ty) {
            Type::Multiset { .. } => value == UNDEFINED || value == 0,
            _ => value == UNDEFINED || model.types.shape(slot.ty).admits(value),
        };
        if !layout.slots().iter().zip(&state).all(admits) {
            return Some(None);
        }
        let annotation = certificate.annotations.get(at).map(|&it| exchanges(&certificate.partitions[it as usize]));
        let permutations = annotation.as_ref().unwrap_or(&generators);
        if !permutations.iter().all(is_permutation) {
            return Some(None);
        }
        let mut pending = vec![state];
        let mut own = BTreeSet::new();
        while let Some(state) = pending.pop() {
            if meant.len() + own.len() >= MOST {
                return None;
            }
            if own.insert(state.clone()) {
                pending
                    .extend(permutations.iter().map(|it| renamed((model, layout), &certificate.classes, it, &state)));
            }
        }
        meant.extend(own);
    }
    Some(Some(meant))
}

fn exchanges(cells: &[u32]) -> Vec<Vec<u32>> {
    let mut exchanges = Vec::new();
    for one in 0..cells.len() {
        for other in (0..one).filter(|&other| cells[one] == cells[other]) {
            let mut images: Vec<u32> = (0..cells.len() as u32).collect();
            images.swap(one, other);
            exchanges.push(images);
        }
    }
    exchanges
}

/// Whether everything that start states, steps and generators lead to is meant and violates nothing.
fn is_closed(task: &burnside_engine::Task<'_>, certificate: &Certificate, meant: &BTreeSet<State>) -> bool {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut judge = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut is_kept = |state: &State| {
        task.properties(PropertyKind::Assumption)
            .iter()
            .all(|&it| !matches!(judge.holds(state, it), Ok(Truth::FailsFor(_))))
    };
    let mut pending = Vec::new();
    interpreter.starts(|_, _, outcome| {
        if let Outcome::Next(state) = outcome {
            pending.push(state.to_vec());
        }
        ControlFlow::Continue(())
    });
    pending.retain(&mut is_kept);
    let mut known = BTreeSet::new();
    while let Some(state) = pending.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        if !meant.contains(&state) || is_wrong(task, &mut interpreter, &state) {
            return false;
        }
        let mut next = Vec::new();
        interpreter.successors(&state, |_, _, outcome| {
            if let Outcome::Next(state) = outcome {
                next.push(state.to_vec());
            }
            ControlFlow::Continue(())
        });
        next.retain(&mut is_kept);
        pending.extend(next);
        let images = certificate.generators.iter();
        pending.extend(images.map(|it| renamed((task.model, task.layout), &certificate.classes, &it.images, &state)));
    }
    true
}

/// Whether a state violates something by itself.
fn is_wrong(task: &burnside_engine::Task<'_>, interpreter: &mut Interpreter<'_>, state: &State) -> bool {
    let invariants = task.properties(PropertyKind::Invariant);
    if invariants.iter().any(|&it| interpreter.holds(state, it) != Ok(Truth::Everywhere)) {
        return true;
    }
    let (mut faults, mut is_stuck, mut stays) = (false, true, true);
    interpreter.successors(state, |_, _, outcome| {
        is_stuck = false;
        match outcome {
            Outcome::Next(next) => stays &= next == state,
            Outcome::Pruned => {}
            Outcome::Fault(..) => faults = true,
        }
        ControlFlow::Continue(())
    });
    let deadlock = if task.only.is_some() { DeadlockMode::Off } else { task.deadlock };
    let is_dead = match deadlock {
        DeadlockMode::Off => false,
        DeadlockMode::Stuck => is_stuck,
        DeadlockMode::Stuttering => stays,
    };
    faults || is_dead
}

/// The image of a state, by the definition: positions move, values are renamed, multisets are put in order.
fn renamed((model, layout): (&Model, &Layout), classes: &[Class], images: &[u32], state: &State) -> State {
    let mut image = vec![UNDEFINED; state.len()];
    let mut at = 0;
    for global in &model.globals {
        let next = at + model.types.shape(global.ty).n_slots as usize;
        rename(model, (classes, images), global.ty, &state[at..next], &mut image[at..next]);
        at = next;
    }
    layout.normalise(&mut image);
    image
}

fn rename(model: &Model, by: (&[Class], &[u32]), ty: TypeId, from: &[i64], to: &mut [i64]) {
    let types = &model.types;
    match types.get(ty) {
        &Type::Array { index, element } => {
            let (stride, lo) = (types.shape(element).n_slots as usize, types.shape(index).lo);
            for (position, part) in from.chunks(stride.max(1)).enumerate() {
                let at = (rename_value(model, by, index, lo + position as i64) - lo) as usize * stride;
                rename(model, by, element, part, &mut to[at..at + stride]);
            }
        }
        Type::Record { fields } => {
            let mut at = 0;
            for field in fields {
                let next = at + types.shape(field.ty).n_slots as usize;
                rename(model, by, field.ty, &from[at..next], &mut to[at..next]);
                at = next;
            }
        }
        &Type::Multiset { element, .. } => {
            let stride = types.shape(element).n_slots as usize + 1;
            for (from, to) in from.chunks(stride).zip(to.chunks_mut(stride)) {
                to[0] = from[0];
                rename(model, by, element, &from[1..], &mut to[1..]);
            }
        }
        _ => to[0] = rename_value(model, by, ty, from[0]),
    }
}

fn rename_value(model: &Model, (classes, images): (&[Class], &[u32]), ty: TypeId, value: i64) -> i64 {
    if value == UNDEFINED {
        return UNDEFINED;
    }
    if let Some((member, inner)) = model.types.union_member(ty, value) {
        return value - inner + rename_value(model, (classes, images), member, inner);
    }
    let mut first = 0;
    for class in classes {
        if class.types.contains(&ty) {
            let lo = model.types.shape(ty).lo;
            return lo + (i64::from(images[(first + (value - lo)) as usize]) - first);
        }
        first += i64::from(class.size);
    }
    value
}
