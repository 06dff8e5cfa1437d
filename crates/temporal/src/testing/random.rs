//! Random symmetric systems: the images of a few random rules under a random group.

use fastrand::Rng;

use super::system::{Condition, Fired, Rules, System, Values, blocks, dihedral, rotations, symmetric};

/// A rule between a process and another (perhaps the same).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    own: usize,
    other: usize,
    number: u32,
    /// Guards: own local, other's local, shared value, whom the reference names.
    from: i8,
    other_is: Option<i8>,
    shared_is: Option<i8>,
    reference_is: Option<Whom>,
    /// Effects.
    to: i8,
    other_to: Option<i8>,
    shared_to: Option<i8>,
    reference_to: Option<Whom>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whom {
    Own,
    Other,
    NotOwn,
}

impl Rule {
    fn random(rng: &mut Rng, number: u32, n: usize, sizes: (i8, i8), has_reference: bool) -> Self {
        let (n_locals, n_shared) = sizes;
        let maybe = |rng: &mut Rng, below: i8| rng.bool().then(|| rng.i8(0..below));
        let whom = |rng: &mut Rng, among: &[Option<Whom>]| {
            if has_reference { among[rng.usize(..among.len())] } else { None }
        };
        Rule {
            own: rng.usize(..n),
            other: rng.usize(..n),
            number,
            from: rng.i8(0..n_locals),
            other_is: maybe(rng, n_locals),
            shared_is: maybe(rng, n_shared),
            reference_is: whom(rng, &[None, Some(Whom::Own), Some(Whom::Other), Some(Whom::NotOwn)]),
            to: rng.i8(0..n_locals),
            other_to: maybe(rng, n_locals),
            shared_to: maybe(rng, n_shared),
            reference_to: whom(rng, &[None, None, Some(Whom::Own), Some(Whom::Other)]),
        }
    }

    fn fire(&self, values: &Values) -> Option<Fired> {
        let reference = values.references.first().copied().unwrap_or(-1);
        let is_guarded = values.locals[self.own] == self.from
            && (self.own == self.other || self.other_is.is_none_or(|local| values.locals[self.other] == local))
            && self.shared_is.is_none_or(|shared| values.shared[0] == shared)
            && match self.reference_is {
                None => true,
                Some(Whom::Own) => reference == self.own as i8,
                Some(Whom::Other) => reference == self.other as i8,
                Some(Whom::NotOwn) => reference != self.own as i8,
            };
        if !is_guarded {
            return None;
        }
        let mut target = values.with(self.own, self.to);
        if let Some(local) = self.other_to
            && self.own != self.other
        {
            target.locals[self.other] = local;
        }
        if let Some(shared) = self.shared_to {
            target.shared[0] = shared;
        }
        match self.reference_to {
            Some(Whom::Own) => target.references[0] = self.own as i8,
            Some(Whom::Other) => target.references[0] = self.other as i8,
            _ => {}
        }
        Some(Fired { process: self.own, rule: self.number, target })
    }
}

/// A random system with its group; two thirds have start states closed under the group.
pub(crate) fn random_system(rng: &mut Rng) -> System {
    let n = [2, 3, 3, 4][rng.usize(..4)];
    let sizes = (2 + rng.i8(0..2), 1 + rng.i8(0..2));
    let (name, mut group) = match rng.u8(..5) {
        0 => ("symmetric", symmetric(n)),
        1 => ("rotations", rotations(n)),
        2 => ("blocks", blocks(&[n / 2, n - n / 2])),
        3 => ("dihedral", dihedral(n)),
        // A product of rotations: of the first half and of the second.
        _ => ("trivial factors", blocks(&[1, n - 1])),
    };
    group.sort_unstable();
    let has_reference = rng.f64() < 0.6;
    let n_rules = 2 + rng.u32(..4);
    let mut rules: Vec<Rule> = Vec::new();
    for number in 0..n_rules {
        let rule = Rule::random(rng, number, n, sizes, has_reference);
        let images =
            group.iter().map(|by| Rule { own: by.image(rule.own), other: by.image(rule.other), ..rule.clone() });
        rules.extend(images);
    }
    rules.sort_unstable();
    rules.dedup();
    let starts = random_starts(rng, n, sizes.0, &group, has_reference);
    let fire: Rules = Box::new(move |values| {
        let mut fired: Vec<Fired> = rules.iter().filter_map(|rule| rule.fire(values)).collect();
        fired.sort_unstable();
        fired.dedup();
        fired
    });
    let local =
        |value: i8| -> Condition { Box::new(move |values, arguments| values.locals[arguments[0] as usize] == value) };
    let mut conditions: Vec<(&'static str, Condition)> = vec![
        ("shared", Box::new(|values, _| values.shared[0] == 0)),
        ("some1", Box::new(|values, _| values.locals.contains(&1))),
        ("zero", local(0)),
        ("one", local(1)),
    ];
    if has_reference {
        conditions.push(("named", Box::new(|values, arguments| values.references[0] == arguments[0] as i8)));
    }
    System { name: name.into(), n, group, starts, rules: fire, conditions }
}

fn random_starts(
    rng: &mut Rng,
    n: usize,
    n_locals: i8,
    group: &[burnside_group::Permutation],
    has_reference: bool,
) -> Vec<Values> {
    let references: Vec<i8> = if has_reference { vec![rng.usize(..n) as i8] } else { Vec::new() };
    let mut starts = vec![Values::new(&[0], &references, &vec![0; n])];
    if rng.f64() < 0.3 {
        starts.push(starts[0].with(rng.usize(..n), n_locals - 1));
    }
    if rng.f64() < 0.67 {
        starts = group.iter().flat_map(|by| starts.iter().map(move |start| start.renamed(by))).collect();
        starts.sort_unstable();
        starts.dedup();
    }
    starts
}
