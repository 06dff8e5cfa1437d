//! What depends on the order of identities, rules and parameters.

use crate::torture::condition::Position;
use crate::torture::world::{Routine, Ty, Var, World};

impl World {
    pub(super) fn var_parameter(&mut self) {
        let ty = self.choice(&[Ty::Int, Ty::Int, Ty::Bools, Ty::Bool, Ty::Id, Ty::Ints]).expect("there are some");
        let global = match ty {
            Ty::Int => "c",
            Ty::Bools => "a",
            Ty::Ints => "q",
            Ty::Id => "x",
            _ => "d",
        };
        self.need(global);
        self.need("d");
        let name = self.fresh("g");
        let two = self.one_in(2);
        let parameters = if two { vec![(ty, true), (ty, true)] } else { vec![(ty, true)] };
        let result = if self.one_in(2) { Some(Ty::Bool) } else { None };
        let routine = Routine { name: name.clone(), parameters, result, effect: true };
        let top = self.top;
        self.declare(routine, &["o", "o2"], "", |world, scope| {
            let own = match ty {
                Ty::Int => format!("if o < {top} then o := o + 1; end;"),
                Ty::Bools => "for n: N do if o[n] then o[n] := false; end; end;".to_owned(),
                Ty::Ints => format!("for n: N do if o[n] < {top} then o[n] := o[n] + 1; end; end;"),
                Ty::Id => "if isundefined(o) then d := true; end;".to_owned(),
                _ => "o := !o;".to_owned(),
            };
            let both = if two && ty.is_scalar() { "if o = o2 then d := true; end;" } else { "" };
            let more = world.statement(scope, 1);
            let answer = match result {
                None => String::new(),
                Some(_) if ty == Ty::Bools => {
                    "for n: N do if o[n] then return true; end; end; return false;".to_owned()
                }
                Some(_) => format!("return {};", world.boolean(scope, 1)),
            };
            match world.rng.u32(0..4) {
                0 => format!("{more} {own} {both} {answer}"),
                1 => format!("{own} {answer}"),
                _ => format!("{own} {both} {answer}"),
            }
        });
        let gate = self.gate();
        let by_reference = ByReference { name, ty, global, two, is_function: result.is_some() };
        for _ in 0..1 + self.rng.u32(0..2) {
            self.call_with_reference(&by_reference, &gate);
        }
        self.rule(&gate, &format!("{} go := true;", by_reference.call(global, global)));
        self.property_of_picked();
    }

    /// A rule that passes a local, an element or the variable itself.
    fn call_with_reference(&mut self, routine: &ByReference, gate: &str) {
        let &ByReference { ty, global, .. } = routine;
        let rule = self.fresh("r");
        let ty_name = ty.name();
        let id = self.constant_identity();
        let before = match (ty, self.rng.u32(0..3)) {
            (Ty::Bools | Ty::Ints, 0) => format!("l[y] := {};", if ty == Ty::Bools { "true" } else { "0" }),
            (Ty::Bools | Ty::Ints, 1) => format!("l[{id}] := {};", if ty == Ty::Bools { "true" } else { "0" }),
            (_, 1) => format!("l := {global};"),
            _ => String::new(),
        };
        let actual = if self.one_in(3) { global } else { "l" };
        let call = routine.call("l", actual);
        let after = match ty {
            Ty::Int => "if !isundefined(l) then c := l; end;",
            Ty::Bools => "a := l;",
            _ => "",
        };
        let after = if self.one_in(2) { after } else { "" };
        self.rules.push(format!(
            "rule \"{rule}\" {gate} ==> var l: {ty_name}; begin {before} {call} {after} go := true; end;"
        ));
    }

    pub(super) fn loop_order(&mut self) {
        self.need("a");
        self.need("x");
        self.need("q");
        let gate = self.gate();
        let scope = self.global_scope();
        let top = self.top;
        let (statement, more) = {
            let inner = scope.with(Var::new("n", Ty::Id, false, true));
            let mut inner = inner;
            inner.in_loop = true;
            (self.statement(&inner, 2), self.statement(&inner, 1))
        };
        let local = self.pick(&["N", "boolean", "R"]);
        let own = self.round_of_its_own();
        let body = match self.rng.u32(0..18) {
            0..6 => {
                let more = if self.one_in(2) { self.round_of_its_own() } else { String::new() };
                format!("for n: N do {own} {more} end;")
            }
            6 => format!("for n: N do {own} if a[n] then x := n; end; {more} end;"),
            7 => "for n: N do if isundefined(x) then x := n; end; end;".to_owned(),
            8 => format!("for n: N do {statement} end;"),
            9 => format!(
                "for n: N do if isundefined(t) then a[n] := true; end; for v: {local} do t := v; end; {more} end;"
            ),
            10 => format!("for n: N do if q[n] = 0 then return; end; {statement} end;"),
            11 => format!("for n: N do for n2: N do if n != n2 then a[n] := a[n2]; end; end; {more} end;"),
            12 => {
                "for n: N do alias l: q[n] do if l > 0 & isundefined(x) then l := 0; x := n; end; end; end;".to_owned()
            }
            13 => format!("for n: N do c := (c + q[n]) % {}; if c = {top} then a[n] := true; end; end;", top + 1),
            14 => "for n: N do t := n; end; if !isundefined(t) then x := t; end;".to_owned(),
            15 => format!("for n: N do undefine x; if a[n] then x := n; end; {statement} end;"),
            16 => "for n: N do if n = y then return; end; a[n] := !a[n]; end;".to_owned(),
            _ => format!("for n: N do {statement} {more} end;"),
        };
        self.need("c");
        let local = if body.contains("t := n") { "N" } else { local };
        let rule = self.fresh("r");
        if self.one_in(3) && !body.contains('t') {
            self.routine_texts.push(format!("procedure {rule}g(); begin {body} end;"));
            self.rule(&gate, &format!("{rule}g(); go := true;"));
        } else {
            self.rules.push(format!("rule \"{rule}\" {gate} ==> var t: {local}; begin go := true; {body} end;"));
        }
        self.rules.push(format!(
            "ruleset n: N do rule \"{rule}q\" q[n] < {top} & !go ==> begin q[n] := q[n] + 1; a[n] := q[n] = {top}; end; end;"
        ));
        self.property_of_picked();
    }

    /// A statement of a loop over `n` that meets other rounds hardly or not at all.
    fn round_of_its_own(&mut self) -> String {
        let top = self.top;
        for name in ["a", "b", "q"] {
            self.need(name);
        }
        match self.rng.u32(0..12) {
            0 => "a[n] := !a[n];".to_owned(),
            1 => "if a[n] then b[n] := true; end;".to_owned(),
            2 => format!("if q[n] < {top} then q[n] := q[n] + 1; else a[n] := false; end;"),
            3 => "if n != y then a[n] := true; else b[n] := a[n]; end;".to_owned(),
            4 => "if a[n] then go := true; end;".to_owned(),
            5 => format!("if q[n] = {top} then c := {top}; end;"),
            6 => "alias l: a[n] do l := b[n]; end;".to_owned(),
            7 => "b[n] := exists z: N do a[z] & z != n end;".to_owned(),
            8 => "if b[n] then x := y; end;".to_owned(),
            9 => "if a[n] then undefine x; end;".to_owned(),
            10 => "if a[n] & b[n] then error \"both\"; end;".to_owned(),
            _ => "if !isundefined(x) then a[x] := true; end; b[n] := !b[n];".to_owned(),
        }
    }

    pub(super) fn priority(&mut self) {
        self.need("a");
        self.need("go");
        for priority in 0..2 + self.rng.u32(0..2) {
            let name = self.fresh("r");
            let scope = self.global_scope().with(Var::new("n", Ty::Id, false, true));
            let (guard, body) = (self.boolean(&scope.pure(), 2), self.block(&scope, 1));
            let number = if self.one_in(3) { self.rng.u32(0..5) } else { priority };
            let fault = match self.rng.u32(0..6) {
                0 => " & p[y] = n",
                1 => " & a[y]",
                _ => "",
            };
            if !fault.is_empty() {
                self.need("p");
                self.need("y");
            }
            self.rules
                .push(format!("ruleset n: N do rule {number} \"{name}\" {guard}{fault} ==> begin {body} end; end;"));
        }
        self.property_of_picked();
    }

    pub(super) fn near_symmetry(&mut self) {
        self.need("a");
        self.need("q");
        let top = self.top;
        let id = self.constant_identity();
        let name = self.fresh("r");
        let scope = self.global_scope().with(Var::new("n", Ty::Id, false, true));
        let (guard, body) = (self.boolean(&scope.pure(), 1), self.block(&scope, 1));
        let special = match self.rng.u32(0..8) {
            0 => format!("n != {id}"),
            1 => "(forall z: N do z < n -> !a[z] end)".to_owned(),
            2 => format!("(n = {id} -> (forall z: N do z = n | a[z] end))"),
            3 => format!("(n = {id} | a[{id}])"),
            4 => "(exists z: N do z > n & a[z] end)".to_owned(),
            5 => format!("(a[{id}] | q[n] < {top})"),
            6 => format!("({guard}) & (n < {id} | {guard})"),
            _ => format!("n <= {id}"),
        };
        let special = if matches!(self.identities, crate::torture::world::Identities::Enumeration) {
            format!("n != {id}")
        } else {
            special
        };
        self.rules.push(format!("ruleset n: N do rule \"{name}\" {special} & !a[n] ==> begin a[n] := true; end; end;"));
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}b\" a[n] & q[n] < {top} ==> begin q[n] := q[n] + 1; a[n] := false; end; end;"
        ));
        self.rules.push(format!("ruleset n: N do rule \"{name}c\" {guard} ==> begin {body} end; end;"));
        match self.rng.u32(0..4) {
            0 => self.property("invariant", &format!("a[{id}] -> q[{id}] < {top}")),
            1 => self.property("invariant", "forall z: N do forall z2: N do a[z] & a[z2] -> z = z2 end end"),
            2 => {
                let condition = self.boolean(&self.global_scope().pure(), 3);
                self.property("invariant", &format!("!go | {condition}"));
                self.need("go");
            }
            _ => self.property_of_picked(),
        }
        self.size = self.size.max(if self.one_in(3) { 4 } else { 3 });
        self.capacity = self.size;
    }

    pub(super) fn unions(&mut self) {
        self.allow_union();
        self.need("u");
        self.need("x");
        self.need("a");
        let (name, gate) = (self.fresh("r"), self.gate());
        self.rules.push(format!("ruleset n: N do rule \"{name}\" {gate} & u != n ==> begin u := n; end; end;"));
        let body = match self.rng.u32(0..8) {
            0 => "x := u;",
            1 => "if ismember(u, N) then x := u; end;",
            2 => "for t: U do if u = t then a[y] := true; end; end;",
            3 => "switch u case home: a[y] := true; else x := u; end;",
            4 => "u := y; x := u;",
            5 => "undefine u; if ismember(u, N) then x := y; end; u := home;",
            6 => "for t: U do if ismember(t, N) then x := t; end; end;",
            _ => "a[u] := !a[u];",
        };
        self.rule(&gate, &format!("{body} go := true;"));
        if self.one_in(2) {
            self.own_globals.push(format!("au{name}: array[U] of boolean;"));
            self.start += &format!("for t: U do au{name}[t] := false; end;");
            self.rules.push(format!(
                "ruleset t: U do rule \"{name}w\" !au{name}[t] & u = t ==> begin au{name}[t] := true; u := home; end; end;"
            ));
            self.property("invariant", &format!("au{name}[home] | exists t: U do !au{name}[t] end"));
        }
        self.property_of_picked();
    }

    pub(super) fn aggregates(&mut self) {
        self.need("r");
        self.need("s");
        self.need("a");
        self.need("b");
        let gate = self.gate();
        let condition = match self.rng.u32(0..6) {
            0 => "a = b".to_owned(),
            1 => "s[y] = r".to_owned(),
            2 => "(forall z: N do s[z] != r end)".to_owned(),
            3 => "(exists z: N do s[z] = s[y] & z != y end)".to_owned(),
            4 => "!(r = r)".to_owned(),
            _ => "(exists z: N do exists z2: N do z != z2 & s[z] = s[z2] end end)".to_owned(),
        };
        let body = self.pick(&[
            "r := s[y]; undefine r.v;",
            "s[y] := r;",
            "for n: N do s[n] := s[y]; end;",
            "undefine s[y]; r := s[y];",
            "b := a; b[y] := !a[y];",
            "clear r.v; r.i := y; s[r.i].i := r.i;",
        ]);
        self.rule(&gate, &format!("{body} go := true;"));
        self.spread(&condition, Position::Any);
        self.property_of_picked();
    }

    pub(super) fn wild(&mut self) {
        for name in ["a", "x", "c"] {
            self.need(name);
        }
        for name in ["b", "q", "p", "m", "w", "e", "r", "d", "s", "h"] {
            if self.one_in(4) {
                self.need(name);
            }
        }
        if self.one_in(6) {
            self.allow_union();
            self.need("u");
        }
        self.effects_anywhere = self.one_in(2);
        self.routines_of_all_kinds();
        for _ in 0..1 + self.rng.u32(0..3) {
            self.ordinary_rule();
        }
        let condition = self.boolean(&self.global_scope().pure(), 2);
        self.spread(&condition, Position::Any);
        let condition = self.boolean(&self.global_scope(), 2);
        self.spread(&condition, Position::Action);
        self.property_of_picked();
    }
}

/// A routine with one or two `var` parameters of a type, of which there is a global.
struct ByReference {
    name: String,
    ty: Ty,
    global: &'static str,
    two: bool,
    is_function: bool,
}

impl ByReference {
    /// A call as a statement; two parameters may stand for the same.
    fn call(&self, one: &str, other: &str) -> String {
        let Self { name, two, is_function, .. } = self;
        let arguments = if *two { format!("{one}, {other}") } else { one.to_owned() };
        if *is_function { format!("d := {name}({arguments});") } else { format!("{name}({arguments});") }
    }
}
