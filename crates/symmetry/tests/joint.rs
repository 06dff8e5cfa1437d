//! Groups other than full symmetric ones: what is found in models.

use burnside_diag::FileId;
use burnside_ir::Model;
use burnside_symmetry::Symmetry;

fn load(text: &str) -> Model {
    let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
    loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics))
}

/// The names of classes and the structures of their groups.
fn found(text: &str) -> Vec<String> {
    let symmetry = Symmetry::find(&load(text));
    let symmetric = symmetry.classes.iter().map(|class| format!("{}: S{}", class.name, class.size));
    let joints = symmetry.joints.iter().map(|joint| {
        let names: Vec<&str> = joint.classes.iter().map(|class| class.name.as_str()).collect();
        format!("{}: {}", names.join(","), joint.structure)
    });
    symmetric.chain(joints).collect()
}

/// A model with one rule over five nodes.
fn check(rule: &str, expected: &[&str]) {
    let text = format!(
        "const n: 5;
         type P: 0..n-1; Q: 10..14;
         var a: array [P] of boolean; b: array [Q] of boolean; token: P;
         function after(p: P): P; begin return (p + 1) % n; end;
         function mate(p: P): Q; begin return p + 10; end;
         function next(p: P): P;
         begin
           switch p case 0: return 2; case 2: return 4; case 4: return 1; case 1: return 3; case 3: return 0; end;
         end;
         function linked(p: P; q: P): boolean;
         begin
           return (p = 0 & q = 1) | (p = 1 & q = 0) | (p = 0 & q = 2) | (p = 2 & q = 0);
         end;
         startstate for p: P do a[p] := false; end; for q: Q do b[q] := false; end; token := 0; end;
         {rule}"
    );
    assert_eq!(found(&text), expected, "{rule}");
}

#[test]
fn rings_are_found() {
    check("ruleset p: P do rule a[p] ==> a[(p + 1) % n] := true; end; end;", &["Q: S5", "P: C5"]);
    check("ruleset p: P do rule a[after(p)] ==> a[p] := true; end; end;", &["Q: S5", "P: C5"]);
    check("ruleset p: P do rule a[next(p)] ==> a[p] := true; end; end;", &["Q: S5", "P: C5"]);
    check("ruleset p: P do rule a[(p + n - 1) % n] & a[(p + 1) % n] ==> a[p] := true; end; end;", &["Q: S5", "P: C5"]);
    check("rule a[token] ==> token := (token + 1) % n; end;", &["Q: S5", "P: C5"]);
    check("rule a[token] ==> token := after(token); end;", &["Q: S5", "P: C5"]);
}

#[test]
fn reflections_are_found() {
    let rule = "ruleset p: P; q: P do rule (q = (p + 1) % n | p = (q + 1) % n) & a[p] ==> a[q] := true; end; end;";
    check(rule, &["Q: S5", "P: D5"]);
}

#[test]
fn a_rule_that_names_a_member_of_a_ring_breaks_it() {
    check("ruleset p: P do rule a[(p + 1) % n] & p != 3 ==> a[p] := true; end; end;", &["Q: S5"]);
    check("ruleset p: P do rule a[(p + 1) % n] ==> a[p] := true; end; end; invariant !a[0];", &["Q: S5"]);
    check("ruleset p: P do rule p < 4 & a[p + 1] ==> a[p] := true; end; end;", &["Q: S5"]);
    check("ruleset p: P do rule begin a[p + 1] := true; end; end;", &["Q: S5"]);
}

#[test]
fn members_that_are_not_named_are_interchangeable() {
    check("ruleset p: P do rule p != 0 & a[0] ==> a[p] := true; end; end;", &["Q: S5", "P: S4"]);
    check("ruleset p: P do rule p < 2 & a[p] ==> token := p; end; end;", &["Q: S5", "P: S2 x S3"]);
}

#[test]
fn members_of_two_classes_move_together() {
    check("ruleset p: P do rule b[p + 10] ==> a[p] := true; end; end;", &["P,Q: 1 wr S5"]);
    check("ruleset p: P do rule b[mate(p)] ==> a[p] := true; token := (token + 1) % n; end; end;", &["P,Q: 1 wr C5"]);
}

#[test]
fn graphs_are_found() {
    check("ruleset p: P; q: P do rule linked(p, q) & a[p] ==> a[q] := true; end; end;", &["Q: S5", "P: S2 x S2"]);
    let cube = "type P: 0..7; var a: array [P] of boolean;
        startstate for p: P do a[p] := false; end; end;
        function bit(p: P; d: 0..2): 0..1; begin return d = 0 ? p % 2 : (d = 1 ? p / 2 % 2 : p / 4); end;
        function linked(p: P; q: P): boolean; var apart: 0..3; begin
          apart := 0; for d: 0..2 do if bit(p, d) != bit(q, d) then apart := apart + 1; end; end;
          return apart = 1; end;
        ruleset p: P; q: P do rule linked(p, q) & a[p] ==> a[q] := true; end; end;";
    let symmetry = Symmetry::find(&load(cube));
    assert_eq!(symmetry.group_order(), "48");
    let torus = "type P: 0..8; var a: array [P] of boolean;
        startstate for p: P do a[p] := false; end; end;
        function right(p: P): P; begin return p / 3 * 3 + (p % 3 + 1) % 3; end;
        function down(p: P): P; begin return (p + 3) % 9; end;
        ruleset p: P do rule a[p] ==> a[right(p)] := true; end; rule a[p] ==> a[down(p)] := true; end; end;";
    assert_eq!(Symmetry::find(&load(torus)).group_order(), "9");
}
