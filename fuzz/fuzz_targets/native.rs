//! Native code against the interpreter: in the first states of a model they take the same steps and evaluate conditions
//! alike. The model is what the bytes say in the IR's text form, or else a random one for which they are the seed.
#![no_main]

use burnside_interp::{Limits, StepBuffer, StepEnd};
use burnside_ir::{Layout, Model, PropertyKind, text, verify};
use burnside_step::{Code, Exploration, Interpreted, Native, Question, Stacks, Stepper, Successors};
use burnside_testkit::{Config, random_model};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 12 };
const MOST_STATES: usize = 64;
const MOST_BITS: u32 = 4096;

fn model(bytes: &[u8]) -> Model {
    if let Ok(model) = text::parse(&String::from_utf8_lossy(bytes))
        && verify(&model).is_empty()
    {
        return model;
    }
    let seed = bytes.iter().fold(0_u64, |seed, &byte| seed.rotate_left(8) ^ u64::from(byte));
    random_model(seed, &Config::random(seed))
}

fuzz_target!(|bytes: &[u8]| {
    let model = model(bytes);
    let Ok(layout) = Layout::new(&model) else { return };
    if layout.n_bits() > MOST_BITS {
        return;
    }
    let question = Question { step_limits: LIMITS, ..Question::new(&model, &layout) };
    let Some(code) = Code::new(&question, &[], Stacks::Usual) else { return };
    let (mut interpreted, mut native) = (Interpreted::new(&question), Native::new(&code, Interpreted::new(&question)));
    let successors = Successors::new(&question, Interpreted::new(&question));
    let Ok(mut met) = Exploration::begin(successors, layout.n_words(), MOST_STATES) else { return };
    while met.go_on() == Ok(true) {}
    let kinds = [PropertyKind::Assumption, PropertyKind::Invariant, PropertyKind::Cover];
    for state in met.states() {
        let [mut expected, mut found] = [0; 2].map(|_| StepBuffer::new(layout.n_words()));
        interpreted.fire_all(state, &[], &mut expected);
        native.fire_all(state, &[], &mut found);
        assert_eq!(expected.len(), found.len(), "other numbers of steps");
        for (one, other) in (0..expected.len()).map(|at| (expected.get(at), found.get(at))) {
            assert_eq!((one.rule, one.end), (other.rule, other.end), "other steps");
            assert!(one.end != StepEnd::Next || one.state == other.state, "other states");
        }
        for property in kinds.into_iter().flat_map(|kind| question.properties(kind)) {
            interpreted.look_at(state);
            native.look_at(state);
            assert_eq!(interpreted.condition(property), native.condition(property), "{property:?}");
        }
    }
});
