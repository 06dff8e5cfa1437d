//! Whole models: variables, functions, start states, rules, properties.

use burnside_diag::Span;

use crate::{
    Automaton, Block, Claim, Domain, Expr, FunctionId, GlobalId, LocalId, Operand, Place, PropertyId, RuleId, StartId,
    TypeId, Types,
};

/// A checked system: what every engine works on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// Sorts and types.
    pub types: Types,
    /// The variables that make up a state.
    pub globals: Vec<Global>,
    /// Functions and procedures; a body may call any of them, itself included.
    pub functions: Vec<Function>,
    /// How executions begin.
    pub starts: Vec<StartState>,
    /// How they go on.
    pub rules: Vec<Rule>,
    /// What is claimed about them.
    pub properties: Vec<Property>,
    /// The formulas of the properties that speak of whole executions.
    pub claims: Vec<Claim>,
    /// The automata of the properties that have one.
    pub automata: Vec<Automaton>,
}

/// A variable of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type; never `Int`.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// The variables of one rule, start state, property or function, parameters among them. All start undefined.
pub type Locals = Vec<Local>;

/// A local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Its name; generated ones start with `$`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether it holds a value or stands for another place.
    pub mode: LocalMode,
    /// Where it is declared.
    pub span: Span,
}

/// What a local holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalMode {
    /// A value of its own.
    Owned,
    /// A reference to another place, set by a binder, a `Bind` statement or the caller.
    Reference,
    /// The name of an element of a multiset, whose type is the local's. It is set by going through that multiset and
    /// is no value: it leads to the element while the element is there, and to nothing else.
    Slot,
}

/// A function or procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Parameters first.
    pub locals: Locals,
    /// How many of `locals` are parameters. A reference parameter is passed by reference.
    pub n_params: u32,
    /// The type of the result; reaching the end without one is a fault.
    pub result: Option<TypeId>,
    /// What it does.
    pub body: Block,
    /// Where its heading stands.
    pub span: Span,
}

/// How an instance of a rule, start state or property comes about, evaluated in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binder {
    /// A parameter: one instance for each value of the domain.
    Param {
        /// The local that takes the value.
        local: LocalId,
        /// The values; may depend on earlier binders.
        domain: Domain,
    },
    /// A local that takes a snapshot of a value.
    Value {
        /// The local.
        local: LocalId,
        /// What it holds.
        source: Operand,
    },
    /// A reference local.
    Reference {
        /// The local.
        local: LocalId,
        /// What it refers to.
        place: Place,
    },
}

/// A start state, or a family of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartState {
    /// Its name.
    pub name: String,
    /// Its instances.
    pub binders: Vec<Binder>,
    /// Its variables.
    pub locals: Locals,
    /// How it sets the globals, which all start undefined.
    pub action: Block,
    /// Where it stands.
    pub span: Span,
}

/// A guarded command, or a family of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Its instances.
    pub binders: Vec<Binder>,
    /// Its variables.
    pub locals: Locals,
    /// When it may fire.
    pub guard: Expr,
    /// What it does, in one atomic step.
    pub action: Block,
    /// In a state, only enabled rules with the least number may fire.
    pub priority: i64,
    /// The processes that take the step, the one that moves by itself first; empty if the model does not say.
    pub owners: Vec<Owner>,
    /// Where it stands.
    pub span: Span,
}

/// A process that takes part in a step: what a global variable holds, or the element of it that a parameter names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Where processes of its kind are kept.
    pub global: GlobalId,
    /// Which of them, where there are several.
    pub member: Option<LocalId>,
}

/// A claim about the executions of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What kind of claim.
    pub kind: PropertyKind,
    /// Its instances. A cover means any of them, every other kind all of them.
    pub binders: Vec<Binder>,
    /// Its variables.
    pub locals: Locals,
    /// The condition on a state; `true` for a cover point.
    pub condition: Expr,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// Every reachable state satisfies the condition.
    Invariant,
    /// States that do not satisfy the condition are left out.
    Assumption,
    /// Some reachable state satisfies the condition.
    Cover,
    /// Some `Cover` statement that names this property is reached with a true condition.
    CoverPoint,
    /// From every reachable state one that satisfies the condition can be reached (AG EF).
    Liveness,
    /// States that satisfy the condition lie inside a step: they are passed through, and neither stored nor judged. A
    /// start state is never inside a step, nor is a state in which no rule is enabled.
    Passing,
    /// Where the condition is satisfied, an execution may end: the state is no deadlock.
    Ending,
    /// Every fair execution satisfies a formula of linear time, which is one of [`Model::claims`].
    Linear,
    /// Every start state satisfies a formula of branching time, which is one of [`Model::claims`].
    Branching,
    /// No fair execution is accepted by an automaton, which is one of [`Model::automata`].
    Never,
    /// The same, of the automaton that accepts what comes to certain states again and again.
    Acceptance,
    /// The same, of the automaton that accepts what keeps away from certain states for ever.
    NonProgress,
    /// A condition that formulas speak of; it claims nothing. Its parameters go through types.
    Proposition,
}

impl PropertyKind {
    /// Whether a property of this kind claims something. The others say what the model is.
    pub fn is_claim(self) -> bool {
        match self {
            Self::Invariant | Self::Cover | Self::CoverPoint | Self::Liveness => true,
            Self::Linear | Self::Branching | Self::Never | Self::Acceptance | Self::NonProgress => true,
            Self::Assumption | Self::Passing | Self::Ending | Self::Proposition => false,
        }
    }

    /// Whether it is a claim about executions, with a formula or an automaton.
    pub fn is_temporal(self) -> bool {
        self.has_formula() || self.has_automaton()
    }

    /// Whether it is a claim with a formula.
    pub fn has_formula(self) -> bool {
        matches!(self, Self::Linear | Self::Branching)
    }

    /// Whether it is a claim with an automaton.
    pub fn has_automaton(self) -> bool {
        matches!(self, Self::Never | Self::Acceptance | Self::NonProgress)
    }
}

impl Model {
    /// A global variable.
    pub fn global(&self, global: GlobalId) -> &Global {
        &self.globals[global.index()]
    }

    /// A function.
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function.index()]
    }

    /// A rule.
    pub fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.index()]
    }

    /// A start state.
    pub fn start(&self, start: StartId) -> &StartState {
        &self.starts[start.index()]
    }

    /// A property.
    pub fn property(&self, property: PropertyId) -> &Property {
        &self.properties[property.index()]
    }

    /// The formula of a temporal property.
    pub fn claim(&self, property: PropertyId) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.property == property)
    }

    /// The automaton of a property about executions that it must not accept.
    pub fn automaton(&self, property: PropertyId) -> Option<&Automaton> {
        self.automata.iter().find(|automaton| automaton.property == property)
    }

    /// The properties of one kind.
    pub fn properties_of(&self, kind: PropertyKind) -> impl Iterator<Item = PropertyId> {
        let ids = (0..).map(PropertyId);
        ids.zip(&self.properties).filter(move |(_, property)| property.kind == kind).map(|(id, _)| id)
    }

    /// Whether rules differ in priority, so that enabledness of one may depend on another.
    pub fn has_priorities(&self) -> bool {
        self.rules.windows(2).any(|pair| pair[0].priority != pair[1].priority)
    }
}

impl Binder {
    /// The local that this binder sets.
    pub fn local(&self) -> LocalId {
        match self {
            Self::Param { local, .. } | Self::Value { local, .. } | Self::Reference { local, .. } => *local,
        }
    }
}

/// The parameters among binders, in order.
pub fn params(binders: &[Binder]) -> impl Iterator<Item = LocalId> {
    binders.iter().filter_map(|binder| match binder {
        Binder::Param { local, .. } => Some(*local),
        _ => None,
    })
}
