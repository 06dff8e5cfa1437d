//! Multisets: their slots, and elements that are gone.

use crate::torture::condition::Position;
use crate::torture::world::World;

impl World {
    pub(super) fn predicate_self(&mut self) {
        self.need("m");
        let relation = self.pick(&[">", ">=", "=", "!="]);
        let number = self.rng.u32(1..3);
        let inner = match self.rng.u32(0..4) {
            0 => format!("MultisetCount(j: m, m[j] = m[i]) {relation} {number}"),
            1 => format!("MultisetCount(j: m, m[j] != m[i]) {relation} {number}"),
            2 => format!("(exists z: N do MultisetCount(j: m, m[j] = z) {relation} {number} & z != m[i] end)"),
            _ => format!("MultisetCount(j: m, true) {relation} {number}"),
        };
        if self.one_in(4) {
            self.spread(&format!("MultisetCount(i: m, {inner}) = {number}"), Position::Any);
        } else {
            let gate = self.gate();
            self.rule(&gate, &format!("MultisetRemovePred(i: m, {inner}); go := true;"));
        }
        self.property_of_picked();
    }

    pub(super) fn slot_foreign(&mut self) {
        self.need("m");
        self.need("w");
        self.need("x");
        let (name, gate) = (self.fresh("r"), self.gate());
        let body = match self.rng.u32(0..7) {
            0 => "x := w[i];",
            1 => "w[i] := m[i];",
            2 => "MultisetRemove(i, w); x := m[i];",
            3 => "w := m; x := w[i];",
            4 => "m := w; x := m[i];",
            5 => "alias t: w[i] do x := t; end;",
            _ => "if w[i] = m[i] then x := m[i]; end;",
        };
        let guard = if self.one_in(3) { format!("{gate} & w[i] = y") } else { gate };
        self.rules.push(format!("choose i: m do rule \"{name}\" {guard} ==> begin {body} go := true; end; end;"));
        // Other rules make the two multisets differ.
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}b\" MultisetCount(j: m, m[j] = n) = 1 ==> begin MultisetRemovePred(j: m, m[j] = n); end; end;"
        ));
        self.property_of_picked();
    }

    pub(super) fn slot_escape(&mut self) {
        self.need("m");
        self.need("x");
        self.need("c");
        self.need("d");
        let (name, gate) = (self.fresh("r"), self.gate());
        let number = self.rng.u32(0..self.capacity);
        let guard = if self.one_in(4) { gate } else { format!("{gate} & m[i] = y") };
        let mut open = "choose i: m do ".to_owned();
        let mut close = " end;".to_owned();
        let body = match self.rng.u32(0..11) {
            0 => "c := i; x := m[i];".to_owned(),
            1 => format!("d := i = {number};"),
            2 => {
                open += "alias s: i do ";
                close += " end;";
                format!("d := s = {number};")
            }
            3 => format!("alias s: i do d := s = {number}; end;"),
            4 => {
                self.routine_texts.push(format!("procedure {name}g(o: R); begin c := o; end;"));
                format!("{name}g(i);")
            }
            5 => {
                self.routine_texts.push(format!("function {name}f(o: R): R; begin return o; end;"));
                format!("c := {name}f(i);")
            }
            6 => {
                open += "choose i2: m do ";
                close += " end;";
                self.pick(&["d := i = i2;", "d := i < i2;", "d := m[i] = m[i2]; MultisetRemove(i2, m);"]).to_owned()
            }
            7 => format!("d := i < {number};"),
            8 => format!("d := MultisetCount(j: m, j = {number} & m[j] = y) = 1;"),
            9 => format!("MultisetRemovePred(j: m, j = {number});"),
            _ => "x := m[c];".to_owned(),
        };
        self.rules.push(format!("{open}rule \"{name}\" {guard} ==> begin {body} go := true; end;{close}"));
        self.property_of_picked();
    }

    pub(super) fn slot_reuse(&mut self) {
        self.need("m");
        self.need("x");
        let (name, gate) = (self.fresh("r"), self.gate());
        let remove = self.pick(&[
            "MultisetRemove(i, m);",
            "MultisetRemovePred(j: m, true);",
            "MultisetRemovePred(j: m, m[j] = y);",
            "undefine m;",
            "MultisetRemove(i, m); MultisetRemovePred(j: m, true);",
        ]);
        let add = self.pick(&["", "MultisetAdd(y, m);", "MultisetAdd(y, m); MultisetAdd(y, m);", "MultisetAdd(x, m);"]);
        let then = self.pick(&[
            "x := m[i];",
            "m[i] := y;",
            "MultisetRemove(i, m);",
            "if m[i] = y then x := y; end;",
            "undefine m[i];",
        ]);
        let guard = if self.one_in(3) { gate } else { format!("{gate} & m[i] = y") };
        self.rules.push(format!(
            "choose i: m do rule \"{name}\" {guard} ==> begin {remove} {add} {then} go := true; end; end;"
        ));
        self.property_of_picked();
    }

    pub(super) fn removed_alias(&mut self) {
        if self.one_in(3) {
            return self.removed_number();
        }
        self.need("m");
        self.need("x");
        let (name, gate) = (self.fresh("r"), self.gate());
        let remove =
            self.pick(&["MultisetRemove(i, m);", "MultisetRemovePred(j: m, true);", "undefine m;", "clear m;"]);
        let use_it = self.pick(&[
            "x := l;",
            "if l = y then x := y; end;",
            "l := y;",
            "undefine l;",
            "if isundefined(l) then x := y; end;",
            "MultisetAdd(y, m); x := l;",
        ]);
        let rule = match self.rng.u32(0..3) {
            0 => format!(
                "choose i: m do alias l: m[i] do rule \"{name}\" {gate} ==> begin {remove} {use_it} go := true; end; end; end;"
            ),
            1 => format!(
                "choose i: m do rule \"{name}\" {gate} ==> begin alias l: m[i] do {remove} {use_it} go := true; end; end; end;"
            ),
            _ => {
                // The parameter stands for the element.
                let remove = remove.replace("MultisetRemove(i, m);", "undefine m;");
                self.routine_texts.push(format!("procedure {name}g(var l: N); begin {remove} {use_it} end;"));
                format!("choose i: m do rule \"{name}\" {gate} ==> begin {name}g(m[i]); go := true; end; end;")
            }
        };
        self.rules.push(rule);
        let capacity = self.capacity;
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}a\" MultisetCount(j: m, true) < {capacity} ==> begin MultisetAdd(n, m); end; end;"
        ));
        self.property_of_picked();
    }

    /// Elements that are always defined as long as they are there.
    fn removed_number(&mut self) {
        let (name, gate) = (self.fresh("r"), self.gate());
        self.need("c");
        self.own_globals.push(format!("ms{name}: multiset[2] of R; t{name}: R;"));
        let top = self.top;
        self.start += &format!(
            "undefine ms{name}; for v := 0 to 1 do t{name} := v % {}; MultisetAdd(t{name}, ms{name}); end;",
            top + 1
        );
        let remove = self.pick(&["MultisetRemovePred(j: MS, true);", "undefine MS;", "clear MS;"]);
        let own = if self.one_in(2) { "MultisetRemove(i, MS);" } else { remove };
        let back = self.pick(&["", "", "", "MultisetAdd(c, MS);"]);
        let use_it = self.pick(&[
            "c := l;",
            "if l < 3 then c := 0; end;",
            "if l = c then go := !go; end;",
            "c := (l + 1) % 2;",
            "if isundefined(l) then c := 0; end;",
            "switch l case 0: c := 0; else c := 1; end;",
            "for v := 0 to l do c := 0; end;",
        ]);
        let rule = match self.rng.u32(0..4) {
            0 | 1 => format!(
                "alias l: MS[i] do rule \"{name}\" {gate} ==> begin {own} {back} {use_it} go := true; end; end;"
            ),
            2 => {
                format!(
                    "rule \"{name}\" {gate} ==> begin alias l: MS[i] do {own} {back} {use_it} go := true; end; end;"
                )
            }
            _ => {
                let text = format!("procedure {name}g(var l: R); begin {remove} {back} {use_it} end;");
                self.routine_texts.push(text.replace("MS", &format!("ms{name}")));
                format!("rule \"{name}\" {gate} ==> begin {name}g(MS[i]); go := true; end;")
            }
        };
        self.rules.push(format!("choose i: MS do {rule} end;").replace("MS", &format!("ms{name}")));
        self.property_of_picked();
    }

    pub(super) fn undefine_order(&mut self) {
        self.need("h");
        self.need("a");
        self.need("r");
        let (name, gate) = (self.fresh("r"), self.gate());
        let (one, other) = (self.forget_record(), self.forget_record());
        self.start += "r.v := 0; r.b := true; MultisetAdd(r, h);";
        let pick = if self.one_in(2) { "if a[n] then".to_owned() } else { "if n = y then".to_owned() };
        let body = format!("for n: N do {pick} {one} else {other} end; end;");
        self.rules.push(format!("choose i: h do rule \"{name}\" {gate} ==> begin {body} go := true; end; end;"));
        self.rules.push(format!(
            "ruleset n: N do rule \"{name}b\" !a[n] & forall z: N do !a[z] end ==> begin a[n] := true; end; end;"
        ));
        self.property_of_picked();
    }

    fn forget_record(&mut self) -> &'static str {
        self.pick(&[
            "undefine h;",
            "undefine h[i].v;",
            "undefine h[i];",
            "clear h[i].v;",
            "h[i].v := 0;",
            "clear h;",
            "MultisetRemovePred(j: h, true);",
            "undefine r;",
            "r := h[i];",
            "h[i].i := n;",
        ])
    }
}
