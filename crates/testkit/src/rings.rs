//! Random models over rings and graphs, as Murphi text.
//!
//! Rules are put together from fragments. Most commute with rotations of the ring, or with the automorphisms of a graph
//! that is written down in constants; some do so only nearly.

use fastrand::Rng;

/// What rules and functions do to node `p`. The ring is `succ`, the graph is `linked`.
const RULES: &[&str] = &[
    "a[p] ==> a[succ(p)] := true; a[p] := false;",
    "!a[p] & a[succ(p)] ==> a[p] := true;",
    "a[p] != a[pred(p)] ==> x := (x + 1) % 3;",
    "token = p ==> token := succ(p);",
    "token = p & a[p] ==> token := pred(token);",
    "d[p] != succ(p) ==> d[p] := succ(d[p]);",
    "!isundefined(d[p]) & !a[p] ==> a[d[p]] := true; undefine d[p];",
    "exists q: P do linked(p, q) & a[q] end ==> a[p] := !a[p];",
    "forall q: P do linked(p, q) -> a[q] end ==> x := 0; a[p] := true;",
    "a[p] ==> for q: P do if linked(q, p) then a[q] := false; end; end;",
    "a[p] ==> for q: P do a[q] := a[p]; end;",
    "x < 2 & b[p + 10] ==> b[p + 10] := false; a[p] := true;",
    "a[p] & !b[p + 10] ==> b[p + 10] := true;",
    "b[mate(p)] ==> x := 2; a[mate_of(mate(p))] := false;",
    "rank(p) = 1 & !a[p] ==> a[p] := true;",
    "multisetcount(i: net, true) < 2 ==> multisetadd(p, net); token := succ(p);",
    "multisetcount(i: net, net[i] = p) > 0 ==> multisetremovepred(i: net, net[i] = p); a[p] := true;",
    // Those that single somebody out, or only seem to.
    "p != 0 & a[0] ==> a[p] := false;",
    "token = 1 & a[p] ==> token := p;",
    "p < 2 & !a[p] ==> token := p;",
    "a[p] ==> a[p + 1] := true;",
    "token < p ==> token := p;",
    "p >= 0 & token = p ==> a[p] := true;",
];

const PROPERTIES: &[&str] = &[
    "invariant \"not all\" !forall p: P do a[p] end;",
    "invariant \"few\" x < 2 | a[token];",
    "invariant \"apart\" forall p: P do a[p] & a[succ(p)] -> x > 0 end;",
    "invariant \"linked\" forall p: P do forall q: P do linked(p, q) & a[p] & a[q] -> b[10] = b[10] end end;",
    "invariant \"first\" !(a[0] & x = 2);",
    "invariant \"two apart\" forall p: P do d[p] != succ(succ(succ(p))) | x < 2 end;",
];

/// The model of a seed.
pub fn random_ring_model(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let n = rng.u32(3..=5);
    let mut pick = |from: &[&'static str], n_most: usize| -> Vec<&'static str> {
        let n_picked = rng.usize(1..=n_most);
        (0..n_picked).map(|_| from[rng.usize(..from.len())]).collect()
    };
    // Fragments at the end of the list break symmetry; most models have none.
    let (rules, properties) = (pick(&RULES[..17], 4), pick(PROPERTIES, 2));
    let mut rules = rules;
    if rng.u32(0..3) == 0 {
        rules.push(RULES[rng.usize(17..RULES.len())]);
    }
    let rules: Vec<String> = rules.iter().map(|rule| format!("  rule {rule} end;\n")).collect();
    let properties: Vec<&str> = if rng.bool() { properties } else { Vec::new() };
    let last = n - 1;
    let succ = match rng.u32(0..3) {
        0 => format!("return (p + 1) % {n};"),
        1 => format!("if p = {last} then return 0; end; return p + 1;"),
        _ => format!("return p = {last} ? 0 : p + 1;"),
    };
    let linked = match rng.u32(0..5) {
        0 => format!("q = (p + 1) % {n} | p = (q + 1) % {n}"),
        1 => "(p = 0 & q = 1) | (p = 1 & q = 2) | (p = 2 & q = 0)".to_owned(),
        2 => "(p = 0) != (q = 0)".to_owned(),
        3 => "p / 2 = q / 2 & p != q".to_owned(),
        _ => "p != q".to_owned(),
    };
    let rank = ["p % 2", "p / 2", "1", "p = 0 ? 1 : 0"][rng.usize(..4)];
    let start = match rng.u32(0..3) {
        0 => "a[0] := true;",
        1 => "for p: P do a[p] := true; end;",
        _ => "for p: P do d[p] := p; end; undefine token;",
    };
    let (rules, properties) = (rules.concat(), properties.join("\n"));
    format!(
        "type P: 0..{last}; Q: 10..{};
var a: array [P] of boolean; b: array [Q] of boolean; d: array [P] of P; token: P; x: 0..2; net: multiset [2] of P;
function succ(p: P): P; begin {succ} end;
function pred(p: P): P; begin return (p + {last}) % {n}; end;
function mate(p: P): Q; begin return p + 10; end;
function mate_of(q: Q): P; begin return q - 10; end;
function rank(p: P): 0..{n}; begin return {rank}; end;
function linked(p: P; q: P): boolean; begin return {linked}; end;
startstate
  for p: P do a[p] := false; end; for q: Q do b[q] := false; end; for p: P do undefine d[p]; end;
  token := 0; x := 0; undefine net; {start}
end;
ruleset p: P do
{rules}end;
{properties}
",
        last + 10
    )
}
