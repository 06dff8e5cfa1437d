//! What was found, in words and in JSON, for every user interface.
//!
//! [`check`] is all that a program needs that asks about a model and shows the answer. [`tell`] has words for steps,
//! changes, states, breaches and verdicts, [`itf`] reads and writes traces,
//! [`report`] makes the JSON report, [`compared`] tables and pages, [`annotate`] logs for other tools.
//! Everything goes from values to text: nothing is printed, and no file is opened.
//!
//! ```
//! use burnside_view::{Budget, Language, Settings, check};
//!
//! let text = "
//!     type Node: scalarset(3);
//!     var busy: array [Node] of boolean;
//!     startstate for n: Node do busy[n] := false; end; end;
//!     ruleset n: Node do
//!       rule \"enter\" !busy[n] ==> busy[n] := true; end;
//!       rule \"leave\" busy[n] ==> busy[n] := false; end;
//!     end;
//!     invariant \"alone\" forall a: Node do forall b: Node do busy[a] & busy[b] -> a = b end end;";
//! let answer = check("lock.m", text, &Settings::of(Language::Murphi), Budget::default())?;
//! println!("{}", answer.line); // violated: invariant "alone" of lock.m fails after 2 steps
//! for (number, step) in answer.trace.iter().enumerate() {
//!     println!("{number}. {}: {}", step.title, step.changes.join(", ")); // 1. rule "enter": busy[Node_1]: false → true
//! }
//! assert_eq!((answer.verdict.as_str(), answer.trace.len()), ("violated", 3));
//! assert_eq!(answer.trace[1].changes, ["busy[Node_1]: false → true"]);
//! # Ok::<(), String>(())
//! ```

pub mod annotate;
pub mod compared;
pub mod diagram;
mod facade;
pub mod itf;
pub mod layout;
pub mod quantity;
pub mod report;
pub mod tell;

pub use burnside_driver::{Language, Settings};
pub use burnside_engine::Budget;
pub use facade::{Answer, Told, check};

/// The version of Burnside.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A text within a page.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Who writes reports.
pub(crate) const TOOL: &str = "burnside";
