//! Room for recursion: front ends, verifier and interpreter descend as deep as the model's text and calls are nested.

use std::any::Any;
use std::thread::{Scope, ScopedJoinHandle};
use std::{fmt, io, thread};

use burnside_interp::STACK_BYTES;

use crate::machine::address_limit;

/// The share of limited addresses that one large stack may take: there are two at a time.
const SHARE: u64 = 5;

/// Why there is no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum StackFailure {
    /// The thread could not be started.
    Spawn(io::Error),
    /// The closure panicked: our bug. The panic hook has said where.
    Panicked(Box<dyn Any + Send>),
}

impl fmt::Display for StackFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(error) => {
                write!(f, "cannot start a thread with a stack of {} MB: {error}", stack_bytes() >> 20)
            }
            Self::Panicked(_) => write!(f, "the work ended in a panic"),
        }
    }
}

/// How large a stack is: what the deepest calls take, or less where addresses are scarce. There, a model that nests
/// calls very deep may end the process, which is no verdict.
fn stack_bytes() -> usize {
    let share = address_limit().and_then(|limit| usize::try_from(limit / SHARE).ok());
    share.map_or(STACK_BYTES, |share| share.min(STACK_BYTES))
}

/// Runs `work` on a thread of its own with a large stack and waits for it.
pub fn on_large_stack<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, StackFailure> {
    thread::scope(|scope| spawn_large(scope, work)?.join().map_err(StackFailure::Panicked))
}

/// Starts `work` on a thread with a large stack.
pub(crate) fn spawn_large<'s, R: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> R + Send + 's,
) -> Result<ScopedJoinHandle<'s, R>, StackFailure> {
    let builder = thread::Builder::new().name("burnside".to_owned()).stack_size(stack_bytes());
    builder.spawn_scoped(scope, work).map_err(StackFailure::Spawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_to(n: u64) -> u64 {
        let frame = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { frame[0] + sum_to(n - 1) }
    }

    #[test]
    fn deep_recursion_has_room() {
        assert_eq!(on_large_stack(|| sum_to(100_000)).expect("runs"), 5_000_050_000);
    }

    #[test]
    fn a_panic_is_reported() {
        assert!(matches!(on_large_stack(|| panic!("on purpose")), Err::<(), _>(StackFailure::Panicked(_))));
    }
}
