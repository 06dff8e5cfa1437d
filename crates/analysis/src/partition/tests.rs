//! Derived partitions as expected, and checked against what they claim in every valuation of the variables.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use burnside_diag::FileId;
use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_ir::{Layout, Type, UNDEFINED};

use super::*;

fn load(text: &str) -> Model {
    let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The class of all types with the values of the type called `P`.
fn identities(model: &Model) -> Identities {
    let named = model.types.iter().find(|(_, def)| def.name.as_deref() == Some("P")).expect("a type `P`").0;
    let shape = model.types.shape(named);
    let alike = |ty: &TypeId| match model.types.get(*ty) {
        Type::Id(_) | Type::Range { .. } => model.types.shape(*ty) == shape,
        _ => false,
    };
    let types: Vec<TypeId> = model.types.iter().map(|(ty, _)| ty).filter(alike).collect();
    Identities::new(model, &[types])
}

/// The image of a value under an exchange of points.
fn image(model: &Model, identities: &Identities, images: &[u32], ty: TypeId, slots: &[i64]) -> Vec<i64> {
    let types = &model.types;
    match types.get(ty) {
        &Type::Array { index, element } => {
            let (lo, stride) = (types.shape(index).lo, types.shape(element).n_slots as usize);
            let mut moved = vec![UNDEFINED; slots.len()];
            for (at, part) in slots.chunks(stride).enumerate() {
                let to = (identities.rename(index, lo + at as i64, images) - lo) as usize;
                moved[to * stride..][..stride].copy_from_slice(&image(model, identities, images, element, part));
            }
            moved
        }
        Type::Record { fields } => {
            let mut rest = slots;
            let parts = fields.iter().flat_map(|field| {
                let (part, others) = rest.split_at(types.shape(field.ty).n_slots as usize);
                rest = others;
                image(model, identities, images, field.ty, part)
            });
            parts.collect()
        }
        _ => vec![identities.rename(ty, slots[0], images)],
    }
}

fn state_image(model: &Model, identities: &Identities, images: &[u32], state: &[i64]) -> Vec<i64> {
    let mut rest = state;
    let parts = model.globals.iter().flat_map(|global| {
        let (part, others) = rest.split_at(model.types.shape(global.ty).n_slots as usize);
        rest = others;
        image(model, identities, images, global.ty, part)
    });
    parts.collect()
}

/// Every valuation of the variables, undefined ones included.
fn valuations(layout: &Layout, model: &Model) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for slot in layout.slots() {
        let shape = model.types.shape(slot.ty);
        let values = || std::iter::once(UNDEFINED).chain(shape.lo..=shape.hi);
        all = all.iter().flat_map(|row: &Vec<i64>| values().map(|value| [&row[..], &[value]].concat())).collect();
        assert!(all.len() <= 200_000, "the model is too large for this test");
    }
    all
}

/// The steps of a group's instances in a state; a fault is a step to nowhere.
fn steps(
    interpreter: &mut Interpreter<'_>,
    identities: &Identities,
    (rule, family, group): (RuleId, &InstanceFamily, &InstanceGroup),
    state: &[i64],
) -> BTreeSet<Vec<i64>> {
    let mut found = BTreeSet::new();
    interpreter.successors(state, |fired, args, outcome| {
        let point = |param: &Param| identities.point(param.ty, *args.get(param.at)?);
        let points: Option<Vec<usize>> = family.params.iter().map(point).collect();
        if fired == rule && points.is_some_and(|points| family.contains(group, &points)) {
            match outcome {
                Outcome::Next(next) => found.insert(next.to_vec()),
                Outcome::Pruned => found.insert(vec![1]),
                Outcome::Fault(..) => found.insert(vec![2]),
            };
        }
        ControlFlow::Continue(())
    });
    found
}

/// Checks in every valuation that a group's steps are mapped to its steps by each exchange within a cell.
fn verify(text: &str) -> Vec<Vec<String>> {
    let model = load(text);
    let layout = Layout::new(&model).expect("a layout");
    let identities = identities(&model);
    let strict: Vec<TypeId> = identities.classes().iter().flat_map(|class| class.types.clone()).collect();
    let mut interpreter = Interpreter::new(&model, &layout, Limits::default()).strict(&strict);
    let mut invariance = Invariance::new(&model, &identities);
    let states = valuations(&layout, &model);
    let mut shown = Vec::new();
    for rule in (0..model.rules.len() as u32).map(RuleId) {
        let family = invariance.rule(rule, &[]);
        for group in &family.groups {
            for cell in group.partition.cells() {
                for pair in cell.windows(2) {
                    let mut images: Vec<u32> = (0..identities.n_points() as u32).collect();
                    images.swap(pair[0], pair[1]);
                    for state in &states {
                        let here = steps(&mut interpreter, &identities, (rule, &family, group), state);
                        let moved = here.iter().map(|next| match next.len() == state.len() && state.len() > 1 {
                            true => state_image(&model, &identities, &images, next),
                            false => next.clone(),
                        });
                        let there = state_image(&model, &identities, &images, state);
                        let there = steps(&mut interpreter, &identities, (rule, &family, group), &there);
                        assert_eq!(moved.collect::<BTreeSet<_>>(), there, "{} in {state:?}", model.rule(rule).name);
                    }
                }
            }
        }
        shown.push(family.groups.iter().map(|group| show(&group.partition)).collect());
    }
    shown
}

/// Cells as `12|3`, points counted from 1.
fn show(partition: &Partition) -> String {
    let cell = |cell: &Vec<usize>| cell.iter().map(|point| (point + 1).to_string()).collect::<String>();
    partition.cells().iter().map(cell).collect::<Vec<_>>().join("|")
}

/// A model over four processes with one rule.
fn check(rule: &str, expected: &[&str]) {
    for declaration in ["scalarset(4)", "1..4"] {
        let model = format!(
            "type P: {declaration};
             var a: array [P] of boolean; owner: P; x: 0..2;
             function rank(p: P): 0..3; begin return (p - 1) / 2; end;
             function odd(p: P): boolean; begin if p % 2 = 1 then return true; else return false; end; end;
             function busy(): boolean; begin return exists q: P do a[q] end; end;
             function first(): boolean; begin return a[1]; end;
             startstate for p: P do a[p] := false; end; owner := 1; x := 0; end;
             {rule}"
        );
        assert_eq!(verify(&model), [expected], "{rule}");
    }
}

#[test]
fn what_treats_all_alike_has_one_cell() {
    check("ruleset p: P do rule a[p] & owner = p ==> owner := p; a[owner] := false; end; end;", &["1234"]);
    check("rule exists p: P do a[p] & p != owner end ==> x := 1; end;", &["1234"]);
    check("rule busy() & x < 2 ==> x := x + 1; end;", &["1234"]);
}

#[test]
fn an_order_against_a_constant_has_two_cells() {
    check("ruleset p: P do rule p < 3 & !a[p] ==> a[p] := true; end; end;", &["12|34"]);
    check("rule exists q: P do q >= 3 & a[q] end ==> x := 1; end;", &["12|34"]);
    check("rule owner <= 1 ==> x := 1; end;", &["1|234"]);
}

#[test]
fn naming_one_sets_it_apart() {
    check("rule a[2] ==> x := 1; end;", &["134|2"]);
    check("rule begin owner := 4; end;", &["123|4"]);
    check("ruleset p: P do rule p != 4 & a[p] ==> x := 1; end; end;", &["123|4"]);
    check("rule first() ==> x := 1; end;", &["1|234"]);
    check("rule begin clear owner; end;", &["1|234"]);
}

#[test]
fn a_grant_by_rank_tells_higher_equal_and_lower() {
    let three = "type P: 1..5; var a: array [P] of boolean; x: 0..1;
        function rank(p: P): 0..3; begin return p = 5 ? 2 : (p - 1) / 2; end;
        startstate for p: P do a[p] := false; end; x := 0; end;
        ruleset p: P do
          rule a[p] & !exists q: P do rank(q) < rank(p) & a[q] end ==> a[p] := false; x := 1; end;
        end;";
    assert_eq!(verify(three), [["12|345", "12|34|5", "1234|5"]]);
    check("ruleset p: P do rule a[p] & !exists q: P do rank(q) < rank(p) & a[q] end ==> x := 1; end; end;", &["12|34"]);
}

#[test]
fn functions_of_the_argument_alone_are_folded() {
    check("ruleset p: P do rule odd(p) & a[p] ==> x := 1; end; end;", &["13|24"]);
    check("rule exists p: P do odd(p) & a[p] end ==> x := 1; end;", &["13|24"]);
}

#[test]
fn instances_that_name_others_are_taken_one_by_one() {
    let each = &["1|2|34", "14|2|3", "12|3|4", "123|4"];
    check("ruleset p: P do rule p < 4 & a[p] ==> owner := p + 1; end; end;", each);
    check("rule begin x := owner % 3; end;", &["14|2|3"]);
    let pairs = &["1|234", "1|2|34", "1|24|3", "1|23|4", "134|2", "14|2|3", "13|2|4", "124|3", "12|3|4", "123|4"];
    check("ruleset p: P; q: P do rule p < q & a[q] ==> a[p] := true; end; end;", pairs);
}

#[test]
fn a_leaf_that_may_fault_is_not_hidden_by_a_table() {
    // The condition is always true, but which process's variable is looked at depends on the process.
    check("ruleset p: P do rule (p < 3 | a[p]) | !a[p] ==> x := 1; end; end;", &["12|34"]);
}
