//! From a complete search to a certificate that can be audited.

use burnside_audit::{Certificate, Claim, Class, Deadlock, Digest, Generator};
use burnside_engine::{DeadlockMode, Meaning, Partitions, Report, Verdict};
use burnside_ir::{Model, TypeId};
use burnside_symmetry::{Certificate as Proof, Ground, Symmetry};

use crate::{Language, LoadOptions, Plan, Strategy};

/// The model as it was read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its name, for people.
    pub name: &'a str,
    /// Its language.
    pub language: Language,
    /// The hash of its text.
    pub text: Digest,
    /// How it was read.
    pub options: &'a LoadOptions,
    /// The version of the tool.
    pub version: &'a str,
}

/// The certificate of a report, or the reason why there is none.
pub fn certify(plan: &Plan<'_>, report: &Report, source: Source<'_>) -> Result<Certificate, &'static str> {
    if !matches!(report.verdict, Verdict::Holds(_)) {
        return Err("only what holds is certified");
    }
    if !plan.task().temporal_properties().is_empty() {
        return Err("temporal properties are not part of certificates; ask for another property with `--property`");
    }
    if plan.task().only.is_some_and(|only| only.len() > 1) {
        return Err("a certificate is about all properties or about one; select fewer with `--property`");
    }
    let Some(stored) = &report.stored else { return Err("the search did not keep its states") };
    let model = plan.task().model;
    let mut certificate = Certificate {
        claim: claim(plan, source),
        classes: Vec::new(),
        generators: Vec::new(),
        n_bits: plan.task().layout.n_bits(),
        states: stored.states.clone(),
        partitions: Vec::new(),
        annotations: Vec::new(),
    };
    match &stored.meaning {
        Meaning::Itself => {}
        Meaning::Orbit => {
            (certificate.classes, certificate.generators) = automorphisms(model, plan.symmetry());
        }
        Meaning::Partition(partitions) => {
            certificate.classes = partitions.classes.iter().map(|types| class(model, types)).collect();
            match &partitions.cells[..] {
                // One partition for all states: that all its permutations are automorphisms is what `cells` goes by.
                [cells] if plan.planned().strategy == Strategy::Cells => {
                    certificate.generators = within_cells(cells);
                }
                _ => {
                    let Partitions { cells, of_state, .. } = partitions.clone();
                    (certificate.partitions, certificate.annotations) = (cells, of_state);
                }
            }
        }
    }
    Ok(certificate)
}

fn claim(plan: &Plan<'_>, source: Source<'_>) -> Claim {
    let task = plan.task();
    Claim {
        version: source.version.to_owned(),
        model: source.name.to_owned(),
        language: source.language.name().to_owned(),
        text: source.text,
        overrides: source.options.overrides.clone(),
        strict_undefined: source.options.strict_undefined,
        deadlock: match task.deadlock {
            DeadlockMode::Off => Deadlock::Off,
            DeadlockMode::Stuck => Deadlock::Stuck,
            DeadlockMode::Stuttering => Deadlock::Stuttering,
        },
        limits: task.step_limits,
        property: task.only.and_then(|only| only.first()).map(|&property| task.model.property(property).name.clone()),
    }
}

fn class(model: &Model, types: &[TypeId]) -> Class {
    let named = types.iter().find(|&&ty| model.types.def(ty).name.is_some());
    let name = model.types.type_name(*named.unwrap_or(&types[0]));
    Class { name, types: types.to_vec(), size: model.types.shape(types[0]).cardinality() as u32 }
}

/// The classes that move, and generators of what was proved, with the grounds of the proof.
fn automorphisms(model: &Model, symmetry: &Symmetry) -> (Vec<Class>, Vec<Generator>) {
    let classes: Vec<Class> = symmetry.moving_classes().map(|it| class(model, &it.types)).collect();
    let n_points: u32 = classes.iter().map(|class| class.size).sum();
    let identity: Vec<u32> = (0..n_points).collect();
    let mut generators = Vec::new();
    let mut first = 0;
    for class in &symmetry.classes {
        let reason = format!("all permutations of {}: {}", class.name, grounds(&Proof::new(model, class)));
        let cell: Vec<u32> = (first..first + class.size).collect();
        generators
            .extend(of_symmetric_group(&cell, &identity).map(|images| Generator { images, reason: reason.clone() }));
        first += class.size;
    }
    for joint in &symmetry.joints {
        let reason = format!("{}: {}", joint.words(), grounds(&Proof::of_joint(model, joint)));
        for generator in joint.group.irredundant_generators() {
            let mut images = identity.clone();
            for (point, image) in generator.images().enumerate() {
                images[first as usize + point] = first + image as u32;
            }
            generators.push(Generator { images, reason: reason.clone() });
        }
        first += joint.classes.iter().map(|class| class.size).sum::<u32>();
    }
    (classes, generators)
}

/// What the proof rests on, in words.
fn grounds(proof: &Proof) -> String {
    let number = |ground: Ground| proof.obligations.iter().filter(|it| it.ground == ground).count();
    let grounds = [(Ground::Types, "types"), (Ground::Tables, "tables"), (Ground::Absent, "absence")];
    let used = grounds.iter().filter(|(ground, _)| number(*ground) > 0);
    let words: Vec<String> = used.map(|(ground, word)| format!("{} by {word}", number(*ground))).collect();
    format!("rules and properties proved: {}", words.join(", "))
}

fn within_cells(cell_of: &[u32]) -> Vec<Generator> {
    let identity: Vec<u32> = (0..cell_of.len() as u32).collect();
    let n_cells = cell_of.iter().max().map_or(0, |last| last + 1);
    let reason = "all permutations within a cell that no rule and no property splits";
    let cells = (0..n_cells).map(|cell| identity.iter().copied().filter(|&it| cell_of[it as usize] == cell).collect());
    let cells: Vec<Vec<u32>> = cells.collect();
    let images = cells.iter().flat_map(|cell| of_symmetric_group(cell, &identity));
    images.map(|images| Generator { images, reason: reason.to_owned() }).collect()
}

/// An exchange and a cycle, which generate all permutations of some points.
fn of_symmetric_group(cell: &[u32], identity: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    let cycle = |points: &[u32]| {
        let mut images = identity.to_vec();
        for (at, &point) in points.iter().enumerate() {
            images[point as usize] = points[(at + 1) % points.len()];
        }
        images
    };
    let exchange = (cell.len() > 1).then(|| cycle(&cell[..2]));
    let whole = (cell.len() > 2).then(|| cycle(cell));
    exchange.into_iter().chain(whole).collect::<Vec<_>>().into_iter()
}
