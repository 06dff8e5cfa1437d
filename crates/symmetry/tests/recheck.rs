//! What is proved from the text against what the model does.

use burnside_diag::FileId;
use burnside_interp::Limits;
use burnside_ir::{Layout, Model, Type, TypeId};
use burnside_symmetry::{Part, Permutations, Rechecked, Refuted, SymmetricClass, Symmetry, recheck};
use burnside_testkit::{Config, random_model, random_ring_model};

fn load(text: &str) -> Model {
    let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
    loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics))
}

fn try_out(model: &Model, symmetry: &Permutations, most_states: usize) -> Result<Rechecked, Box<Refuted>> {
    let layout = Layout::new(model).expect("the model is small");
    recheck(model, &layout, symmetry, Limits { loop_rounds: 1000, call_depth: 200, call_slots: 1 << 20 }, most_states)
}

/// What would be true if every declared sort were symmetric.
fn trusting(model: &Model) -> Permutations {
    let class = |(ty, def): (TypeId, _)| match model.types.get(ty) {
        Type::Id(_) => {
            let _: &burnside_ir::TypeDef = def;
            let size = model.types.shape(ty).cardinality() as u32;
            Some(SymmetricClass { name: model.types.type_name(ty), types: vec![ty], size })
        }
        _ => None,
    };
    Permutations::of_classes(model.types.iter().filter_map(class).filter(|class| class.size > 1).collect())
}

const TRAP: &str = "type P: scalarset(3);
    var a: array[P] of boolean; err: boolean;
    startstate begin for i: P do a[i] := false end; err := false; end;
    ruleset i: P do rule \"set\" !a[i] ==> begin a[i] := true end end;
    rule \"check\" var seen: boolean; begin
      seen := false;
      for j: P do if a[j] then seen := true else if seen then err := true end end end;
    end;
    invariant \"no gap\" !err | forall i: P do a[i] end;";

#[test]
fn a_trusted_trap_is_refuted() {
    let model = load(TRAP);
    assert!(Symmetry::find(&model).classes.is_empty());
    let refuted = try_out(&model, &trusting(&model), 100).expect_err("the order of the loop matters");
    assert_eq!((refuted.class.as_str(), refuted.part), ("P", Part::Rule(burnside_ir::RuleId(1))));
}

#[test]
fn a_symmetric_model_is_confirmed_on_all_its_states() {
    let model = load(
        "type P: scalarset(2); U: union {P, enum {none}}; var u: U; b: boolean;
         startstate begin u := none; b := false; end;
         ruleset i: P do rule begin u := i; b := !b end end;
         invariant \"first\" u = none | b | forall i: P do u = i end;",
    );
    let checked = try_out(&model, &trusting(&model), 100).expect("symmetric");
    assert!(checked.complete && checked.exchanges == 1, "{checked:?}");
}

/// Bodies of loops over `i: P`: right, wrong, and subtly wrong together.
const BODIES: &[&str] = &[
    "a[i] := !a[i]",
    "a[i] := true",
    "if a[i] then x := 1 end",
    "if a[i] then x := 0 end",
    "if a[i] then x := y end",
    "if a[i] & x < 3 then x := x + 1 end",
    "if a[i] then y := y + 1 end",
    "if !a[i] then y := y - 1 end",
    "if a[i] then last := i end",
    "if a[i] then undefine last end",
    "if last = i then a[i] := false end",
    "multisetremovepred(j: m, m[j] = i)",
    "multisetremovepred(j: m, m[j] != i & a[i])",
    "if multisetcount(j: m, m[j] = i) = 0 then multisetadd(i, m) end",
    "if a[i] & multisetcount(j: m, true) < 3 then multisetadd(i, m) end",
    "if a[i] then multisetadd(a[i], net[i]) end",
    "if multisetcount(j: net[i], true) < 2 then multisetadd(a[i], net[i]) end",
    "if multisetcount(j: m, m[j] = i) > 0 then a[i] := false; x := multisetcount(j: m, true) end",
    "multisetremovepred(j: r, r[j].who = i & r[j].b)",
    "multisetremovepred(j: r, r[j].b & r[j].who = i)",
    "put_in(i)",
    "drop(i)",
    "send(i, a[i])",
    "send(i, x = 0)",
    "alias q: a[i] do b := q end",
    "alias q: a[i] do q := b end",
    "for k: P do if k != i & a[k] then b := true end end",
    "for k: P do if k != i then a[k] := false end end",
    "if f(i) then b := true end",
    "if g(i) then x := 0 end",
    "if found() then b := a[i] end",
    "assert x < 3",
    "t := x; if a[i] then x := 3 - t end",
    "d[i] := b",
    "if d[i] then x := 2 end",
    "if a[i] then undefine d[i] end",
];

fn random_loops(rng: &mut fastrand::Rng) -> String {
    let mut pick = || {
        let n_bodies = rng.usize(1..=2);
        let bodies: Vec<&str> = (0..n_bodies).map(|_| BODIES[rng.usize(..BODIES.len())]).collect();
        format!("for i: P do {} end;", bodies.join("; "))
    };
    let (one, other) = (pick(), pick());
    format!(
        "type P: scalarset(3); U: union {{P, enum {{home}}}}; R: record who: P; b: boolean; end;
         var a, d: array[P] of boolean; b: boolean; x: 0..3; y: 0..2; last: P; m: multiset[3] of U;
             r: multiset[2] of R; net: array[U] of multiset[1] of boolean;
         procedure put_in(n: U); begin if multisetcount(j: m, m[j] = n) = 0 then multisetadd(n, m) end; end;
         procedure drop(n: U); begin multisetremovepred(j: m, m[j] = n); end;
         procedure send(n: U; v: boolean); begin
           if multisetcount(j: net[n], true) < 1 then multisetadd(v, net[n]) end; end;
         function f(i: P): boolean; begin if a[i] then x := 1 end; return a[i]; end;
         function g(i: P): boolean; begin if a[i] then last := i end; return true; end;
         function found(): boolean; begin for k: P do if d[k] then return true end end; return false; end;
         startstate begin for i: P do a[i] := false; d[i] := false end; b := false; x := 0; y := 1; undefine last;
           undefine m; undefine r; undefine net; end;
         ruleset i: P do rule \"flip\" begin a[i] := !a[i] end end;
         ruleset i: P do rule \"record\" multisetcount(j: r, true) < 2 ==> var e: R; begin
           e.who := i; if a[i] then e.b := b end; multisetadd(e, r) end end;
         rule \"one\" var t: 0..3; begin {one} end;
         rule \"other\" var t: 0..3; begin {other} b := !b end;
         invariant forall i: P do a[i] -> x < 3 end;"
    )
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn loops_that_are_proved_commute_with_renaming() {
    let n_models = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    let (mut proved, mut refuted) = (0, 0);
    for seed in 0..n_models {
        let text = random_loops(&mut fastrand::Rng::with_seed(seed));
        let model = load(&text);
        let symmetry = Symmetry::find(&model);
        if symmetry.classes.iter().any(|class| class.name == "P") {
            proved += 1;
            try_out(&model, &symmetry, 60).unwrap_or_else(|refuted| panic!("seed {seed}: {refuted:?}\n{text}"));
        } else if try_out(&model, &trusting(&model), 60).is_err() {
            refuted += 1;
        }
    }
    eprintln!("{proved} of {n_models} models proved; {refuted} of the others refuted");
    assert!(proved > n_models / 5 && refuted > n_models / 5, "{proved} proved, {refuted} refuted");
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn symmetry_of_random_models_is_confirmed() {
    let n_models = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    let mut confirmed = 0;
    for seed in 0..n_models {
        let model = random_model(seed, &Config::random(seed));
        let symmetry = Symmetry::find(&model);
        if !symmetry.is_trivial() {
            confirmed += 1;
            try_out(&model, &symmetry, 100).unwrap_or_else(|refuted| panic!("seed {seed}: {refuted:?}"));
        }
    }
    eprintln!("symmetry of {confirmed} of {n_models} models confirmed");
    assert!(confirmed > n_models / 10, "the generator makes symmetric models");
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn groups_of_rings_and_graphs_are_confirmed() {
    let n_models = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    let mut confirmed = 0;
    for seed in 0..n_models {
        let text = random_ring_model(seed);
        let model = load(&text);
        let symmetry = Symmetry::find(&model);
        if !symmetry.joints.is_empty() {
            confirmed += 1;
            try_out(&model, &symmetry, 60).unwrap_or_else(|refuted| panic!("seed {seed}: {refuted:?}\n{text}"));
        }
    }
    eprintln!("groups of {confirmed} of {n_models} models confirmed");
    assert!(confirmed > n_models / 5, "the generator makes rings and graphs");
}
