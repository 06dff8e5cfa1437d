//! From JSON to a recorded execution.

use burnside_driver::Recorded;
use burnside_engine::Task;
use burnside_ir::{GlobalId, Type, TypeId, Types, UNDEFINED};
use serde_json::{Map, Value};

use crate::itf::{UNDEFINED_TEXT, write};

/// A trace as it stands in a file.
pub struct Recording {
    /// The start state and all steps.
    pub steps: Vec<Recorded>,
    /// Kind and name of what is said to be violated at the end.
    pub violates: Option<(String, String)>,
    /// The number of the state that comes again at the end, if one does.
    pub loop_start: Option<usize>,
}

/// Reads an ITF trace, or a report with one, as an execution of the task's model. The error says what is wrong.
pub fn read(task: &Task<'_>, text: &str) -> Result<Recording, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let trace = match json.get("trace") {
        Some(Value::Null) => return Err("the report holds no trace".to_owned()),
        Some(trace) => trace,
        None => &json,
    };
    let states = trace.get("states").and_then(Value::as_array).ok_or("it has no list `states`")?;
    let steps = states
        .iter()
        .enumerate()
        .map(|(at, state)| read_state(task, state).map_err(|problem| format!("state {at}: {problem}")));
    let violates = violates(trace);
    let steps: Vec<Recorded> = steps.collect::<Result<_, _>>()?;
    let loop_start = loop_start(trace, &steps)?;
    Ok(Recording { steps, violates, loop_start })
}

/// Kind and name of what a trace, or a report with one, is said to violate.
pub fn violated(text: &str) -> Option<(String, String)> {
    let json: Value = serde_json::from_str(text).ok()?;
    violates(json.get("trace").unwrap_or(&json))
}

fn violates(trace: &Value) -> Option<(String, String)> {
    let violates = trace.pointer("/#meta/violates")?;
    let text = |key| violates.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text("kind")?, text("name")?))
}

/// Which state comes again at the end. Traces of other tools tell which one follows the last.
fn loop_start(trace: &Value, steps: &[Recorded]) -> Result<Option<usize>, String> {
    if let Some(start) = trace.pointer("/#meta/loop_start").and_then(Value::as_u64) {
        return Ok(Some(start as usize));
    }
    let Some(next) = trace.get("loop").and_then(Value::as_u64) else { return Ok(None) };
    let (next, last) = (next as usize, steps.last().and_then(|step| step.state.as_ref()));
    let is_last = |at: usize| steps.get(at).is_some_and(|step| step.state.as_ref() == last);
    match next.checked_sub(1) {
        Some(before) if is_last(before) && before + 1 < steps.len() => Ok(Some(before)),
        _ if is_last(next) => Ok(Some(next)),
        _ => Err(format!("the loop to state {next} is not closed: its first state does not come again at the end")),
    }
}

fn read_state(task: &Task<'_>, json: &Value) -> Result<Recorded, String> {
    let object = json.as_object().ok_or("it is not an object")?;
    let meta = |key| object.get("#meta").and_then(|meta| meta.get(key));
    let action = meta("action").and_then(Value::as_str).map(str::to_owned);
    let parameters = meta("parameters")
        .and_then(Value::as_object)
        .map(|parameters| parameters.iter().map(|(name, value)| (name.clone(), parameter(value))).collect());
    let state = if meta("fault").is_some() { None } else { Some(read_slots(task, object)?) };
    Ok(Recorded { action, parameters, state })
}

fn read_slots(task: &Task<'_>, object: &Map<String, Value>) -> Result<Vec<i64>, String> {
    let mut slots = vec![UNDEFINED; task.layout.slots().len()];
    for (at, global) in (0..).zip(&task.model.globals) {
        let json = object.get(&global.name).ok_or_else(|| format!("variable `{}` is missing", global.name))?;
        let first = task.layout.global(GlobalId(at)) as usize;
        read_value(&task.model.types, global.ty, json, &mut slots[first..])
            .map_err(|problem| format!("{}{problem}", global.name))?;
    }
    task.layout.normalise(&mut slots);
    Ok(slots)
}

/// Reads a value into its slots. An error begins with the way from the whole to the part that is wrong.
fn read_value(types: &Types, ty: TypeId, json: &Value, slots: &mut [i64]) -> Result<(), String> {
    match types.get(ty) {
        &Type::Array { index, element } => {
            let stride = types.shape(element).n_slots as usize;
            let shape = types.shape(index);
            for (at, value) in (shape.lo..=shape.hi).enumerate() {
                let key = write::scalar(types, index, value);
                let name = types.value_name(index, value);
                let entry = entries(json)?.iter().find(|entry| entry.get(0) == Some(&key));
                let entry = entry.and_then(|entry| entry.get(1)).ok_or_else(|| format!("[{name}] is missing"))?;
                read_value(types, element, entry, &mut slots[at * stride..])
                    .map_err(|problem| format!("[{name}]{problem}"))?;
            }
            Ok(())
        }
        Type::Record { fields } => {
            let mut at = 0;
            for field in fields {
                let part = json.get(&field.name).ok_or_else(|| format!(".{} is missing", field.name))?;
                read_value(types, field.ty, part, &mut slots[at..])
                    .map_err(|problem| format!(".{}{problem}", field.name))?;
                at += types.shape(field.ty).n_slots as usize;
            }
            Ok(())
        }
        &Type::Multiset { capacity, element } => read_multiset(types, capacity, element, json, slots),
        _ => {
            slots[0] = read_scalar(types, ty, json)?;
            Ok(())
        }
    }
}

fn read_multiset(types: &Types, capacity: u32, element: TypeId, json: &Value, slots: &mut [i64]) -> Result<(), String> {
    let stride = types.shape(element).n_slots as usize + 1;
    let mut free = slots.chunks_mut(stride).take(capacity as usize);
    for entry in entries(json)? {
        let (Some(part), Some(number)) = (entry.get(0), entry.get(1).and_then(Value::as_u64)) else {
            return Err(" is not a map from elements to numbers".to_owned());
        };
        for _ in 0..number {
            let slots = free.next().ok_or_else(|| format!(" has more than {capacity} elements"))?;
            slots[0] = 0;
            read_value(types, element, part, &mut slots[1..]).map_err(|problem| format!("{{…}}{problem}"))?;
        }
    }
    Ok(())
}

fn read_scalar(types: &Types, ty: TypeId, json: &Value) -> Result<i64, String> {
    let shape = types.shape(ty);
    let value = match (types.get(ty), json) {
        (_, Value::Object(object)) if object.get("#unserializable").and_then(Value::as_str) == Some(UNDEFINED_TEXT) => {
            return Ok(UNDEFINED);
        }
        (Type::Bool, Value::Bool(value)) => Some(i64::from(*value)),
        (Type::Range { .. } | Type::Int, Value::Number(number)) => number.as_i64(),
        (Type::Range { .. } | Type::Int, Value::Object(object)) => {
            object.get("#bigint").and_then(Value::as_str).and_then(|digits| digits.parse().ok())
        }
        (Type::Enum { .. } | Type::Id(_) | Type::Union { .. }, Value::String(name)) => {
            (shape.lo..=shape.hi).find(|&value| types.value_name(ty, value) == *name)
        }
        _ => None,
    };
    match value {
        Some(value) if shape.admits(value) => Ok(value),
        _ => Err(format!(" has the value {json}, which is not of type {}", types.type_name(ty))),
    }
}

fn entries(json: &Value) -> Result<&Vec<Value>, String> {
    json.get("#map").and_then(Value::as_array).ok_or_else(|| " is not a `#map`".to_owned())
}

/// A parameter in the words in which values are named.
fn parameter(json: &Value) -> String {
    match json {
        Value::String(text) => text.clone(),
        Value::Object(object) if object.contains_key("#bigint") => {
            object["#bigint"].as_str().unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    }
}
