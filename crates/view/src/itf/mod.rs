//! Traces in the Informal Trace Format (ITF), <https://apalache-mc.org/docs/adr/015adr-trace.html>.
//!
//! Records are objects, arrays are maps from index to element, multisets are maps from element to number of
//! occurrences, undefined is `{"#unserializable": "undefined"}`. What ITF leaves to tools is in `#meta`: the name and
//! the parameters of what led to a state, and `fault` where a step ended in one (its state then is the one before).

mod read;
mod write;

pub use read::{Recording, read, violated};
pub use write::{Subject, state, write};

const UNDEFINED_TEXT: &str = "undefined";
/// Integers beyond this are written as `{"#bigint": "…"}`: not every reader keeps them apart as numbers.
const MAX_PLAIN_INTEGER: i64 = (1 << 53) - 1;
