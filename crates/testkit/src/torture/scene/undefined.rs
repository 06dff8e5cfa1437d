//! Undefined values: where they are copied, and where something faults on them though it need not be looked at.

use crate::torture::world::{Identities, Ty, World};

impl World {
    /// The table of copies: a model that does nothing else, whose answer is known.
    pub(super) fn undefined_copy(&mut self) {
        let is_first = self.is_empty();
        let (ty, is_range) = match self.rng.u32(0..4) {
            0 => (Ty::Color, false),
            1 => (Ty::Id, self.identities == Identities::Range),
            _ => (Ty::Int, true),
        };
        let name = ty.name();
        let v = self.fresh("v");
        let other = match ty {
            Ty::Color => "ea".to_owned(),
            Ty::Int => "0".to_owned(),
            _ => self.constant_identity(),
        };
        self.own_types.push(format!("T{v}: record f: {name}; o: {name}; end; A{v}: array[N] of {name};"));
        self.own_globals
            .push(format!("p{v}: T{v}; g{v}: {name}; e{v}: A{v}; last{v}: {name}; m{v}: multiset[2] of T{v};"));
        self.start += &format!("undefine p{v}; undefine g{v}; undefine e{v}; last{v} := {other}; undefine m{v};");
        let id = self.constant_identity();
        // What both other tools call a fault is one; what CMurphi copies is copied.
        let (is_fault, body) = match self.rng.u32(0..14) {
            0 => (Some(false), format!("last{v} := g{v};")),
            1 => (Some(is_range), format!("last{v} := p{v}.f;")),
            2 => (Some(is_range), format!("last{v} := e{v}[{id}];")),
            3 => (Some(is_range), format!("alias l: p{v}.f do last{v} := l; end;")),
            4 => (Some(is_range), format!("alias l: g{v} do last{v} := l; end;")),
            5 => {
                self.routine_texts.push(format!("procedure g{v}f(o: T{v}); begin last{v} := o.f; end;"));
                (Some(is_range), format!("g{v}f(p{v});"))
            }
            6 => {
                self.routine_texts.push(format!("procedure g{v}f(o: {name}); begin last{v} := o; end;"));
                (Some(false), format!("g{v}f(g{v});"))
            }
            7 => (Some(false), format!("p{v} := p{v}; e{v} := e{v};")),
            8 => (is_range.then_some(true), format!("last{v} := (go ? {other} : g{v});")),
            9 => {
                self.routine_texts.push(format!("function g{v}f(): {name}; begin return g{v}; end;"));
                (is_range.then_some(true), format!("last{v} := g{v}f();"))
            }
            10 => (Some(is_range), format!("for n: N do if n = {id} then last{v} := e{v}[n]; end; end;")),
            11 => {
                self.routine_texts.push(format!("procedure g{v}f(var o: T{v}); begin last{v} := o.f; end;"));
                (Some(is_range), format!("g{v}f(p{v});"))
            }
            12 => (Some(false), format!("p{v}.o := {other}; MultisetAdd(p{v}, m{v});")),
            _ => {
                self.routine_texts
                    .push(format!("procedure g{v}f(var o: {name}); var l: {name}; begin l := o; last{v} := l; end;"));
                (None, format!("g{v}f(g{v});"))
            }
        };
        self.need("go");
        self.rule("!go", &format!("{body} go := true;"));
        // With another trap in the text the answer is no longer known.
        match is_fault {
            Some(is_fault) if is_first => self.alone(is_fault),
            _ => self.property_of_picked(),
        }
    }

    /// States what must come out of a text that has nothing else in it.
    fn alone(&mut self, is_fault: bool) {
        self.mark(if is_fault { "expect violated" } else { "expect holds" });
        self.sealed = true;
    }

    pub(super) fn binder_fault(&mut self) {
        self.need("p");
        self.need("a");
        self.need("go");
        self.need("y");
        self.need("c");
        let name = self.fresh("r");
        let set = self.pick(&["undefine p[n];", "undefine a[n];", "undefine y;", "c := 0;", "undefine p;"]);
        let when = self.pick(&["true", "!go", "!isundefined(y)", "isundefined(y)"]);
        self.rules.push(format!("ruleset n: N do rule \"{name}u\" {when} ==> begin {set} go := true; end; end;"));
        let guard = self.pick(&["go", "!go", "false", "a[n] & !a[n]", "n != n"]);
        let kind = self.pick(&["invariant", "assume", "cover", "liveness"]);
        let binder = match self.rng.u32(0..8) {
            0..3 => "alias l: a[p[n]] do ",
            3 => "alias l: p[p[n]] = n do ",
            4 => "alias l: a[y] do ",
            5 => "alias l: 2 / c = 1 do ",
            6 => "alias l: (forall z: N do a[p[z]] end) do ",
            _ => {
                self.own_globals.push(format!("ms{name}: array[N] of multiset[2] of N;"));
                self.start += &format!("for n: N do undefine ms{name}[n]; end;");
                &format!("alias l: a[n] do choose i: ms{name}[p[n]] do ")
            }
        };
        let ends = " end;".repeat(binder.matches(" do ").count() - binder.matches("forall").count());
        let inner = match self.rng.u32(0..3) {
            0 if !binder.contains("choose") => format!("{kind} \"{name}\" l | {guard} | true;"),
            1 if !binder.contains("choose") => format!("{kind} \"{name}\" l;"),
            _ => format!("rule \"{name}\" {guard} ==> begin a[n] := !l; end;"),
        };
        self.rules.push(format!("ruleset n: N do {binder}{inner}{ends} end;"));
        self.property_of_picked();
    }

    pub(super) fn property_fault(&mut self) {
        if self.one_in(4) {
            return self.instance_fault();
        }
        if self.is_empty() && self.one_in(6) {
            return self.liveness_fault();
        }
        self.need("q");
        self.need("a");
        let top = self.top;
        let kind = self.pick(&["liveness", "cover", "assume", "invariant", "liveness", "cover"]);
        let word = self.pick(&["exists", "forall"]);
        let condition = match self.rng.u32(0..8) {
            0..2 => format!("({word} z: N do 1 / ({top} - q[z]) = 1 end)"),
            2 => format!("({word} z: N do q[z] = 0 | 1 / ({top} - q[z]) = 1 end)"),
            3 => {
                self.need("p");
                format!("({word} z: N do a[p[z]] end)")
            }
            4 => {
                self.need("c");
                self.rule(&format!("c < {top}"), "c := c + 1;");
                format!("{top} / ({top} - c) = 1")
            }
            5 => {
                self.need("y");
                "a[y]".to_owned()
            }
            6 => {
                self.need("y");
                format!("({word} z: N do isundefined(y) | a[z] & q[z] / q[y] = 0 end)")
            }
            _ => format!("({word} z: N do ({word} z2: N do q[z] / q[z2] < 2 end) end)"),
        };
        let name = self.fresh("r");
        if self.one_in(4) {
            self.properties.push(format!("ruleset n: N do {kind} \"{name}\" {condition} | a[n]; end;"));
        } else if self.one_in(4) {
            self.properties.push(format!("alias l: {condition} do {kind} \"{name}\" l; end;"));
        } else {
            self.property(kind, &condition);
        }
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}\" q[n] < {top} & !a[n] ==> begin q[n] := q[n] + 1; a[n] := true; end; \
             rule \"{name}b\" a[n] ==> begin a[n] := false; end; end;"
        ));
        if self.has("p") {
            self.rules.push(format!("ruleset n: N do rule \"{name}c\" a[n] ==> begin undefine p[n]; end; end;"));
        }
        if self.one_in(2) {
            self.property_of_picked();
        }
    }

    /// A liveness condition that is decided before it meets what faults, in all but some images of a state.
    fn liveness_fault(&mut self) {
        self.need("q");
        self.need("go");
        // Who stands for an orbit may be whoever has the least value, or the greatest.
        let [common, other] = if self.one_in(2) { [0, self.top] } else { [self.top, 0] };
        self.start += &format!("for n: N do q[n] := {common}; end; go := false;");
        self.rules.push(format!("ruleset n: N do rule \"r\" !go ==> begin q[n] := {other}; go := true; end; end;"));
        let condition = match self.rng.u32(0..3) {
            0 => format!("(exists z: N do 99 / (q[z] - {other}) != 0 end)"),
            1 => format!("!(forall z: N do 99 / (q[z] - {other}) = 0 end)"),
            _ => format!("(exists z: N do 99 / (q[z] - {other}) != 0 & (exists z2: N do z2 != z end) end)"),
        };
        self.property("liveness", &condition);
        self.mark("expect violated");
        self.sealed = true;
    }

    /// One instance of a property decides, the others fault.
    fn instance_fault(&mut self) {
        self.need("p");
        self.need("a");
        self.need("go");
        let kind = self.pick(&["liveness", "cover", "assume", "invariant", "assume", "cover"]);
        let (name, value) = (self.fresh("r"), self.pick(&["true", "false"]));
        let rest = self.pick(&["undefine p[k];", "undefine a[k];", "undefine p[k]; undefine a[k];"]);
        // Who stands for an orbit may be whoever is first, or last.
        let sign = self.pick(&["!=", "="]);
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}\" !go ==> begin for k: N do p[k] := k; a[k] := {value}; \
             if k {sign} n then {rest} end; end; go := true; end; end;"
        ));
        let not = self.pick(&["", "!"]);
        let property = match self.rng.u32(0..5) {
            0 | 1 => format!("ruleset n: N do alias l: a[p[n]] do {kind} \"{name}\" {not}l; end; end;"),
            2 => format!("ruleset n: N do {kind} \"{name}\" {not}a[p[n]]; end;"),
            3 => {
                let word = self.pick(&["exists", "forall"]);
                format!("{kind} \"{name}\" ({word} z: N do {not}a[p[z]] end);")
            }
            _ => format!("ruleset n: N; n2: N do {kind} \"{name}\" {not}a[p[n]] | n = n2; end;"),
        };
        self.properties.push(property);
    }
}
