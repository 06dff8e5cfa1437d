//! Certificates of `holds`, and a checker for them that shares nothing with the search.
//!
//! A [`Certificate`] lists states, permutations of identities, and the question that was answered. [`audit`] takes
//! nothing in it on trust: with the reference interpreter it evaluates every property in every listed state, follows
//! every step, and finds by a search of its own ([`canon`]) a listed state that the result is an image of. That the
//! permutations take steps to steps is tried on the listed states and on their images. What then is left to believe
//! are the front end, the verifier and the interpreter; [`Account`] says what was looked at. Neither native code nor
//! visited sets nor canonicalisers of a search are used, and there is no input or output here. Writing certificates is the
//! business of who has proved something, `burnside_driver::write_certificate`.

mod action;
mod canon;
mod certificate;
mod check;
mod finding;
mod format;
mod images;
mod members;

pub use certificate::{Certificate, Claim, Class, Deadlock, Digest, Generator, Unusable};
pub use check::{Account, Outcome, Scope, audit};
pub use finding::{Finding, Part, Rejection, Way};
pub use format::digest;
