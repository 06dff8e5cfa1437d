//! What a text is about: the identities, the variables it may use, and what was written so far.

use std::fmt::Write as _;

/// The types texts are written with. Each has one name, so that scenes can be put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    /// `boolean`
    Bool,
    /// `R`: a small range from 0
    Int,
    /// `N`: the identities
    Id,
    /// `E`: an enumeration
    Color,
    /// `U`: identities and a constant
    Union,
    /// `Rec`: a record of an identity `i`, a number `v`, a truth value `b`
    Rec,
    /// `Bools`: an array over identities
    Bools,
    /// `Ints`
    Ints,
    /// `Ids`
    Ids,
    /// `Recs`
    Recs,
    /// `Bag`: a multiset of identities
    Bag,
    /// `RBag`: a multiset of records
    RecBag,
}

impl Ty {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Int => "R",
            Self::Id => "N",
            Self::Color => "E",
            Self::Union => "U",
            Self::Rec => "Rec",
            Self::Bools => "Bools",
            Self::Ints => "Ints",
            Self::Ids => "Ids",
            Self::Recs => "Recs",
            Self::Bag => "Bag",
            Self::RecBag => "RBag",
        }
    }

    /// The type of the elements of an array or multiset.
    pub(super) fn element(self) -> Option<Self> {
        match self {
            Self::Bools => Some(Self::Bool),
            Self::Ints => Some(Self::Int),
            Self::Ids | Self::Bag => Some(Self::Id),
            Self::Recs | Self::RecBag => Some(Self::Rec),
            _ => None,
        }
    }

    pub(super) fn is_bag(self) -> bool {
        matches!(self, Self::Bag | Self::RecBag)
    }

    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Bool | Self::Int | Self::Id | Self::Color | Self::Union)
    }
}

/// The fields of `Rec`.
pub(super) const FIELDS: [(&str, Ty); 3] = [("i", Ty::Id), ("v", Ty::Int), ("b", Ty::Bool)];

/// A variable, parameter or alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) writable: bool,
    /// Whether reading it is no fault, as far as the generator knows.
    pub(super) defined: bool,
}

impl Var {
    pub(super) fn new(name: &str, ty: Ty, writable: bool, defined: bool) -> Self {
        Self { name: name.to_owned(), ty, writable, defined }
    }
}

/// What can be named in a place of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) vars: Vec<Var>,
    /// Names bound by `choose` and the like, with their multiset and its type.
    pub(super) slots: Vec<(String, String, Ty)>,
    /// Inside a function of this result.
    pub(super) result: Option<Option<Ty>>,
    /// Whether a loop is around; loops in loops take long.
    pub(super) in_loop: bool,
    /// Whether nothing may be written here: in guards, binders, properties, quantifiers, conditions on elements.
    pub(super) pure: bool,
}

impl Scope {
    pub(super) fn with(&self, var: Var) -> Self {
        let mut scope = self.clone();
        scope.vars.push(var);
        scope
    }

    /// The same where nothing may be written.
    pub(super) fn pure(&self) -> Self {
        Self { pure: true, ..self.clone() }
    }

    pub(super) fn with_slot(&self, slot: &str, bag: &Var) -> Self {
        let mut scope = self.clone();
        scope.slots.push((slot.to_owned(), bag.name.clone(), bag.ty));
        scope
    }
}

/// What the identities are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identities {
    Scalarset,
    /// With `next` and `prev`.
    Ringset,
    Range,
    Enumeration,
}

/// A function or procedure.
#[derive(Debug, Clone)]
pub(super) struct Routine {
    pub(super) name: String,
    /// Types, and whether `var` stands before them.
    pub(super) parameters: Vec<(Ty, bool)>,
    pub(super) result: Option<Ty>,
    /// Whether it may write globals.
    pub(super) effect: bool,
}

/// Everything written so far.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rng: fastrand::Rng,
    pub(super) identities: Identities,
    /// How many identities there are.
    pub(super) size: u32,
    /// `R` is `0..top`.
    pub(super) top: u32,
    /// How many elements a multiset holds.
    pub(super) capacity: u32,
    pub(super) globals: Vec<Var>,
    /// Declarations of types that a scene brings along.
    pub(super) own_types: Vec<String>,
    /// Declarations of variables that a scene brings along, outside the vocabulary.
    pub(super) own_globals: Vec<String>,
    pub(super) routines: Vec<Routine>,
    /// The texts of functions and procedures.
    pub(super) routine_texts: Vec<String>,
    /// Statements at the end of start states.
    pub(super) start: String,
    pub(super) rules: Vec<String>,
    pub(super) properties: Vec<String>,
    /// What stands behind `-- torture:`.
    pub(super) marks: Vec<String>,
    /// Whether calls that write may stand in any expression.
    pub(super) effects_anywhere: bool,
    /// Whether the answer is known, so that nothing may be added.
    pub(super) sealed: bool,
    fresh: u32,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let identities = match rng.u32(0..20) {
            0..13 => Identities::Scalarset,
            13..15 => Identities::Ringset,
            15..18 => Identities::Range,
            _ => Identities::Enumeration,
        };
        // Two members of a ring are a set.
        let size = if identities == Identities::Ringset || rng.u32(0..4) == 0 { 3 } else { 2 };
        let top = rng.u32(1..4);
        Self {
            rng,
            identities,
            size,
            top,
            capacity: size,
            globals: Vec::new(),
            own_types: Vec::new(),
            own_globals: Vec::new(),
            routines: Vec::new(),
            routine_texts: Vec::new(),
            start: String::new(),
            rules: Vec::new(),
            properties: Vec::new(),
            marks: Vec::new(),
            effects_anywhere: false,
            sealed: false,
            fresh: 0,
        }
    }

    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    pub(super) fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.rng.usize(0..texts.len())]
    }

    pub(super) fn choice<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.rng.usize(0..from.len())].clone()) }
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// Makes sure that a variable of the vocabulary exists, and returns its name.
    pub(super) fn need(&mut self, name: &'static str) -> &'static str {
        if !self.globals.iter().any(|it| it.name == name) {
            let (ty, defined) = match name {
                "go" | "d" => (Ty::Bool, true),
                "x" | "y" => (Ty::Id, false),
                "c" | "k" => (Ty::Int, true),
                "e" => (Ty::Color, true),
                "u" => (Ty::Union, true),
                "r" => (Ty::Rec, true),
                "a" | "b" => (Ty::Bools, true),
                "q" => (Ty::Ints, true),
                "p" => (Ty::Ids, true),
                "s" => (Ty::Recs, true),
                "m" | "w" => (Ty::Bag, true),
                "h" => (Ty::RecBag, true),
                other => unreachable!("`{other}` is not in the vocabulary"),
            };
            self.globals.push(Var::new(name, ty, true, defined));
        }
        name
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.globals.iter().any(|it| it.name == name)
    }

    /// The globals and nothing else.
    pub(super) fn global_scope(&self) -> Scope {
        Scope { vars: self.globals.clone(), ..Scope::default() }
    }

    /// Whether no scene was played before.
    pub(super) fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.rules.is_empty() && self.routine_texts.is_empty()
    }

    pub(super) fn mark(&mut self, text: &str) {
        self.marks.push(text.to_owned());
    }

    /// Adds a rule that stands for itself.
    pub(super) fn rule(&mut self, guard: &str, body: &str) {
        let name = self.fresh("r");
        self.rules.push(format!("rule \"{name}\" {guard} ==> begin {body} end;"));
    }

    /// Adds a property of a kind.
    pub(super) fn property(&mut self, kind: &str, condition: &str) {
        let name = self.fresh("i");
        self.properties.push(format!("{kind} \"{name}\" {condition};"));
    }

    /// A constant identity, where the language has one.
    pub(super) fn constant_identity(&mut self) -> String {
        let number = self.rng.u32(0..self.size);
        match self.identities {
            Identities::Scalarset | Identities::Ringset => format!("{}", number + 1),
            Identities::Range => format!("{number}"),
            Identities::Enumeration => format!("n{number}"),
        }
    }

    /// The declaration of the identities.
    pub(super) fn identity_type(&self) -> String {
        match self.identities {
            Identities::Scalarset => format!("scalarset({})", self.size),
            Identities::Ringset => format!("ringset({})", self.size),
            Identities::Range => format!("0..{}", self.size - 1),
            Identities::Enumeration => {
                let mut members = String::new();
                for number in 0..self.size {
                    let _ = write!(members, "{}n{number}", if number == 0 { "" } else { ", " });
                }
                format!("enum {{{members}}}")
            }
        }
    }
}
