//! Expressions that write. Where the language gives them no order they are refused, whatever else is in the text.

use crate::torture::condition::Position;
use crate::torture::world::{Identities, Ty, Var, World};

/// What becomes of a call with effects in a guard, binder, property, quantifier or condition on elements.
const REFUSED: &str = "expect invalid";

impl World {
    /// Perhaps a guard that is refused for certain: elsewhere a constant may decide before a call is evaluated.
    fn refused(&mut self, guard: &str) {
        if self.one_in(2) {
            self.need("go");
            self.rule(guard, "go := !go;");
            self.mark(REFUSED);
        }
    }

    pub(super) fn quantifier_effect(&mut self) {
        let f = self.effectful(Ty::Bool);
        let word = self.pick(&["exists", "forall"]);
        let body = match self.rng.u32(0..4) {
            0 => format!("!{f}(z)"),
            1 => {
                let scope = self.global_scope().with(Var::new("z", Ty::Id, false, true));
                let part = self.boolean(&scope, 1);
                let operator = self.pick(&["&", "|", "->"]);
                if self.one_in(2) {
                    format!("({part}) {operator} {f}(z)")
                } else {
                    format!("{f}(z) {operator} ({part})")
                }
            }
            _ => format!("{f}(z)"),
        };
        self.spread(&format!("({word} z: N do {body} end)"), Position::Any);
        self.property_of_picked();
        self.refused(&format!("({word} z: N do {f}(z) end)"));
    }

    pub(super) fn predicate_effect(&mut self) {
        let f = self.effectful(Ty::Bool);
        self.need("m");
        let not = self.pick(&["", "!"]);
        if self.one_in(2) {
            let number = self.rng.u32(0..3);
            self.spread(&format!("MultisetCount(i: m, {not}{f}(m[i])) = {number}"), Position::Any);
        } else {
            let gate = self.gate();
            self.rule(&gate, &format!("MultisetRemovePred(i: m, {not}{f}(m[i])); go := true;"));
        }
        self.property_of_picked();
        self.refused(&format!("MultisetCount(i: m, {f}(m[i])) = 1"));
    }

    pub(super) fn guard_effect(&mut self) {
        let f = self.effectful(Ty::Bool);
        let scope = self.global_scope().with(Var::new("n", Ty::Id, false, true));
        let (part, body) = (self.boolean(&scope, 2), self.statement(&scope, 1));
        let name = self.fresh("r");
        let read = match self.rng.u32(0..3) {
            0 if self.has("x") => "!isundefined(x)".to_owned(),
            1 if self.has("a") => "a[n]".to_owned(),
            _ => part.clone(),
        };
        let guard = match self.rng.u32(0..5) {
            // Nearly symmetric: only the adaptive search looks at conjuncts one by one.
            3.. if self.identities != Identities::Enumeration => {
                self.need("a");
                self.need("d");
                self.size = 4;
                self.capacity = 4;
                self.routine_texts.push(format!("function {name}f(): boolean; begin d := !go; return true; end;"));
                let flag = self.pick(&["d", "!d"]);
                let f = if !self.one_in(3) { format!("{name}f()") } else { format!("{f}(n)") };
                let relation = self.pick(&["<", ">"]);
                // One in the middle: it depends on the others whether it can be reached.
                let id = 1
                    + self.rng.u32(0..2)
                    + u32::from(matches!(self.identities, Identities::Scalarset | Identities::Ringset));
                self.property("invariant", &format!("!a[{id}]"));
                self.rules.push(format!("ruleset n: N do rule \"{name}t\" a[n] ==> begin a[n] := false; end; end;"));
                format!("{f} & !a[n] & (forall z: N do z {relation} n -> ({flag} & !a[z]) end)")
            }
            0 => format!("{f}(n) & {read}"),
            1 => format!("{f}(n) & (forall z: N do {read} | z = n end)"),
            _ => format!("({part}) & {f}(n) & {read}"),
        };
        self.need("go");
        self.refused(&format!("{f}(y)"));
        self.need("y");
        let is_near = guard.contains("z <") || guard.contains("z >");
        let body = if is_near { "a[n] := true;".to_owned() } else { body };
        self.rules.push(format!("ruleset n: N do rule \"{name}\" {guard} ==> begin {body} go := true; end; end;"));
        if is_near {
            // Whatever else tells identities apart makes the adaptive search look closer.
            self.sealed = self.one_in(2);
        } else {
            self.property_of_picked();
        }
    }

    pub(super) fn binder_effect(&mut self) {
        self.need("y");
        let f = self.effectful(Ty::Bool);
        let id = if self.one_in(2) { self.constant_identity() } else { "z".to_owned() };
        let (open, close) = if id == "z" { ("ruleset z: N do ", " end;") } else { ("", "") };
        let name = self.fresh("r");
        let kind = self.pick(&["invariant", "cover", "assume", "liveness"]);
        self.need("go");
        let text = match self.rng.u32(0..5) {
            0 => format!("rule \"{name}\" t ==> begin go := !go; end;"),
            1 => format!("rule \"{name}\" true ==> begin go := t; end;"),
            2 => format!(
                "rule \"{name}\" !go ==> begin go := true; end; rule \"{name}b\" t & go ==> begin go := false; end;"
            ),
            3 => format!("{kind} \"{name}\" t | !go;"),
            _ => format!("{kind} \"{name}\" t | true; invariant \"{name}c\" go | !go;"),
        };
        self.rules.push(format!("{open}alias t: {f}({id}) do {text} end;{close}"));
        self.property_of_picked();
        self.mark(REFUSED);
    }

    pub(super) fn property_effect(&mut self) {
        let f = self.effectful(Ty::Bool);
        let id = self.constant_identity();
        let condition = match self.rng.u32(0..3) {
            0 => format!("(forall z: N do {f}(z) | true end)"),
            1 => format!("{f}({id})"),
            _ => format!("(exists z: N do {f}(z) end)"),
        };
        self.spread(&condition, Position::Property);
        self.property_of_picked();
        self.property_of_picked();
        if self.one_in(2) {
            self.property("invariant", &format!("{f}({id})"));
            self.mark(REFUSED);
        }
    }

    pub(super) fn call_effect(&mut self) {
        if self.is_empty() && self.one_in(3) {
            return self.calls_in_order();
        }
        self.need("a");
        let (g, h) = (self.effectful(Ty::Id), self.effectful(Ty::Int));
        let gate = self.gate();
        let (top, id) = (self.top, self.constant_identity());
        self.need("c");
        let body = match self.rng.u32(0..9) {
            0 => format!("a[{g}(y)] := !a[{g}(y)];"),
            1 => format!("for v := 0 to {h}({id}) do c := v; end;"),
            2 => format!("c := ({h}({id}) + {h}(y)) % {};", top + 1),
            3 => format!("c := ({h}(y) + c) % {};", top + 1),
            4 => format!("alias t: a[{g}(y)] do t := !t; a[y] := t; end;"),
            5 => format!("switch {h}(y) case 0: c := {h}({id}); else c := 0; end;"),
            6 => format!("y := {g}({g}(y));"),
            7 => {
                let name = self.fresh("g");
                self.need("d");
                self.routine_texts
                    .push(format!("procedure {name}(o: R; n: N; var t: boolean); begin t := !t; c := o; y := n; end;"));
                self.note_routine(&name, vec![(Ty::Int, false), (Ty::Id, false), (Ty::Bool, true)], None);
                format!("{name}({h}({id}), {g}(y), a[{g}(y)]);")
            }
            _ => format!("c := c; a[{g}(y)] := c = {h}(y);"),
        };
        self.rule(&gate, &format!("{body} go := true;"));
        // The same call where none may be.
        if self.one_in(6) {
            self.refused(&format!("{h}({id}) = 0"));
        }
        self.property_of_picked();
    }

    pub(super) fn assume_in_function(&mut self) {
        if self.is_empty() && self.one_in(3) {
            return self.assume_alone();
        }
        let name = self.fresh("f");
        self.need("a");
        let scope = self.global_scope().with(Var::new("n", Ty::Id, false, true));
        let condition = match self.rng.u32(0..4) {
            0 => format!("n != {}", self.constant_identity()),
            1 => "isundefined(y) | n != y".to_owned(),
            2 => "!a[n]".to_owned(),
            _ => self.boolean(&scope, 1),
        };
        self.need("y");
        let result = self.boolean(&scope, 1);
        self.routine_texts
            .push(format!("function {name}(n: N): boolean; begin assume {condition}; return {result}; end;"));
        let rule = self.fresh("r");
        self.need("go");
        let place = self.rng.u32(0..6);
        match place {
            0..3 => self.mark(REFUSED),
            3 => self.refused(&format!("(exists z: N do {name}(z) end)")),
            _ => {}
        }
        match place {
            0 => self.rules.push(format!(
                "ruleset n: N do alias t: {name}(n) do rule \"{rule}\" !a[n] ==> begin a[n] := true; go := t; end; end; end;"
            )),
            1 => self.rules.push(format!("ruleset n: N do rule \"{rule}\" {name}(n) ==> begin a[n] := true; end; end;")),
            2 => self.properties.push(format!("ruleset n: N do invariant \"{rule}\" {name}(n); end;")),
            3 => self.spread(&format!("(exists z: N do {name}(z) end)"), Position::Any),
            4 => {
                let procedure = self.fresh("g");
                self.routine_texts.push(format!("procedure {procedure}(n: N); begin assume {condition}; a[n] := true; end;"));
                self.rules.push(format!("ruleset n: N do rule \"{rule}\" !a[n] ==> begin {procedure}(n); end; end;"));
            }
            _ => self.rules.push(format!("ruleset n: N do rule \"{rule}\" !a[n] ==> begin a[n] := {name}(n); end; end;")),
        }
        self.property_of_picked();
    }

    /// A failed assumption is about one instance; the others go on. What must come out is known.
    fn assume_alone(&mut self) {
        self.size = 3;
        self.need("a");
        self.need("go");
        let [first, last] = match self.identities {
            Identities::Scalarset | Identities::Ringset => ["1", "3"],
            Identities::Range => ["0", "2"],
            Identities::Enumeration => ["n0", "n2"],
        };
        let [not, bad] = if self.one_in(2) { [first, last] } else { [last, first] };
        self.start += "for n: N do a[n] := false; end;";
        let assume = format!("begin assume n != {not}; return");
        let place = self.rng.u32(0..5);
        match place {
            0 => {
                self.routine_texts.push(format!("function f(n: N): boolean; {assume} n != {bad}; end;"));
                self.properties.push("ruleset n: N do invariant \"i\" f(n); end;".to_owned());
                self.rule("true", "go := !go;");
            }
            1 => {
                self.routine_texts.push(format!("function f(n: N): N; {assume} n; end;"));
                self.rules.push(
                    "ruleset n: N do alias t: f(n) do rule \"r\" !a[n] ==> begin a[t] := true; end; end; end;"
                        .to_owned(),
                );
                self.property("invariant", &format!("!a[{bad}]"));
            }
            2 => {
                self.routine_texts.push(format!("function f(n: N): boolean; {assume} true; end;"));
                self.rules.push("ruleset n: N do rule \"r\" f(n) & !a[n] ==> begin a[n] := true; end; end;".to_owned());
                self.property("invariant", &format!("!a[{bad}]"));
            }
            3 => {
                self.routine_texts.push(format!("procedure f(n: N); begin assume n != {not}; a[n] := true; end;"));
                self.rules.push("ruleset n: N do rule \"r\" !a[n] ==> begin f(n); end; end;".to_owned());
                self.property("invariant", &format!("!a[{bad}]"));
            }
            _ => {
                self.routine_texts.push(format!("function f(n: N): boolean; {assume} true; end;"));
                self.rules.push("ruleset n: N do rule \"r\" !a[n] ==> begin a[n] := f(n); end; end;".to_owned());
                self.property("invariant", &format!("!a[{bad}]"));
            }
        }
        self.mark(if place < 3 { REFUSED } else { "expect violated" });
        self.sealed = true;
    }

    /// Calls that write happen from left to right, and only those that are evaluated. What must come out is known.
    fn calls_in_order(&mut self) {
        self.own_globals.push("t: 0..49; v: -99999..99999; w: array[0..6] of 0..49;".to_owned());
        self.need("go");
        self.start += "t := 1; v := 0; for j := 0 to 6 do w[j] := 0; end;";
        self.routine_texts.push(
            "function f(k: 0..9): 0..49; begin t := (t * 3 + k) % 50; return t; end;\n\
             procedure g(o: 0..49; o2: 0..49; o3: 0..49); begin v := o * 1000 + o2 * 100 + o3; end;"
                .to_owned(),
        );
        let mut t = 1;
        let (body, condition) = match self.rng.u32(0..5) {
            0..2 => {
                let (text, value) = self.ticking(3, &mut t);
                (format!("v := {text};"), format!("v = ({value})"))
            }
            2 => {
                let [one, two, three] = [0; 3].map(|_| self.tick(&mut t));
                let value = one.1 * 1000 + two.1 * 100 + three.1;
                (format!("g({}, {}, {});", one.0, two.0, three.0), format!("v = {value}"))
            }
            3 => {
                // The right side of an assignment comes first.
                let (value, index) = (self.tick(&mut t), self.tick(&mut t));
                (format!("w[{} % 7] := {};", index.0, value.0), format!("w[{}] = {}", index.1 % 7, value.1))
            }
            _ => {
                // The condition is evaluated once for each round.
                let (mut rounds, limit) = (0, 5 + i64::from(self.rng.u32(0..30)));
                loop {
                    t = (t * 3 + 1) % 50;
                    if t > limit || rounds == 40 {
                        break;
                    }
                    rounds += 1;
                }
                (format!("while f(1) <= {limit} & v < 40 do v := v + 1; end;"), format!("v = {rounds}"))
            }
        };
        self.rule("!go", &format!("{body} go := true;"));
        self.property("invariant", &format!("!go | ({condition} & t = {t})"));
        self.mark("expect holds");
        self.sealed = true;
    }

    /// A call, and what it returns.
    fn tick(&mut self, t: &mut i64) -> (String, i64) {
        let k = i64::from(self.rng.u32(0..10));
        *t = (*t * 3 + k) % 50;
        (format!("f({k})"), *t)
    }

    /// A number made of calls, and which one.
    fn ticking(&mut self, depth: u32, t: &mut i64) -> (String, i64) {
        if depth == 0 || self.one_in(6) {
            return self.tick(t);
        }
        match self.rng.u32(0..6) {
            0 => {
                let (condition, is_true) = self.ticking_condition(depth - 1, t);
                let before = *t;
                let mut other = before;
                let (yes, one) = self.ticking(depth - 1, if is_true { t } else { &mut other });
                other = before;
                let (no, two) = self.ticking(depth - 1, if is_true { &mut other } else { t });
                (format!("({condition} ? {yes} : {no})"), if is_true { one } else { two })
            }
            choice => {
                let (left, one) = self.ticking(depth - 1, t);
                let (right, two) = self.ticking(depth - 1, t);
                match choice {
                    1 | 2 => (format!("({left} + {right})"), one + two),
                    3 | 4 => (format!("({left} - {right})"), one - two),
                    _ => (format!("({left} * 2 - {right})"), one * 2 - two),
                }
            }
        }
    }

    fn ticking_condition(&mut self, depth: u32, t: &mut i64) -> (String, bool) {
        let (left, one) = self.ticking(depth, t);
        let limit = i64::from(self.rng.u32(0..50));
        let (first, is_true) = (format!("({left} < {limit})"), one < limit);
        let operator = self.pick(&["", "&", "|", "->"]);
        if operator.is_empty() || depth == 0 {
            return (first, is_true);
        }
        // The right side is evaluated only if the left one does not decide.
        let decides = if operator == "|" { is_true } else { !is_true };
        let mut unseen = *t;
        let (second, holds) = self.ticking_condition(depth - 1, if decides { &mut unseen } else { t });
        let value = match (operator, decides) {
            ("&", true) => false,
            (_, true) => true,
            (_, false) => holds,
        };
        (format!("({first} {operator} {second})"), value)
    }
}
