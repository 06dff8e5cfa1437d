//! Indices into the tables of a [`Model`](crate::Model), one type per table so that they cannot be confused.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A sort: a set of identities.
    SortId,
    /// A type.
    TypeId,
    /// A global variable.
    GlobalId,
    /// A local variable or parameter of one rule, start state, property or function.
    LocalId,
    /// A function or procedure.
    FunctionId,
    /// A rule.
    RuleId,
    /// A start state.
    StartId,
    /// A property.
    PropertyId,
}

impl TypeId {
    /// Every model's boolean type.
    pub const BOOL: Self = Self(0);
    /// Every model's type of intermediate integers; only locals and expressions have it.
    pub const INT: Self = Self(1);
}
