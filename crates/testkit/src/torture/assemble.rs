//! From scenes to a whole text: declarations, start states, ordinary rules and properties around the traps.

use super::world::{Identities, Ty, Var, World};

impl World {
    /// The text.
    pub(super) fn assemble(mut self) -> String {
        self.surround();
        let mut text = self.routine_texts.join("\n");
        for part in [&self.start_states(), &self.rules.join("\n"), &self.properties.join("\n")] {
            text.push('\n');
            text.push_str(part);
        }
        text.push('\n');
        let declarations = self.declarations(&text);
        let marks = match self.marks.is_empty() {
            true => String::new(),
            false => format!("-- torture: {}\n", self.marks.join("; ")),
        };
        format!("{marks}{declarations}{text}")
    }

    /// What every text has: a rule that picks an identity, some rules, something to hold.
    fn surround(&mut self) {
        if self.sealed {
            return;
        }
        self.need("y");
        self.need("go");
        if self.one_in(3) {
            let name = ["a", "q", "p", "c", "m", "e", "r"][self.rng.usize(0..7)];
            self.need(name);
        }
        if !self.one_in(5) {
            let scope = self.global_scope().with(Var::new("n", Ty::Id, false, true));
            let more = if self.one_in(3) { self.statement(&scope, 1) } else { String::new() };
            self.rules.push(format!("ruleset n: N do rule \"pick\" isundefined(y) ==> begin y := n; {more} end; end;"));
        }
        let n_rules = self.rng.u32(0..3);
        for _ in 0..n_rules {
            self.ordinary_rule();
        }
        if self.rules.is_empty() || self.one_in(4) {
            self.rule("true", "go := !go;");
        }
        if self.properties.is_empty() && !self.one_in(3) {
            self.property_of_picked();
        }
        if self.one_in(8) {
            let condition = self.boolean(&self.global_scope().pure(), 2);
            self.property("invariant", &format!("!go | {condition}"));
        }
        if self.properties.is_empty() {
            self.property("invariant", "true");
        }
        match self.rng.u32(0..8) {
            0 => self.mark("deadlock stuck"),
            1 => self.mark("deadlock stuttering"),
            _ => {}
        }
    }

    /// A rule of any form.
    pub(super) fn ordinary_rule(&mut self) {
        let name = self.fresh("r");
        let globals = self.global_scope();
        let bags: Vec<Var> = globals.vars.iter().filter(|var| var.ty.is_bag()).cloned().collect();
        let (mut scope, mut open, mut close) = (globals, String::new(), String::new());
        if !self.one_in(3) {
            scope = scope.with(Var::new("n", Ty::Id, false, true));
            open += "ruleset n: N do ";
            close += " end;";
        }
        if let Some(bag) = self.choice(&bags)
            && self.one_in(2)
        {
            scope = scope.with_slot("i", &bag);
            open += &format!("choose i: {} do ", bag.name);
            close += " end;";
        }
        if self.one_in(5)
            && let Some(place) = self.place(&scope.pure(), Ty::Bool, true)
        {
            scope = scope.with(Var::new("l", Ty::Bool, true, true));
            open += &format!("alias l: {place} do ");
            close += " end;";
        }
        let guard = match self.rng.u32(0..4) {
            0 => "true".to_owned(),
            _ => self.boolean(&scope.pure(), 2),
        };
        let (mut locals, mut inner) = ("", scope.clone());
        if self.one_in(3) {
            locals = " var t: R; o: Bools;";
            inner.vars.push(Var::new("t", Ty::Int, true, false));
            inner.vars.push(Var::new("o", Ty::Bools, true, false));
        }
        let body = self.block(&inner, 2);
        self.rules.push(format!("{open}rule \"{name}\" {guard} ==>{locals} begin {body} end;{close}"));
    }

    fn start_states(&mut self) -> String {
        let mut body: Vec<String> = Vec::new();
        for var in self.globals.clone() {
            body.push(self.initial(&var));
        }
        let body = body.join(" ");
        let end = &self.start;
        match self.rng.u32(0..10) {
            _ if self.sealed => format!("startstate begin {body} {end} end;"),
            0 => format!("ruleset s0: N do startstate begin {body} y := s0; {end} end; end;"),
            1 => format!(
                "startstate begin {body} {end} end;\nruleset s0: N do startstate begin {body} y := s0; {end} end; end;"
            ),
            _ => format!("startstate begin {body} {end} end;"),
        }
    }

    /// What a variable is at first.
    fn initial(&mut self, var: &Var) -> String {
        let name = &var.name;
        if !var.defined || self.one_in(20) && var.ty != Ty::Bool {
            return format!("undefine {name};");
        }
        let boolean = self.pick(&["false", "false", "true"]);
        let number = self.rng.u32(0..=self.top);
        match var.ty {
            Ty::Bool => format!("{name} := false;"),
            Ty::Int => format!("{name} := 0;"),
            Ty::Id => format!("{name} := {};", self.constant_identity()),
            Ty::Color => format!("{name} := ea;"),
            Ty::Union => format!("{name} := home;"),
            Ty::Rec => format!("undefine {name}.i; {name}.v := {number}; {name}.b := {boolean};"),
            Ty::Bools => format!("for n: N do {name}[n] := {boolean}; end;"),
            Ty::Ints => format!("for n: N do {name}[n] := {number}; end;"),
            Ty::Ids => format!("for n: N do {name}[n] := n; end;"),
            Ty::Recs => {
                format!("for n: N do {name}[n].i := n; {name}[n].v := {number}; {name}[n].b := {boolean}; end;")
            }
            Ty::Bag if self.one_in(4) => format!("undefine {name};"),
            Ty::Bag => format!("undefine {name}; for n: N do MultisetAdd(n, {name}); end;"),
            Ty::RecBag => format!("undefine {name};"),
        }
    }

    fn declarations(&self, text: &str) -> String {
        let size = self.capacity;
        let types: Vec<(&[&str], String)> = vec![
            (&["N"], format!("N: {};", self.identity_type())),
            (&["R"], format!("R: 0..{};", self.top)),
            (&["E", "ea", "eb"], "E: enum {ea, eb};".to_owned()),
            (&["U", "home"], "U: union {N, enum {home}};".to_owned()),
            (&["Rec"], "Rec: record i: N; v: R; b: boolean; end;".to_owned()),
            (&["Bools"], "Bools: array[N] of boolean;".to_owned()),
            (&["Ints"], "Ints: array[N] of R;".to_owned()),
            (&["Ids"], "Ids: array[N] of N;".to_owned()),
            (&["Recs"], "Recs: array[N] of Rec;".to_owned()),
            (&["Bag"], format!("Bag: multiset[{size}] of N;")),
            (&["RBag"], "RBag: multiset[2] of Rec;".to_owned()),
        ];
        let mut variables: Vec<String> =
            self.globals.iter().map(|var| format!("{}: {};", var.name, var.ty.name())).collect();
        variables.extend(self.own_globals.clone());
        let mut all = format!("{} {}", self.own_types.join(" "), variables.join(" "));
        let mut kept = Vec::new();
        for (names, declaration) in types.into_iter().rev() {
            if names.iter().any(|name| mentions(text, name) || mentions(&all, name)) {
                all += &declaration;
                kept.push(declaration);
            }
        }
        kept.reverse();
        kept.extend(self.own_types.clone());
        format!("type {}\nvar {}\n", kept.join("\n     "), variables.join(" "))
    }

    /// Makes the identities members of a union.
    pub(super) fn allow_union(&mut self) {
        if self.identities == Identities::Range {
            self.identities = Identities::Scalarset;
        }
    }
}

/// Whether a word stands in a text.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
