//! Facts about names, types and constants, through whole small models.

use burnside_diag::FileId;

use crate::typed::{Scalar, Type};
use crate::{Include, Model, Options, load};

fn no_includes(_: Include<'_>) -> Result<(FileId, String), String> {
    Err(String::new())
}

#[track_caller]
fn model(text: &str) -> Model {
    let loaded = load(FileId(0), text, &Options::default(), &mut no_includes);
    loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

fn codes(text: &str) -> Vec<&'static str> {
    let loaded = load(FileId(0), text, &Options::default(), &mut no_includes);
    loaded.diagnostics.iter().map(|finding| finding.code.0).collect()
}

#[test]
fn mtypes_count_backwards_and_on() {
    let model = model("mtype = { a, b }; mtype = { c }; mtype:t = { d }; init { skip }");
    assert_eq!(model.program.mtypes[0].names, ["b", "a", "c"]);
    assert_eq!(model.program.mtypes[1].names, ["d"]);
}

#[test]
fn structures_lie_flat_and_bits_in_arrays_are_bytes() {
    let model = model("typedef T { bit b; bit c[2]; short s }; T t[2]; bool x; init { skip }");
    let scalars: Vec<Scalar> = model.program.globals.slots.iter().map(|slot| slot.scalar).collect();
    let one = [Scalar::Bit, Scalar::Byte, Scalar::Byte, Scalar::Short];
    assert_eq!(scalars, [one.as_slice(), &one, &[Scalar::Bool]].concat());
    assert_eq!(model.program.globals.vars[0].ty, Type::Struct(crate::typed::StructId(0)));
}

#[test]
fn every_block_and_call_has_variables_of_its_own() {
    let model = model("inline f() { byte t; t = 1 } init { { byte a; a = 1 }; { byte a; a = 2 }; f(); f() }");
    let names: Vec<&str> = model.program.procs[0].frame.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["a", "a", "t", "t"]);
}

#[test]
fn options_share_the_names_of_their_block() {
    assert_eq!(codes("init { if :: byte a; a = 1 :: byte a; a = 2 fi }"), ["duplicate-name"]);
}

#[test]
fn the_same_label_may_stand_in_two_blocks() {
    assert!(codes("byte x; init { { skip; L: x = 1; goto L }; { skip; L: x = 2; goto L } }").is_empty());
    assert_eq!(codes("init { skip; L: skip; { skip; L: skip } }"), ["duplicate-label"]);
}

#[test]
fn processes_are_numbered_by_the_order_of_the_text() {
    let model = model("active [2] proctype A() { skip } init { skip } active proctype B() { skip }");
    let starts: Vec<u32> = model.program.starts.iter().map(|start| start.proc.0).collect();
    assert_eq!(starts, [0, 0, 1, 2]);
}

#[test]
fn globals_get_their_values_by_type_first() {
    let model = model("int i = 1; byte b = 2; chan c = [1] of { byte }; bit t = 1; init { skip }");
    let order: Vec<u32> = model.program.globals.inits.iter().map(|init| init.slot).collect();
    assert_eq!(order, [3, 1, 2, 0]);
}

#[test]
fn next_is_understood_and_noted() {
    let model = model("bit x; init { x = 1 } ltl p { X x } ltl { [] x }");
    let uses: Vec<bool> =
        model.program.ltls.iter().map(|ltl| ltl.formula.as_ref().is_some_and(|formula| formula.uses_next())).collect();
    assert_eq!(uses, [true, false]);
    assert_eq!(model.program.ltls[1].name, "ltl_1");
}

#[test]
fn findings_in_macros_point_at_both_places() {
    let loaded = load(FileId(0), "#define SET x = 1\ninit { SET }\n", &Options::default(), &mut no_includes);
    let [finding] = loaded.diagnostics.as_slice() else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!((finding.primary.span.start, finding.primary.span.end), (25, 28));
    assert_eq!(finding.secondary[0].text, "in the macro `SET`");
}
