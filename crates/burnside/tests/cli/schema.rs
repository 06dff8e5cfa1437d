//! As much of JSON Schema (2020-12) as the published schema uses.

use serde_json::Value;

/// Where a value does not follow a schema.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, value, "", &mut found);
    found
}

struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" => {}
                "$ref" => {
                    let target = rule.as_str().and_then(|it| it.strip_prefix('#')).expect("a reference within");
                    self.check(self.root.pointer(target).expect("it exists"), value, path, found);
                }
                "anyOf" => {
                    let fits = |schema: &Value| {
                        let mut found = Vec::new();
                        self.check(schema, value, path, &mut found);
                        found.is_empty()
                    };
                    if !rule.as_array().expect("a list").iter().any(fits) {
                        found.push(format!("{path}: {value} fits no alternative"));
                    }
                }
                "type" if !has_type(rule, value) => found.push(format!("{path}: {value} is no {rule}")),
                "const" if rule != value => found.push(format!("{path}: {value} is not {rule}")),
                "enum" if !rule.as_array().expect("a list").contains(value) => {
                    found.push(format!("{path}: {value} is none of {rule}"));
                }
                "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => {
                    found.push(format!("{path}: {value} is too small"))
                }
                "required" => {
                    let keys = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                    found.extend(
                        keys.filter(|key| value.get(key).is_none()).map(|key| format!("{path}: {key} is missing")),
                    );
                }
                "properties" | "additionalProperties" => self.check_properties(schema, value, path, found, keyword),
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{path}/{at}"), found);
                    }
                }
                "type" | "const" | "enum" | "minimum" => {}
                other => panic!("the validator does not know the keyword {other}"),
            }
        }
    }

    fn check_properties(&self, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>, keyword: &str) {
        for (key, part) in value.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            let declared = schema.get("properties").and_then(|properties| properties.get(key));
            match (keyword, declared, &schema["additionalProperties"]) {
                ("properties", Some(schema), _) => self.check(schema, part, &path, found),
                ("additionalProperties", None, Value::Bool(false)) => found.push(format!("{path} is not declared")),
                ("additionalProperties", None, rest @ Value::Object(_)) => self.check(rest, part, &path, found),
                _ => {}
            }
        }
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the validator does not know the type {other}"),
    };
    match rule {
        Value::String(name) => is(name),
        names => names.as_array().expect("a list").iter().filter_map(Value::as_str).any(is),
    }
}
