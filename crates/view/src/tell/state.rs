//! A state in full, one line for each thing worth a line.

use std::fmt;

use burnside_ir::{GlobalId, Layout, Model, Value};

/// The variables of a state with their values.
pub fn variables(model: &Model, layout: &Layout, slots: &[i64]) -> Vec<(String, Value)> {
    let variable = |(at, global): (u32, &burnside_ir::Global)| {
        let first = layout.global(GlobalId(at)) as usize;
        let n_slots = model.types.shape(global.ty).n_slots as usize;
        (global.name.clone(), Value::read(&model.types, global.ty, &slots[first..first + n_slots]))
    };
    (0..).zip(&model.globals).map(variable).collect()
}

/// Lines such as `cache[NODE_1].state = I`. Equal elements of an array share a line, and everything that is undefined
/// is listed in the last one.
pub fn describe(variables: &[(String, Value)]) -> Vec<String> {
    let (mut lines, mut undefined) = (Vec::new(), Vec::new());
    for (name, value) in variables {
        describe_part(name, value, &mut lines, &mut undefined);
    }
    if !undefined.is_empty() {
        lines.push(format!("undefined: {}", undefined.join(", ")));
    }
    lines
}

fn describe_part(path: &str, value: &Value, lines: &mut Vec<String>, undefined: &mut Vec<String>) {
    if is_undefined(value) {
        undefined.push(path.to_owned());
        return;
    }
    match value {
        Value::Array(elements) => match uniform(elements) {
            Some(element) => describe_part(&span_of(path, elements), element, lines, undefined),
            None => {
                for (index, element) in elements {
                    describe_part(&format!("{path}[{index}]"), element, lines, undefined);
                }
            }
        },
        Value::Record(fields) => {
            for (name, field) in fields {
                describe_part(&format!("{path}.{name}"), field, lines, undefined);
            }
        }
        Value::Multiset(elements) if elements.is_empty() => lines.push(format!("{path} is empty")),
        Value::Multiset(elements) => {
            let counted = count_equal(elements);
            let counted = counted.iter().map(|(element, number)| match number {
                1 => Brief(element).to_string(),
                _ => format!("{number} × {}", Brief(element)),
            });
            lines.push(format!("{path} holds {}", counted.collect::<Vec<_>>().join(", ")));
        }
        scalar => lines.push(format!("{path} = {scalar}")),
    }
}

/// A value within a line: undefined fields of a record are left out.
pub(crate) struct Brief<'v>(pub &'v Value);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Record(fields) => {
                let defined = fields.iter().filter(|(_, field)| !is_undefined(field));
                let defined: Vec<String> = defined.map(|(name, field)| format!("{name}: {}", Brief(field))).collect();
                write!(f, "{{{}}}", defined.join(", "))
            }
            Value::Array(elements) => {
                let elements: Vec<String> =
                    elements.iter().map(|(index, element)| format!("{index}: {}", Brief(element))).collect();
                write!(f, "[{}]", elements.join(", "))
            }
            other => write!(f, "{other}"),
        }
    }
}

/// Whether nothing in a value is defined. An empty multiset is.
pub(crate) fn is_undefined(value: &Value) -> bool {
    match value {
        Value::Undefined => true,
        Value::Array(parts) | Value::Record(parts) => {
            !parts.is_empty() && parts.iter().all(|(_, part)| is_undefined(part))
        }
        Value::Bool(_) | Value::Int(_) | Value::Name(_) | Value::Multiset(_) => false,
    }
}

/// The value that all elements of an array have, if there are several.
pub(crate) fn uniform(elements: &[(String, Value)]) -> Option<&Value> {
    let (_, first) = elements.first()?;
    (elements.len() > 1 && elements.iter().all(|(_, element)| element == first)).then_some(first)
}

/// `cache[NODE_1..NODE_3]`: all elements of an array.
pub(crate) fn span_of(path: &str, elements: &[(String, Value)]) -> String {
    match (elements.first(), elements.last()) {
        (Some((first, _)), Some((last, _))) => format!("{path}[{first}..{last}]"),
        _ => path.to_owned(),
    }
}

/// Each different element with its number of occurrences, in ascending order.
pub(crate) fn count_equal(elements: &[Value]) -> Vec<(&Value, usize)> {
    let mut sorted: Vec<&Value> = elements.iter().collect();
    sorted.sort();
    sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Value {
        Value::Name(text.to_owned())
    }

    fn array(elements: &[(&str, Value)]) -> Value {
        Value::Array(elements.iter().map(|(index, value)| (index.to_string(), value.clone())).collect())
    }

    #[test]
    fn undefined_fields_are_left_out_of_a_line() {
        let record = Value::Record(vec![("a".into(), Value::Undefined), ("b".into(), name("I"))]);
        assert_eq!(Brief(&record).to_string(), "{b: I}");
        assert_eq!(Brief(&array(&[("1", record.clone())])).to_string(), "[1: {b: I}]");
    }

    #[test]
    fn equal_elements_share_a_line_and_undefined_ones_the_last() {
        let record = |state: Value| Value::Record(vec![("s".into(), state), ("d".into(), Value::Undefined)]);
        let variables = [
            ("a".to_owned(), array(&[("P_1", record(name("I"))), ("P_2", record(name("I")))])),
            ("b".to_owned(), array(&[("1", Value::Int(4)), ("2", Value::Int(5))])),
            ("c".to_owned(), record(Value::Undefined)),
            ("d".to_owned(), Value::Multiset(vec![])),
            ("e".to_owned(), Value::Multiset(vec![name("x"), name("y"), name("x")])),
        ];
        let expected = [
            "a[P_1..P_2].s = I",
            "b[1] = 4",
            "b[2] = 5",
            "d is empty",
            "e holds 2 × x, y",
            "undefined: a[P_1..P_2].d, c",
        ];
        assert_eq!(describe(&variables), expected);
    }
}
