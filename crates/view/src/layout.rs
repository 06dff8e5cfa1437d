//! JSON for people and for `diff`: whatever fits a line takes one.

use std::fmt::Write as _;

use serde_json::Value;

const WIDTH: usize = 120;

/// The value as text, ending in a line break.
pub fn lines(json: &Value) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out.push('\n');
    out
}

fn write(json: &Value, indent: usize, out: &mut String) {
    let compact = json.to_string();
    let is_leaf = !json.is_object() && !json.is_array();
    if is_leaf || indent > 0 && indent + compact.len() <= WIDTH {
        *out += &compact;
        return;
    }
    match json {
        Value::Object(fields) => {
            let entries = fields.iter().map(|(key, value)| (Some(key), value));
            block(['{', '}'], entries, indent, out);
        }
        Value::Array(elements) => block(['[', ']'], elements.iter().map(|value| (None, value)), indent, out),
        _ => unreachable!("leaves are written at once"),
    }
}

fn block<'v>(
    [open, close]: [char; 2],
    entries: impl Iterator<Item = (Option<&'v String>, &'v Value)>,
    indent: usize,
    out: &mut String,
) {
    out.push(open);
    for (at, (key, value)) in entries.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(out, "{comma}\n{:width$}", "", width = indent + 2);
        if let Some(key) = key {
            let _ = write!(out, "{}: ", Value::from(key.as_str()));
        }
        write(value, indent + 2, out);
    }
    let _ = write!(out, "\n{:indent$}{close}", "");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_parts_take_one_line() {
        let long = "x".repeat(100);
        let value = json!({ "a": [1, 2], "b": { "c": long, "d": [true, null] } });
        let expected =
            format!("{{\n  \"a\": [1,2],\n  \"b\": {{\n    \"c\": \"{long}\",\n    \"d\": [true,null]\n  }}\n}}\n");
        assert_eq!(lines(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(&expected).ok(), Some(value));
    }
}
