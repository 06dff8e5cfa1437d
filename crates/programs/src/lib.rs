//! Testing programs that exist: C, C++ and anything else that calls the C library.
//!
//! `burnside run -- ./program args` starts the program with a library of ours in
//! front of the C library ([`install_runtime`] writes it out, for linking), which
//! executes it once for every plan it is sent ([`Process`]). The core's explorers
//! decide on the plans; [`search`] carries messages between the two, finds out
//! which threads are interchangeable, and turns what was found into names and
//! source lines. Arguments, files and printing are the shell's.

mod atomics;
mod executor;
mod inspect;
mod presentation;
mod process;
mod runtime;
mod saved;
mod search;
mod symbols;
mod symmetry;
mod told;

pub use executor::{ExecutorChoice, choose};
pub use presentation::{headline, html, json as report, stacks_text as stacks, text as describe};
pub use process::{Failed, Limits, Output, Process, Target};
pub use runtime::install as install_runtime;
pub use saved::{Begun, SavedError, read as read_search, write as write_search};
pub use search::{Conclusion, Config, Details, Error, Periodic, go_on, replay, search};
pub use symbols::{Frame, Symbols};
pub use symmetry::{SymmetryError, SymmetryOption};
