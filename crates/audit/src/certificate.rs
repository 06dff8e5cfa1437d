//! What a certificate says.

use std::fmt;

use burnside_interp::Limits;
use burnside_ir::{Layout, Model, Type, TypeId, UNDEFINED};

/// The SHA-256 hash of a text.
pub type Digest = [u8; 32];

/// The question, the permutations, and the states that together prove `holds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// What is claimed.
    pub claim: Claim,
    /// The identities that permutations move; all members are numbered through as points, in this order.
    pub classes: Vec<Class>,
    /// Permutations that are said to be automorphisms.
    pub generators: Vec<Generator>,
    /// Width of a packed state.
    pub n_bits: u32,
    /// The listed states, packed, one after the other.
    pub states: Vec<u64>,
    /// Partitions of the points: for each point the number of its cell. Empty unless states are annotated.
    pub partitions: Vec<Vec<u32>>,
    /// For each state the partition within whose cells all permutations of it are meant too.
    pub annotations: Vec<u32>,
}

/// The question that was answered with `holds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The version of the tool that wrote this.
    pub version: String,
    /// The model's file, for people.
    pub model: String,
    /// The model's language.
    pub language: String,
    /// The hash of its text.
    pub text: Digest,
    /// Constants with another value than the text gives them.
    pub overrides: Vec<(String, i64)>,
    /// Whether copying an undefined value is a fault.
    pub strict_undefined: bool,
    /// Which states count as deadlocks.
    pub deadlock: Deadlock,
    /// How long one step may take.
    pub limits: Limits,
    /// The only property that was checked, by name, or all (deadlock included).
    pub property: Option<String>,
}

/// Which states count as deadlocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadlock {
    /// None.
    Off,
    /// Those in which no rule is enabled.
    Stuck,
    /// Those from which no rule leads to another state.
    Stuttering,
}

/// Types whose values are the same identities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Its name, for people.
    pub name: String,
    /// The types, by number.
    pub types: Vec<TypeId>,
    /// Number of values of each.
    pub size: u32,
}

/// A permutation of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// The image of each point.
    pub images: Vec<u32>,
    /// Why the search took it for an automorphism. The audit does not rely on it.
    pub reason: String,
}

/// Why a certificate cannot be audited at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(pub String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Deadlock {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Off, Self::Stuck, Self::Stuttering];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Stuck => "stuck",
            Self::Stuttering => "stuttering",
        }
    }
}

impl Certificate {
    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.classes.iter().map(|class| class.size as usize).sum()
    }

    /// Words of a packed state.
    pub fn n_words(&self) -> usize {
        self.n_bits.div_ceil(u64::BITS).max(1) as usize
    }

    /// Number of listed states.
    pub fn n_states(&self) -> usize {
        self.states.len() / self.n_words()
    }

    /// The listed states.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.states.chunks_exact(self.n_words())
    }

    /// Whether everything in it refers to things that the model has.
    pub(crate) fn fits(&self, model: &Model, layout: &Layout) -> Result<(), Unusable> {
        let unusable = |why: String| Err(Unusable(why));
        if self.n_bits != layout.n_bits() {
            let (own, models) = (self.n_bits, layout.n_bits());
            return unusable(format!("its states have {own} bits, those of the model {models}"));
        }
        let mut taken = vec![false; model.types.iter().len()];
        for class in &self.classes {
            for ty in &class.types {
                let Some(taken) = taken.get_mut(ty.index()) else {
                    return unusable(format!("class `{}` has a type that the model does not have", class.name));
                };
                let is_free = !std::mem::replace(taken, true);
                if !is_free || !is_identity(model, *ty) || model.types.shape(*ty).cardinality() != class.size.into() {
                    return unusable(format!("class `{}` does not fit the types of the model", class.name));
                }
            }
        }
        for (at, state) in self.states().enumerate() {
            if !is_state(model, layout, state) {
                return unusable(format!("what it lists as state {} is not a state of the model", at + 1));
            }
        }
        Ok(())
    }

    /// Whether permutations and partitions are such.
    pub(crate) fn is_sound_in_form(&self) -> Result<(), Unusable> {
        let n_points = self.n_points();
        let classes = || self.classes.iter().zip(0_u32..).flat_map(|(class, at)| vec![at; class.size as usize]);
        let class_of: Vec<u32> = classes().collect();
        for generator in &self.generators {
            let mut taken = vec![false; n_points];
            let keeps = |(point, &image): (usize, &u32)| class_of.get(image as usize) == Some(&class_of[point]);
            let is_permutation = generator.images.len() == n_points
                && generator.images.iter().enumerate().all(keeps)
                && generator.images.iter().all(|&image| !std::mem::replace(&mut taken[image as usize], true));
            if !is_permutation {
                return Err(Unusable("a generator is not a permutation of identities".to_owned()));
            }
        }
        let is_apart =
            |cells: &[u32], one: usize| (0..one).all(|it| cells[it] != cells[one] || class_of[it] == class_of[one]);
        let is_partition = |cells: &Vec<u32>| cells.len() == n_points && (0..n_points).all(|one| is_apart(cells, one));
        if !self.partitions.iter().all(is_partition) {
            return Err(Unusable("a partition does not have a cell of one class for each identity".to_owned()));
        }
        let are_annotated = self.annotations.len() == if self.partitions.is_empty() { 0 } else { self.n_states() };
        let are_known = self.annotations.iter().all(|&partition| (partition as usize) < self.partitions.len());
        if !are_annotated || !are_known {
            return Err(Unusable("states are not annotated with the partitions listed".to_owned()));
        }
        if !self.partitions.is_empty() && !self.generators.is_empty() {
            return Err(Unusable("it has both generators and partitions".to_owned()));
        }
        Ok(())
    }
}

/// Whether values of a type may be identities.
fn is_identity(model: &Model, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::Bool | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) => true,
        Type::Int | Type::Union { .. } | Type::Array { .. } | Type::Record { .. } | Type::Multiset { .. } => false,
    }
}

/// Whether every scalar of a packed state has a value that its type admits, and multisets are in order.
fn is_state(model: &Model, layout: &Layout, state: &[u64]) -> bool {
    let mut values = vec![UNDEFINED; layout.slots().len()];
    layout.unpack(state, &mut values);
    let admits = |(slot, &value): (&burnside_ir::Slot, &i64)| match model.types.get(slot.ty) {
        Type::Multiset { .. } => value == UNDEFINED || value == 0,
        _ => value == UNDEFINED || model.types.shape(slot.ty).admits(value),
    };
    if !layout.slots().iter().zip(&values).all(admits) {
        return false;
    }
    let are_empty = layout.multisets().iter().all(|region| {
        let elements = &values[region.first as usize..][..(region.capacity * region.stride) as usize];
        elements.chunks(region.stride as usize).all(|it| it[0] == 0 || it.iter().all(|&value| value == UNDEFINED))
    });
    let mut packed = vec![0; state.len()];
    layout.normalise(&mut values);
    layout.pack(&values, &mut packed);
    are_empty && packed == state
}
