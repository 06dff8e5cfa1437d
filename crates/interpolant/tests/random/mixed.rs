//! Random models with several sorts, references that may be equal, unions, records, loops, and a parameter with a large
//! range.

use std::fmt::Write as _;

use crate::texts::Dice;

/// A model in Murphi.
pub(crate) fn random_mixed(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x1234_5678);
    let n = 2 + dice.next(2);
    let mut text = format!(
        "type Process: 1..{n}; Cell: 0..1; Item: scalarset(2); Colour: enum {{ Red, Green }}; Any: union {{ Item, Colour }};\n\
         Point: enum {{ P0, P1, P2 }}; Amount: 0..{};\n\
         Node: record peer: Process; cell: Cell; what: Any; n: 0..3; end;\n\
         var node: array [Process] of Node; at: array [Process] of Point; box: array [Cell] of Process;\n\
         taken: array [Cell] of boolean; held: array [Item] of boolean; last: Item; any: Any; x: 0..5; w: 0..{};\n\
         function far(p: Process; k: 0..3): Process; var q: Process; i: 0..4;\n\
         begin q := p; i := 0; while i < k do q := node[q].peer; i := i + 1; end; return q; end;\n\
         function load(c: Cell): 0..20; var s: 0..20;\n\
         begin s := 0; for p: Process do if node[p].cell = c then s := s + node[p].n; end; end; return s; end;\n\
         function upto(k: 0..5): 0..20; var s: 0..20; begin s := 0; for i := 1 to k do s := s + i; end; return s; end;\n\
         procedure pass(var one: Node; var two: Node); begin\n\
         if one.n > 0 & two.n < 3 then one.n := one.n - 1; two.n := two.n + 1; end; two.what := one.what; end;\n",
        70 + dice.next(30),
        150 + dice.next(100),
    );
    let start = dice.pick(&[
        "last := i; any := i;",
        "last := i; any := Red;",
        "any := Green; last := i;",
        "any := Red; undefine last;",
    ]);
    let _ = writeln!(
        text,
        "ruleset i: Item do startstate begin x := 0; w := 0; {start} for c: Cell do box[c] := {}; taken[c] := false; end;\n\
         for j: Item do held[j] := false; end;\n\
         for p: Process do at[p] := P0; node[p].peer := {}; node[p].cell := {}; node[p].what := {}; node[p].n := {}; end;\n\
         end; end;",
        dice.pick(&["1", "2"]),
        dice.pick(&["p", "1", &format!("{n} + 1 - p")]),
        dice.pick(&["0", "1", "p % 2"]),
        dice.pick(&["Red", "Green", "i"]),
        dice.pick(&["0", "1", "p % 2"]),
    );
    for at in 0..2 {
        for _ in 0..1 + dice.next(2) {
            rule(&mut dice, at, &mut text);
        }
    }
    if dice.next(2) == 0 {
        wide_rule(&mut dice, &mut text);
    }
    for at in 0..1 + dice.next(2) {
        let claim = claim(&mut dice);
        let _ = writeln!(text, "invariant \"i{at}\" {claim};");
    }
    text
}

fn rule(dice: &mut Dice, at: u64, text: &mut String) {
    let other = dice.pick(&[
        "q: Process",
        "c: Cell",
        "i: Item",
        "q: Process; c: Cell",
        "q: Process; i: Item",
        "c: Cell; i: Item",
    ]);
    let mut action = format!("at[p] := P{};", at + 1);
    for _ in 0..1 + dice.next(3) {
        let statement = statement(dice, other);
        action = if dice.next(2) == 0 { format!("{statement} {action}") } else { format!("{action} {statement}") };
    }
    let guard = condition(dice, other, 2);
    let _ = writeln!(
        text,
        "ruleset p: Process; {other} do rule \"r{at}\" at[p] = P{at} & ({guard}) ==> begin {action} end; end;"
    );
}

/// A rule with a parameter that has more values than are looked at one by one.
fn wide_rule(dice: &mut Dice, text: &mut String) {
    let guard = match dice.next(6) {
        0 => "w + v <= 120".to_owned(),
        1 => "v >= p".to_owned(),
        2 => "v <= w + 30".to_owned(),
        3 => "v != 40".to_owned(),
        4 => "v % 2 = 0 | v > 60".to_owned(),
        _ => "true".to_owned(),
    };
    let action = dice.pick(&[
        "w := w + v;",
        "if w + v <= 150 then w := w + v; end;",
        "w := v;",
        "if v > 50 then x := 1; end; w := v;",
        "w := w + v; if w >= v + 10 then x := 2; end;",
        "if w >= v then w := w - v; else w := 100; end;",
    ]);
    let _ = writeln!(
        text,
        "ruleset p: Process; v: Amount do rule \"wide\" at[p] = P{} & ({guard}) ==> begin {action} at[p] := P{}; end; end;",
        dice.next(2),
        1 + dice.next(2),
    );
}

fn process<'a>(dice: &mut Dice, params: &str) -> &'a str {
    let all = ["p", "node[p].peer", "far(p, 2)", "box[0]", "box[node[p].cell]", "1", "q", "node[q].peer"];
    dice.pick(if params.contains('q') { &all } else { &all[..6] })
}

fn condition(dice: &mut Dice, params: &str, depth: u64) -> String {
    if depth > 0 && dice.next(3) == 0 {
        let (left, right) = (condition(dice, params, depth - 1), condition(dice, params, depth - 1));
        return format!("({left}) {} ({right})", dice.pick(&["&", "|", "->"]));
    }
    let (one, other) = (process(dice, params), process(dice, params));
    match dice.next(12) {
        0 | 1 => "true".to_owned(),
        2 => format!("{one} {} {other}", dice.pick(&["=", "!=", "<", "<="])),
        3 => format!("node[{one}].n < {}", 1 + dice.next(3)),
        4 if params.contains("c:") => "!taken[c] & box[c] != p".to_owned(),
        5 if params.contains("i:") => dice.pick(&["!held[i]", "last = i", "any = i", "node[p].what = i"]).to_owned(),
        6 => format!("isundefined(last) | {}", dice.pick(&["held[last]", "!held[last]"])),
        7 => format!("ismember(node[{one}].what, {})", dice.pick(&["Item", "Colour"])),
        8 => format!("load(node[{one}].cell) <= {}", dice.next(4)),
        9 => format!("upto(x) < {}", 2 + dice.next(8)),
        10 => format!("forall r: Process do r = {one} | node[r].peer != r end"),
        _ => format!("exists c2: Cell do taken[c2] & box[c2] = {one} end"),
    }
}

fn statement(dice: &mut Dice, params: &str) -> String {
    let (one, other) = (process(dice, params), process(dice, params));
    match dice.next(14) {
        0 => format!("node[{one}].peer := {other};"),
        1 => format!("box[node[{one}].cell] := {other};"),
        2 if params.contains("c:") => format!("box[c] := {one}; taken[c] := true;"),
        3 if params.contains("c:") => "node[p].cell := c; taken[c] := !taken[c];".to_owned(),
        4 if params.contains("i:") => {
            dice.pick(&["held[i] := true;", "last := i;", "any := i;", "node[p].what := i;"]).to_owned()
        }
        5 => format!("if node[{one}].n < 3 then node[{one}].n := node[{one}].n + 1; end;"),
        6 => format!("if {one} = {other} then x := {}; else node[{other}].n := 0; end;", dice.next(5)),
        7 => format!("pass(node[{one}], node[{other}]);"),
        8 => format!("alias e: node[{one}] do e.peer := {other}; e.cell := 1 - e.cell; end;"),
        9 => format!("node[{one}].what := {};", dice.pick(&["Red", "Green", "any"])),
        10 => "for r: Process do if node[r].peer = p then node[r].n := 1; end; end;".to_owned(),
        11 => format!("node[{one}] := node[{other}];"),
        12 => "if ismember(any, Item) & !isundefined(last) then held[last] := true; end;".to_owned(),
        _ => format!("x := ({one} + x) % {};", 2 + dice.next(4)),
    }
}

fn claim(dice: &mut Dice) -> String {
    match dice.next(9) {
        0 => format!("x <= {}", 2 + dice.next(3)),
        1 => format!("w <= {}", 100 + 40 * dice.next(4)),
        2 => format!("forall c: Cell do load(c) <= {} end", 2 + dice.next(5)),
        3 => "forall p: Process do at[p] = P2 -> node[p].peer <= p end".to_owned(),
        4 => "forall p: Process do forall q: Process do p = q | node[p].peer != q | node[q].peer != p | x < 4 end end"
            .to_owned(),
        5 => "forall i: Item do held[i] -> exists p: Process do at[p] != P0 end end".to_owned(),
        6 => "exists c: Cell do !taken[c] end".to_owned(),
        7 => "forall p: Process do ismember(node[p].what, Item) -> at[p] != P2 | x = 0 end".to_owned(),
        _ => format!("far(1, 3) + x <= {}", 5 + dice.next(3)),
    }
}
