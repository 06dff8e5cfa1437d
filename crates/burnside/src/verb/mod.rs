//! What can be done.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod program;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod simulate;
pub(crate) mod step;
pub(crate) mod symmetry;
pub(crate) mod test;
