//! What can be done.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod symmetry;
pub(crate) mod test;
