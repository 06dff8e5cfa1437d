//! Explicit-state search: visits reachable states one by one and remembers them.
//!
//! One loop (`search`) over three replaceable parts: [`Successors`](successors::Successors) computes what follows a
//! state, a [`Frontier`](frontier::Frontier) decides what comes next, the visited set (`visited`) remembers. Whatever
//! goes wrong is only noticed in the loop; `explain` then asks the interpreter what it was and how to get there.

mod explain;
mod frontier;
mod liveness;
mod search;
mod successors;
mod visited;

pub use search::Explicit;
