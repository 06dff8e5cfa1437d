//! Expressions that write.

use crate::torture::condition::Position;
use crate::torture::world::{Identities, Ty, Var, World};

impl World {
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
                let id = 1 + self.rng.u32(0..2) + u32::from(self.identities == Identities::Scalarset);
                self.property("invariant", &format!("!a[{id}]"));
                self.rules.push(format!("ruleset n: N do rule \"{name}t\" a[n] ==> begin a[n] := false; end; end;"));
                format!("{f} & !a[n] & (forall z: N do z {relation} n -> ({flag} & !a[z]) end)")
            }
            0 => format!("{f}(n) & {read}"),
            1 => format!("{f}(n) & (forall z: N do {read} | z = n end)"),
            _ => format!("({part}) & {f}(n) & {read}"),
        };
        self.need("go");
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
    }

    pub(super) fn call_effect(&mut self) {
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
        match self.rng.u32(0..6) {
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
            Identities::Scalarset => ["1", "3"],
            Identities::Range => ["0", "2"],
            Identities::Enumeration => ["n0", "n2"],
        };
        let [not, bad] = if self.one_in(2) { [first, last] } else { [last, first] };
        self.start += "for n: N do a[n] := false; end;";
        let assume = format!("begin assume n != {not}; return");
        match self.rng.u32(0..5) {
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
        self.mark("expect violated invalid");
        self.sealed = true;
    }
}
