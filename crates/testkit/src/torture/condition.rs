//! Where a condition can stand: the same trap in every position of a text.

use super::world::{Routine, Ty, World};

/// Where a condition may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Anywhere.
    Any,
    /// In the action of a rule, where order of evaluation is the model's own.
    Action,
    /// In guards.
    Guard,
    /// In binders around rules and properties.
    Binder,
    /// In properties.
    Property,
}

impl World {
    /// Puts a condition somewhere, in a rule that fires once `y` is picked. It names no local.
    pub(super) fn spread(&mut self, condition: &str, position: Position) {
        let gate = self.gate();
        let position = match position {
            Position::Any => match self.rng.u32(0..12) {
                0..6 => Position::Action,
                6..8 => Position::Guard,
                8..10 => Position::Binder,
                _ => Position::Property,
            },
            position => position,
        };
        match position {
            Position::Action | Position::Any => self.spread_action(condition, &gate),
            Position::Guard => self.spread_guard(condition, &gate),
            Position::Binder => self.spread_binder(condition, &gate),
            Position::Property => self.spread_property(condition),
        }
    }

    /// When a scene's rule may fire: after `y` is picked, and mostly once.
    pub(super) fn gate(&mut self) -> String {
        self.need("y");
        self.need("go");
        match self.rng.u32(0..6) {
            0 => "!isundefined(y)".to_owned(),
            1 => "true".to_owned(),
            _ => "!isundefined(y) & !go".to_owned(),
        }
    }

    fn spread_action(&mut self, condition: &str, gate: &str) {
        let scope = self.global_scope();
        let (then, otherwise) = (self.statement(&scope, 1), self.statement(&scope, 1));
        let top = self.top;
        match self.rng.u32(0..14) {
            0..4 => self.rule(gate, &format!("go := {condition};")),
            4 => self.rule(gate, &format!("if {condition} then {then} else {otherwise} end; go := true;")),
            5 => {
                let part = self.boolean(&scope, 1);
                let operator = self.pick(&["&", "|", "->"]);
                let both = if self.one_in(2) {
                    format!("({part}) {operator} ({condition})")
                } else {
                    format!("({condition}) {operator} ({part})")
                };
                self.rule(gate, &format!("go := {both};"));
            }
            6 => self.rule(gate, &format!("alias t: {condition} do {then} go := t; end;")),
            7 => {
                self.need("c");
                self.rule(gate, &format!("c := ({condition} ? {top} : 0); go := true;"));
            }
            8 => self.rule(gate, &format!("assert {condition} | true; go := true; {then}")),
            9 => {
                self.need("c");
                self.rule(gate, &format!("while c < {top} & ({condition}) do c := c + 1; end; go := true;"));
            }
            10 => {
                let name = self.fresh("f");
                self.routine_texts.push(format!("function {name}(): boolean; begin return {condition}; end;"));
                self.rule(gate, &format!("go := {name}() | true;"));
            }
            11 => {
                let name = self.fresh("g");
                self.need("d");
                self.routine_texts.push(format!("procedure {name}(o: boolean); begin d := o; go := true; end;"));
                self.rule(gate, &format!("{name}({condition});"));
            }
            12 => {
                self.start += &format!("go := {condition};");
                self.need("d");
                self.rule("true", "d := !d;");
            }
            _ => self.rule(gate, &format!("for z: N do if {condition} then {then} end; end; go := true;")),
        }
    }

    fn spread_guard(&mut self, condition: &str, gate: &str) {
        let scope = self.global_scope();
        let body = self.statement(&scope, 1);
        let part = self.boolean(&scope.pure(), 1);
        match self.rng.u32(0..4) {
            0 => self.rule(&format!("{gate} & ({condition})"), &format!("{body} go := true;")),
            1 => self.rule(&format!("({condition}) & {gate} & ({part})"), &format!("{body} go := true;")),
            2 => {
                let name = self.fresh("r");
                let guard = format!("{gate} & ({condition}) & z != y");
                self.rules.push(format!("ruleset z: N do rule \"{name}\" {guard} ==> begin y := z; {body} end; end;"));
            }
            _ => self.rule(&format!("{gate} & (({part}) | ({condition}))"), &format!("{body} go := true;")),
        }
    }

    fn spread_binder(&mut self, condition: &str, gate: &str) {
        let scope = self.global_scope();
        let body = self.statement(&scope, 1);
        let name = self.fresh("r");
        let kind = self.pick(&["invariant", "cover", "assume", "liveness"]);
        match self.rng.u32(0..6) {
            0..2 => self.rules.push(format!(
                "alias t: {condition} do rule \"{name}\" {gate} ==> begin {body} go := t; end; end;"
            )),
            2 => self.rules.push(format!(
                "ruleset z: N do alias t: {condition} do rule \"{name}\" t & {gate} ==> begin y := z; go := true; end; end; end;"
            )),
            3 => self.rules.push(format!(
                "alias t: {condition} do rule \"{name}\" {gate} & t ==> begin {body} go := true; end; \
                 rule \"{name}b\" {gate} & !t ==> begin go := true; end; end;"
            )),
            _ => self.properties.push(format!("alias t: {condition} do {kind} \"{name}\" t | !go; end;")),
        }
    }

    fn spread_property(&mut self, condition: &str) {
        self.need("go");
        let kind = self.pick(&["invariant", "invariant", "cover", "assume", "liveness"]);
        let condition = match self.rng.u32(0..4) {
            0 => format!("!go | ({condition})"),
            1 => format!("({condition}) | true"),
            2 => format!("({condition}) -> {}", self.boolean(&self.global_scope().pure(), 1)),
            _ => format!("({condition}) | !go"),
        };
        if self.one_in(3) {
            let name = self.fresh("i");
            self.properties.push(format!("ruleset z: N do {kind} \"{name}\" {condition}; end;"));
        } else {
            self.property(kind, &condition);
        }
    }

    /// A property that tells the identity that was picked from the others.
    pub(super) fn property_of_picked(&mut self) {
        self.need("y");
        let mut conditions = Vec::new();
        let sign = self.pick(&["=", "!="]);
        if self.has("x") {
            conditions.push(format!("isundefined(x) | isundefined(y) | x {sign} y"));
        }
        if self.has("a") {
            self.need("go");
            let not = self.pick(&["", "!"]);
            conditions.push(format!("isundefined(y) | !go | {not}a[y]"));
            conditions.push(format!("isundefined(y) | (exists z: N do z != y & {not}a[z] end)"));
        }
        if self.has("m") {
            let n = self.rng.u32(0..2);
            conditions.push(format!("isundefined(y) | MultisetCount(i: m, m[i] = y) {sign} {n}"));
        }
        if self.has("q") {
            let top = self.top;
            conditions.push(format!("isundefined(y) | q[y] != {top}"));
        }
        if self.has("c") {
            let (value, relation) = (self.rng.u32(0..=self.top), self.pick(&["!=", "<", ">="]));
            conditions.push(format!("!isundefined(y) -> c {relation} {value}"));
        }
        if self.has("d") {
            conditions.push("isundefined(y) | !d".to_owned());
        }
        if let Some(condition) = self.choice(&conditions) {
            match self.rng.u32(0..12) {
                0 => self.property("cover", &condition),
                1 => self.property("liveness", &condition),
                // What everything is compared in shows without a property, too, and more states are reached.
                2..6 => {}
                _ => self.property("invariant", &condition),
            }
        }
    }

    /// Declares a function of a truth value that is made for one call.
    pub(super) fn note_routine(&mut self, name: &str, parameters: Vec<(Ty, bool)>, result: Option<Ty>) {
        self.routines.push(Routine { name: name.to_owned(), parameters, result, effect: true });
    }
}
