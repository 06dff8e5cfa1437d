//! What differs between two states.

use std::cmp::Ordering;

use burnside_diag::Palette;
use burnside_ir::{Layout, Model, Value};

use crate::tell::state::{Brief, is_undefined, span_of, uniform, variables};

/// One difference.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// A variable or a part of one has another value.
    Set {
        /// Which: `cache[NODE_1].state`.
        path: String,
        /// The value it had.
        before: Value,
        /// The value it has.
        after: Value,
    },
    /// A multiset has an element less.
    Removed {
        /// Which multiset.
        path: String,
        /// The element that went.
        element: Value,
    },
    /// A multiset has an element more.
    Added {
        /// Which multiset.
        path: String,
        /// The element that came.
        element: Value,
    },
}

/// The differences between two states, in the order of variables.
pub fn changes(model: &Model, layout: &Layout, before: &[i64], after: &[i64]) -> Vec<Change> {
    let mut out = Vec::new();
    let (before, after) = (variables(model, layout, before), variables(model, layout, after));
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        compare(name, before, after, &mut out);
    }
    out
}

/// The differences as `path: the model has 1, the trace has 2`.
pub fn difference(change: &Change) -> String {
    match change {
        Change::Set { path, before, after } => {
            format!("{path}: the model has {}, the trace {}", Brief(before), Brief(after))
        }
        Change::Removed { path, element } => format!("{path}: the model has {}, the trace does not", Brief(element)),
        Change::Added { path, element } => format!("{path}: the trace has {}, the model does not", Brief(element)),
    }
}

impl Change {
    /// A line such as `cache[NODE_1].state: I → S`.
    pub fn line(&self, palette: Palette) -> String {
        let (old, new) =
            (|value| palette.dim(&Brief(value).to_string()), |value| palette.bold(&Brief(value).to_string()));
        match self {
            Self::Set { path, before, after } => format!("{path}: {} → {}", old(before), new(after)),
            Self::Removed { path, element } => format!("{path}: − {}", old(element)),
            Self::Added { path, element } => format!("{path}: + {}", new(element)),
        }
    }
}

fn compare(path: &str, before: &Value, after: &Value, out: &mut Vec<Change>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Value::Array(old), Value::Array(new)) => match (uniform(old), uniform(new)) {
            (Some(old_element), Some(new_element)) => compare(&span_of(path, new), old_element, new_element, out),
            _ => {
                for ((index, old), (_, new)) in old.iter().zip(new) {
                    compare(&format!("{path}[{index}]"), old, new, out);
                }
            }
        },
        (Value::Record(old), Value::Record(new)) if !is_undefined(before) && !is_undefined(after) => {
            for ((name, old), (_, new)) in old.iter().zip(new) {
                compare(&format!("{path}.{name}"), old, new, out);
            }
        }
        (Value::Multiset(old), Value::Multiset(new)) => compare_elements(path, old, new, out),
        _ => out.push(set(path, before, after)),
    }
}

/// A whole that comes to be, or ceases to be, defined is one change; its undefined side needs no structure.
fn set(path: &str, before: &Value, after: &Value) -> Change {
    let brief = |value: &Value| if is_undefined(value) { Value::Undefined } else { value.clone() };
    Change::Set { path: path.to_owned(), before: brief(before), after: brief(after) }
}

/// Elements that went, then elements that came.
fn compare_elements(path: &str, before: &[Value], after: &[Value], out: &mut Vec<Change>) {
    let sorted = |elements: &[Value]| {
        let mut elements = elements.to_vec();
        elements.sort();
        elements
    };
    let (before, after) = (sorted(before), sorted(after));
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.cmp(new),
        };
        match order {
            Ordering::Less => removed.extend(old.next().cloned()),
            Ordering::Greater => added.extend(new.next().cloned()),
            Ordering::Equal => {
                old.next();
                new.next();
            }
        }
    }
    let path = || path.to_owned();
    out.extend(removed.into_iter().map(|element| Change::Removed { path: path(), element }));
    out.extend(added.into_iter().map(|element| Change::Added { path: path(), element }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(before: Value, after: Value) -> Vec<String> {
        let mut out = Vec::new();
        compare("x", &before, &after, &mut out);
        out.iter().map(|change| change.line(Palette::Plain)).collect()
    }

    fn record(fields: &[(&str, Value)]) -> Value {
        Value::Record(fields.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
    }

    #[test]
    fn only_the_changed_field_is_told() {
        let before = record(&[("a", Value::Int(1)), ("b", Value::Bool(true))]);
        let after = record(&[("a", Value::Int(2)), ("b", Value::Bool(true))]);
        assert_eq!(lines(before, after), ["x.a: 1 → 2"]);
    }

    #[test]
    fn a_whole_that_becomes_undefined_is_one_change() {
        let before = record(&[("a", Value::Int(1)), ("b", Value::Bool(true))]);
        let after = record(&[("a", Value::Undefined), ("b", Value::Undefined)]);
        assert_eq!(lines(before, after), ["x: {a: 1, b: true} → undefined"]);
    }

    #[test]
    fn an_array_that_changes_everywhere_takes_one_line() {
        let array = |value: i64| Value::Array((0..3).map(|at| (at.to_string(), Value::Int(value))).collect());
        assert_eq!(lines(array(0), array(1)), ["x[0..2]: 0 → 1"]);
    }

    #[test]
    fn multisets_change_by_elements() {
        let bag = |elements: &[i64]| Value::Multiset(elements.iter().map(|&it| Value::Int(it)).collect());
        assert_eq!(lines(bag(&[1, 1, 2]), bag(&[1, 3])), ["x: − 1", "x: − 2", "x: + 3"]);
    }
}
