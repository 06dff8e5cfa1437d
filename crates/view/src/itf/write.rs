//! From a trace to JSON.

use burnside_engine::{Step, Task, Trace};
use burnside_ir::{GlobalId, Type, TypeId, Types, UNDEFINED};
use serde_json::{Map, Value, json};

use crate::itf::{MAX_PLAIN_INTEGER, UNDEFINED_TEXT};
use crate::tell::{Instance, Named};

/// What a trace is a trace of.
pub struct Subject<'a> {
    /// The question that the trace answers.
    pub task: &'a Task<'a>,
    /// The model's name.
    pub model: &'a str,
    /// What is violated at the end.
    pub violates: Option<&'a Named>,
}

/// The trace as an ITF object.
pub fn write(subject: &Subject<'_>, trace: &Trace) -> Value {
    let mut meta = Map::new();
    meta.insert("format".into(), "ITF".into());
    meta.insert("format-description".into(), "https://apalache-mc.org/docs/adr/015adr-trace.html".into());
    meta.insert("source".into(), subject.model.into());
    meta.insert("description".into(), concat!("written by Burnside ", env!("CARGO_PKG_VERSION")).into());
    if let Some(named) = subject.violates {
        meta.insert("violates".into(), json!({ "kind": named.kind, "name": named.name }));
    }
    let vars: Vec<&str> = subject.task.model.globals.iter().map(|global| &global.name[..]).collect();
    let mut object = json!({ "#meta": meta, "vars": vars, "states": states(subject, trace) });
    if let Some(start) = trace.loop_start {
        // The last state is that with this number again, so the one behind that follows it; a state in which nothing
        // happens any more follows itself.
        object["#meta"]["loop_start"] = start.into();
        object["loop"] = (start + 1).min(trace.steps.len()).into();
    }
    object
}

fn states(subject: &Subject<'_>, trace: &Trace) -> Vec<Value> {
    let task = subject.task;
    let mut values = vec![UNDEFINED; task.layout.slots().len()];
    let fault = subject.violates.map_or("fault", |named| &named.name);
    let mut states = Vec::with_capacity(trace.steps.len() + 1);
    let mut add = |instance: Instance<'_>, state: Option<&[u64]>| {
        if let Some(words) = state {
            task.layout.unpack(words, &mut values);
        }
        let mut meta = Map::new();
        meta.insert("index".into(), states.len().into());
        meta.insert("action".into(), instance.name.into());
        let parameters = instance.parameters().map(|(name, value)| (name.to_owned(), parameter(&value)));
        meta.insert("parameters".into(), Value::Object(parameters.collect()));
        if state.is_none() {
            meta.insert("fault".into(), fault.into());
        }
        states.push(state_object(task, meta, &values));
    };
    add(Instance::start(task.model, trace.start, &trace.start_args), trace.first.as_deref());
    for Step { rule, args, end } in &trace.steps {
        add(Instance::rule(task.model, *rule, args), end.as_deref().ok());
    }
    states
}

fn state_object(task: &Task<'_>, meta: Map<String, Value>, slots: &[i64]) -> Value {
    let mut object = Map::new();
    object.insert("#meta".into(), Value::Object(meta));
    for (at, global) in (0..).zip(&task.model.globals) {
        let first = task.layout.global(GlobalId(at)) as usize;
        object.insert(global.name.clone(), value(&task.model.types, global.ty, &slots[first..]));
    }
    Value::Object(object)
}

/// A packed state as an ITF object.
pub fn state(task: &Task<'_>, state: &[u64]) -> Value {
    let mut values = vec![UNDEFINED; task.layout.slots().len()];
    task.layout.unpack(state, &mut values);
    let mut object = state_object(task, Map::new(), &values);
    object.as_object_mut().expect("it is one").shift_remove("#meta");
    object
}

/// A value of type `ty` from its slots, more of which may follow.
pub(super) fn value(types: &Types, ty: TypeId, slots: &[i64]) -> Value {
    match types.get(ty) {
        &Type::Array { index, element } => {
            let stride = types.shape(element).n_slots as usize;
            let shape = types.shape(index);
            let pairs = (shape.lo..=shape.hi)
                .enumerate()
                .map(|(at, key)| json!([scalar(types, index, key), value(types, element, &slots[at * stride..])]));
            json!({ "#map": pairs.collect::<Vec<_>>() })
        }
        Type::Record { fields } => {
            let mut at = 0;
            let fields = fields.iter().map(|field| {
                let from = at;
                at += types.shape(field.ty).n_slots as usize;
                (field.name.clone(), value(types, field.ty, &slots[from..]))
            });
            Value::Object(fields.collect())
        }
        &Type::Multiset { capacity, element } => {
            let stride = types.shape(element).n_slots as usize + 1;
            let present = slots.chunks(stride).take(capacity as usize).filter(|slots| slots[0] != UNDEFINED);
            let elements: Vec<Value> = present.map(|slots| value(types, element, &slots[1..])).collect();
            // The elements of a state in normal form are sorted, so equal ones are neighbours.
            let counted = elements.chunk_by(|a, b| a == b).map(|equal| json!([equal[0], equal.len()]));
            json!({ "#map": counted.collect::<Vec<_>>() })
        }
        _ => scalar(types, ty, slots[0]),
    }
}

/// A scalar value.
pub(super) fn scalar(types: &Types, ty: TypeId, value: i64) -> Value {
    if value == UNDEFINED {
        return json!({ "#unserializable": UNDEFINED_TEXT });
    }
    match types.get(ty) {
        Type::Bool => (value != 0).into(),
        Type::Int | Type::Range { .. } => integer(value),
        _ => types.value_name(ty, value).into(),
    }
}

fn integer(value: i64) -> Value {
    if value.abs() <= MAX_PLAIN_INTEGER { value.into() } else { json!({ "#bigint": value.to_string() }) }
}

fn parameter(value: &burnside_ir::Value) -> Value {
    match value {
        burnside_ir::Value::Bool(value) => (*value).into(),
        burnside_ir::Value::Int(value) => integer(*value),
        other => other.to_string().into(),
    }
}
