//! How far permutations of identities are from being automorphisms, in words.

use burnside_adaptive::{Similar, Similarity};
use burnside_engine::Witness;
use burnside_ir::{Layout, Model, Value};
use serde_json::{Value as Json, json};

use super::state::{Brief, variables};
use crate::quantity::counted;

/// One line.
pub fn similarity(similarity: &Similarity, (model, layout): (&Model, &Layout)) -> String {
    match similarity {
        Similarity::Is { kind, is_exact, n_orbits } => {
            let what = match kind {
                Similar::Near => "nearly symmetric: where one state has a step, its images have the renamed step",
                Similar::Rough => {
                    "roughly symmetric: where one state has a step, its images have a renamed step, up to identities that are \
                     alike in them"
                }
                Similar::Virtual => {
                    "virtually symmetric: where one state has a step, its images have steps to images of that"
                }
            };
            let more = if *is_exact { "" } else { "; more may be true" };
            format!("{what} ({}{more})\n", counted(*n_orbits as u64, "orbit", "orbits"))
        }
        Similarity::Not(witness) => format!("not virtually symmetric: {}\n", contrast(witness, (model, layout))),
        Similarity::Undecided => {
            "whether images of a state have the same steps up to permutations was not decided\n".to_owned()
        }
    }
}

/// What one of two states can do alone.
pub fn contrast(witness: &Witness, model: (&Model, &Layout)) -> String {
    format!(
        "rule \"{}\" leads from {}, but not from {}, to a state like {}",
        model.0.rule(witness.rule).name,
        line(&witness.from, model),
        line(&witness.without, model),
        line(&witness.to, model),
    )
}

/// The same for programs.
pub fn similarity_json(similarity: &Similarity, (model, layout): (&Model, &Layout)) -> Json {
    match similarity {
        Similarity::Is { kind, is_exact, n_orbits } => {
            json!({ "kind": kind.name(), "exact": is_exact, "orbits": n_orbits })
        }
        Similarity::Not(witness) => json!({
            "kind": "none",
            "rule": model.rule(witness.rule).name,
            "from": line(&witness.from, (model, layout)),
            "not_from": line(&witness.without, (model, layout)),
            "to": line(&witness.to, (model, layout)),
        }),
        Similarity::Undecided => json!({ "kind": "undecided" }),
    }
}

/// A state in one line; without a name if there is one variable only.
fn line(state: &[u64], (model, layout): (&Model, &Layout)) -> String {
    let mut slots = vec![0; layout.slots().len()];
    layout.unpack(state, &mut slots);
    let variables = variables(model, layout, &slots);
    if let [(_, value)] = &variables[..] {
        return in_line(value);
    }
    let named = variables.iter().map(|(name, value)| format!("{name} = {}", in_line(value)));
    format!("({})", named.collect::<Vec<_>>().join(", "))
}

/// The elements of an array one after the other.
fn in_line(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            elements.iter().map(|(_, element)| Brief(element).to_string()).collect::<Vec<_>>().join(" ")
        }
        other => Brief(other).to_string(),
    }
}
