//! Random models of processes that use their identities as numbers: near-symmetric, asymmetric, with and without cycles.

use std::fmt::Write as _;

/// A generator of choices: the same for the same seed everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5555);
        for _ in 0..4 {
            dice.next(2);
        }
        dice
    }

    pub(crate) fn next(&mut self, sides: u64) -> u64 {
        // Knuth's constants; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.next(words.len() as u64) as usize]
    }
}

/// A model in Murphi.
pub(crate) fn random_text(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let n = 2 + dice.next(2);
    let n_points = 2 + dice.next(2);
    let points: Vec<String> = (0..n_points).map(|at| format!("P{at}")).collect();
    let mut text = format!(
        "type Process: 1..{n}; Other: 0..{}; Point: enum {{ {} }};\n\
         var at: array [Process] of Point; flag: array [Process] of boolean; a: array [Process] of 0..3;\n\
         x: 0..7; y: -3..9; tick: boolean; owner: Process; other: Other; r: record u: 0..3; v: array [Process] of 0..2; end;\n\
         function next(p: Process): Process; begin if p = {n} then return 1; else return p + 1; end; end;\n\
         function total(): 0..40; var t: 0..40;\n\
         begin t := 0; for q: Process do if at[q] = P1 then t := t + a[q]; end; end; return t; end;\n\
         startstate begin x := 0; y := 0; tick := false; owner := {}; other := 0; r.u := 0;\n\
         for p: Process do at[p] := P0; flag[p] := false; a[p] := 0; r.v[p] := 0; end; {}\n\
         end;\n\
         ruleset p: Process do\n",
        n - 1,
        points.join(", "),
        1 + dice.next(n),
        if dice.next(12) == 0 { "undefine x;" } else { "" },
    );
    for at in 0..n_points - 1 {
        for _ in 0..1 + dice.next(2) {
            let guard = condition(&mut dice, 2);
            let back = dice.next(8) == 0;
            let to = if back { dice.next(n_points) } else { at + 1 };
            let mut action = format!("at[p] := P{to};");
            for _ in 0..1 + dice.next(3) {
                let statement = statement(&mut dice, 2);
                if dice.next(2) == 0 {
                    action = format!("{statement} {action}")
                } else {
                    action = format!("{action} {statement}")
                }
            }
            let _ = writeln!(text, "rule \"r{at}\" at[p] = P{at} & ({guard}) ==> begin {action} end;");
        }
    }
    text += "end;\n";
    if dice.next(3) == 0 {
        let two = condition(&mut dice, 1).replace("[p]", "[next(p)]");
        let act = statement(&mut dice, 1);
        let _ = writeln!(
            text,
            "ruleset p: Process; q: Process do rule \"two\" p < q & at[p] = P0 & at[q] = P1 & ({two}) ==> begin {act} \
             at[p] := P1; end; end;"
        );
    }
    match dice.next(4) {
        0 => text += "rule \"stay\" true ==> begin end;\n",
        1 => text += "rule \"tick\" true ==> begin tick := !tick; end;\n",
        _ => {}
    }
    for at in 0..1 + dice.next(2) {
        let claim = claim(&mut dice);
        let _ = writeln!(text, "invariant \"i{at}\" {claim};");
    }
    text
}

fn number(dice: &mut Dice) -> String {
    let plain = ["x", "y", "a[p]", "p", "1", "2", "owner", "r.u", "r.v[p]", "a[owner]", "a[next(p)]", "other", "a[1]"];
    match dice.next(8) {
        0..=5 => dice.pick(&plain).to_owned(),
        6 => format!("({} + {})", dice.pick(&plain), dice.pick(&plain)),
        _ => format!("({} - {})", dice.pick(&plain), dice.pick(&plain)),
    }
}

fn condition(dice: &mut Dice, depth: u64) -> String {
    let compared = |dice: &mut Dice| {
        let (left, right) = (number(dice), number(dice));
        format!("{left} {} {right}", dice.pick(&["=", "!=", "<", "<=", ">", ">="]))
    };
    if depth == 0 {
        return compared(dice);
    }
    match dice.next(14) {
        0 | 1 => "true".to_owned(),
        2 | 3 => compared(dice),
        4 => format!("({}) & ({})", condition(dice, depth - 1), condition(dice, depth - 1)),
        5 => format!("({}) | ({})", condition(dice, depth - 1), condition(dice, depth - 1)),
        6 => format!("!({})", condition(dice, depth - 1)),
        7 => "forall q: Process do q = p | at[q] != P1 end".to_owned(),
        8 => "exists q: Process do q < p & flag[q] end".to_owned(),
        9 => "flag[p]".to_owned(),
        10 => "!flag[next(p)]".to_owned(),
        11 => "owner = p".to_owned(),
        12 => format!("total() {} {}", dice.pick(&["<", ">="]), 1 + dice.next(3)),
        _ => format!("forall q: Process do a[q] <= {} -> q <= {} end", number(dice), number(dice)),
    }
}

fn statement(dice: &mut Dice, depth: u64) -> String {
    match dice.next(if depth == 0 { 12 } else { 16 }) {
        0 => "if x < 6 then x := x + 1; end;".to_owned(),
        1 => "if x + p <= 7 then x := x + p; end;".to_owned(),
        2 => "x := p;".to_owned(),
        3 => "a[p] := (a[p] + 1) % 4;".to_owned(),
        4 => "a[owner] := 2;".to_owned(),
        5 => "a[next(p)] := 1;".to_owned(),
        6 => "owner := p;".to_owned(),
        7 => "owner := next(owner);".to_owned(),
        8 => "flag[p] := !flag[p];".to_owned(),
        9 => "flag[next(p)] := true;".to_owned(),
        10 => format!("y := {};", dice.pick(&["p", "x", "p - owner", "a[p] + p", "y - y + 1"])),
        11 => "r.v[p] := r.u; if r.u < 3 then r.u := r.u + 1; end;".to_owned(),
        12 => format!("if {} then {} else {} end;", condition(dice, 1), statement(dice, 0), statement(dice, 0)),
        13 => "for q: Process do if at[q] = P0 then a[q] := 0; end; end;".to_owned(),
        14 => "for q: Process do if flag[q] then owner := q; end; end;".to_owned(),
        _ => "other := p - 1; at[owner] := P0;".to_owned(),
    }
}

fn claim(dice: &mut Dice) -> String {
    match dice.next(7) {
        0 => format!("x <= {}", 4 + dice.next(4)),
        1 => format!("y <= {}", 4 + dice.next(5)),
        2 => format!("forall p: Process do at[p] = P1 -> {} end", condition(dice, 1)),
        3 => "forall p: Process do forall q: Process do p != q -> !(at[p] = P1 & at[q] = P1 & a[p] + a[q] > 3) end end"
            .to_owned(),
        4 => format!("total() <= {}", 3 + dice.next(6)),
        5 => format!("x + owner <= {}", 7 + dice.next(5)),
        _ => format!("exists q: Process do a[q] < {} end", 2 + dice.next(2)),
    }
}
