//! Classes of traps, and how often each is written.

/// What a text is built around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A quantifier whose body writes.
    QuantifierEffect,
    /// The condition of `MultisetCount` or `MultisetRemovePred` writes.
    PredicateEffect,
    /// The condition of `MultisetRemovePred` reads the multiset it empties.
    PredicateSelf,
    /// A part of a guard or condition writes what a later part reads.
    GuardEffect,
    /// An alias around a rule, start state or property writes.
    BinderEffect,
    /// A property writes.
    PropertyEffect,
    /// A call that writes in any other place: indices, bounds, arguments, right-hand sides.
    CallEffect,
    /// A slot of one multiset used in another.
    SlotForeign,
    /// A slot stored, passed, compared or returned.
    SlotEscape,
    /// A slot used after its element was removed.
    SlotReuse,
    /// An alias of an element that is removed.
    RemovedAlias,
    /// `var` parameters that stand for globals, locals and elements, and for the same.
    VarParameter,
    /// An alias, `choose` or assumption that faults where the guard is false.
    BinderFault,
    /// `assume` in functions and procedures.
    AssumeInFunction,
    /// Copies of undefined values.
    UndefinedCopy,
    /// Liveness, covers and assumptions that fault in some states.
    PropertyFault,
    /// `while` loops near the loop limit.
    LoopLimit,
    /// Loops over identities whose rounds meet each other.
    LoopOrder,
    /// Emptying and undefining in rounds of a loop.
    UndefineOrder,
    /// Arithmetic at the edge of 64 bits.
    Arithmetic,
    /// Functions that call themselves.
    Recursion,
    /// Rules with priorities.
    Priority,
    /// Unions and their members.
    Union,
    /// Rules that treat nearly all identities alike.
    NearSymmetry,
    /// Records and arrays compared and copied.
    Aggregate,
    /// Nothing in particular.
    Wild,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 26] = [
        Self::QuantifierEffect,
        Self::PredicateEffect,
        Self::PredicateSelf,
        Self::GuardEffect,
        Self::BinderEffect,
        Self::PropertyEffect,
        Self::CallEffect,
        Self::SlotForeign,
        Self::SlotEscape,
        Self::SlotReuse,
        Self::RemovedAlias,
        Self::VarParameter,
        Self::BinderFault,
        Self::AssumeInFunction,
        Self::UndefinedCopy,
        Self::PropertyFault,
        Self::LoopLimit,
        Self::LoopOrder,
        Self::UndefineOrder,
        Self::Arithmetic,
        Self::Recursion,
        Self::Priority,
        Self::Union,
        Self::NearSymmetry,
        Self::Aggregate,
        Self::Wild,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::QuantifierEffect => "quantifier-effect",
            Self::PredicateEffect => "predicate-effect",
            Self::PredicateSelf => "predicate-self",
            Self::GuardEffect => "guard-effect",
            Self::BinderEffect => "binder-effect",
            Self::PropertyEffect => "property-effect",
            Self::CallEffect => "call-effect",
            Self::SlotForeign => "slot-foreign",
            Self::SlotEscape => "slot-escape",
            Self::SlotReuse => "slot-reuse",
            Self::RemovedAlias => "removed-alias",
            Self::VarParameter => "var-parameter",
            Self::BinderFault => "binder-fault",
            Self::AssumeInFunction => "assume-in-function",
            Self::UndefinedCopy => "undefined-copy",
            Self::PropertyFault => "property-fault",
            Self::LoopLimit => "loop-limit",
            Self::LoopOrder => "loop-order",
            Self::UndefineOrder => "undefine-order",
            Self::Arithmetic => "arithmetic",
            Self::Recursion => "recursion",
            Self::Priority => "priority",
            Self::Union => "union",
            Self::NearSymmetry => "near-symmetry",
            Self::Aggregate => "aggregate",
            Self::Wild => "wild",
        }
    }

    /// The class of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// How often it is written unless told otherwise. Classes most of whose texts are refused get less.
    fn weight(self) -> u32 {
        match self {
            Self::Wild => 12,
            Self::LoopOrder | Self::NearSymmetry | Self::VarParameter | Self::CallEffect => 8,
            Self::LoopLimit => 1,
            Self::QuantifierEffect | Self::PredicateEffect | Self::GuardEffect => 1,
            Self::BinderEffect | Self::PropertyEffect => 1,
            _ => 4,
        }
    }
}

/// How often each class is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knobs {
    /// In the order of [`Class::ALL`].
    weights: [u32; Class::ALL.len()],
}

impl Default for Knobs {
    fn default() -> Self {
        Self { weights: Class::ALL.map(Class::weight) }
    }
}

impl Knobs {
    /// Nothing but one class.
    pub fn only(class: Class) -> Self {
        Self { weights: Class::ALL.map(|it| u32::from(it == class)) }
    }

    /// The same with another weight for a class; weights of 0 leave it out.
    #[must_use]
    pub fn with(mut self, class: Class, weight: u32) -> Self {
        self.weights[class as usize] = weight;
        self
    }

    pub(super) fn choose(&self, rng: &mut fastrand::Rng) -> Class {
        let total: u32 = self.weights.iter().sum();
        let mut left = rng.u32(0..total.max(1));
        for (class, &weight) in Class::ALL.into_iter().zip(&self.weights) {
            if left < weight {
                return class;
            }
            left -= weight;
        }
        Class::Wild
    }
}
