//! The text form and the packed layout on random models.

use burnside_diag::Span;
use burnside_ir::{Global, Layout, Model, Type, TypeId, UNDEFINED, text, verify};
use burnside_testkit::{Config, corrupt, random_model};
use proptest::prelude::*;

/// A model with globals of random types of all widths.
fn wide_model(rng: &mut fastrand::Rng) -> Model {
    let mut model = Model::default();
    let mut types = vec![TypeId::BOOL];
    for _ in 0..rng.usize(1..12) {
        let ty = match rng.u32(0..6) {
            0 => Type::Array { index: TypeId::BOOL, element: types[rng.usize(0..types.len())] },
            1 if !types.iter().any(|&ty| model.types.shape(ty).has_multiset) => {
                Type::Multiset { capacity: rng.u32(0..4), element: types[rng.usize(0..types.len())] }
            }
            _ => {
                let lo = rng.i64(-(1 << 60)..1 << 60);
                let width_bits = rng.u32(1..57);
                let n_values = rng.i64(1..1 << width_bits);
                Type::Range { lo, hi: lo + n_values - 1 }
            }
        };
        types.push(model.types.add(None, ty, Span::NOWHERE));
    }
    for (at, ty) in types.into_iter().enumerate() {
        model.globals.push(Global { name: format!("g{at}"), ty, span: Span::NOWHERE });
    }
    model
}

/// One random value, or none, for each slot.
fn random_state(model: &Model, layout: &Layout, rng: &mut fastrand::Rng) -> Vec<i64> {
    let values = layout.slots().iter().map(|slot| {
        let shape = model.types.shape(slot.ty);
        match rng.u32(0..4) {
            0 => UNDEFINED,
            _ if !shape.scalar => 0,
            1 => shape.lo,
            2 => shape.hi,
            _ => rng.i64(shape.lo..=shape.hi),
        }
    });
    values.collect()
}

fn check_packing(model: &Model, rng: &mut fastrand::Rng) -> Result<(), TestCaseError> {
    let layout = Layout::new(model).expect("fits");
    let mut words = vec![u64::MAX; layout.n_words()];
    let mut back = vec![0; layout.slots().len()];
    for _ in 0..10 {
        let state = random_state(model, &layout, rng);
        layout.pack(&state, &mut words);
        layout.unpack(&words, &mut back);
        prop_assert_eq!(&back, &state);
    }
    Ok(())
}

/// The text with a few characters taken out, put in, changed or repeated.
fn mutate(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..5) {
        let from = rng.usize(0..chars.len());
        let to = (from + rng.usize(0..20)).min(chars.len());
        match rng.u32(0..5) {
            0 => _ = chars.drain(from..to),
            1 => chars
                .splice(from..from, "(){}[]:.@'\"\\;-7t0\u{e9}".chars().skip(rng.usize(0..17)).take(2))
                .for_each(drop),
            2 => chars[from] = rng.char('\0'..'\u{ff}'),
            3 => {
                let piece = chars[from..to].to_vec();
                let at = rng.usize(0..chars.len());
                chars.splice(at..at, piece).for_each(drop);
            }
            _ => chars.truncate(from.max(1)),
        }
        if chars.is_empty() {
            chars.push('(');
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_gives_the_same_model(seed: u64) {
        let model = random_model(seed, &Config::random(seed));
        prop_assert_eq!(text::parse(&text::print(&model)), Ok(model));
    }

    #[test]
    fn defective_models_are_printed_and_parsed_too(seed: u64) {
        let model = corrupt(&random_model(seed, &Config::random(seed)), seed);
        prop_assert_eq!(text::parse(&text::print(&model)), Ok(model));
    }

    #[test]
    fn brief_texts_are_texts(seed: u64) {
        let model = random_model(seed, &Config::random(seed));
        let brief = text::print_brief(&model);
        let parsed = text::parse(&brief);
        prop_assert_eq!(parsed.map(|model| text::print(&model)), Ok(brief));
    }

    #[test]
    fn packing_and_unpacking_gives_the_same_state(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        check_packing(&random_model(seed, &Config::random(seed)), &mut rng)?;
        check_packing(&wide_model(&mut rng), &mut rng)?;
    }

    #[test]
    fn mutated_texts_are_read_or_turned_down(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = text::print(&random_model(seed, &Config::random(seed)));
        for _ in 0..10 {
            let mutated = mutate(&text, &mut rng);
            match text::parse(&mutated) {
                Ok(model) => {
                    verify(&model);
                    prop_assert_eq!(text::parse(&text::print(&model)), Ok(model));
                }
                Err(error) => prop_assert!(error.offset <= mutated.len()),
            }
        }
    }
}
