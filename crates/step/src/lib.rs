//! What follows a state, and what is wrong in it: the layer between whatever executes rules and whoever searches.
//!
//! A [`Question`] says which properties and deadlocks count. A [`Stepper`] fires rules and evaluates conditions in packed
//! states, by native code or by the interpreter; [`Successors`] puts steps together where some states are only passed
//! through. [`Judge`] knows what a condition's value means for a state, [`DeadlockMode`] what a step means for a deadlock.
//! `blame` says the same in words, by the reference interpreter. [`Exploration`] meets the first states of a model.
//! There is no search here, no symmetry and no store.

mod blame;
mod exploration;
mod interpreted;
mod judge;
mod native;
mod passage;
mod question;
mod stepper;
mod successors;
mod trace;

pub use blame::{Breach, faulty_start, is_deadlock};
pub use exploration::{Exploration, Faulted};
pub use interpreted::Interpreted;
pub use judge::{Inspection, Judge, Opinion, Watched};
pub use native::{Code, Native, Stacks};
pub use question::{DeadlockMode, FairUnit, Fairness, Question};
pub use stepper::{AnyStepper, Stepper};
pub use successors::Successors;
pub use trace::{Step, Trace};
