//! Statements, mostly such that they do not fault.

use super::world::{Scope, Ty, Var, World};

impl World {
    /// Some statements.
    pub(super) fn block(&mut self, scope: &Scope, depth: u32) -> String {
        let n = 1 + self.rng.u32(0..2);
        (0..n).map(|_| self.statement(scope, depth)).collect::<Vec<_>>().join(" ")
    }

    /// One statement.
    pub(super) fn statement(&mut self, scope: &Scope, depth: u32) -> String {
        if depth == 0 {
            return self.assignment(scope);
        }
        let inner = depth - 1;
        match self.rng.u32(0..22) {
            0..6 => self.assignment(scope),
            6..9 => {
                let condition = self.boolean(scope, inner);
                let (yes, no) = (self.block(scope, inner), self.block(scope, inner));
                if self.one_in(2) {
                    format!("if {condition} then {yes} end;")
                } else {
                    format!("if {condition} then {yes} else {no} end;")
                }
            }
            9..12 if !scope.in_loop => self.identity_loop(scope, inner),
            12 if !scope.in_loop => self.counting_loop(scope, inner),
            13 if !scope.in_loop => self.while_loop(scope, inner),
            14 => self.alias(scope, inner),
            15 => self.choice_of_cases(scope, inner),
            16 => self.call(scope, None, inner).map_or_else(|| self.assignment(scope), |call| format!("{call};")),
            17..19 => self.bag_statement(scope, inner).unwrap_or_else(|| self.assignment(scope)),
            19 => self.forgetting(scope),
            20 if scope.result.is_some() => self.early_return(scope, inner),
            _ => self.rare(scope, inner),
        }
    }

    /// An assignment to something that may be written.
    pub(super) fn assignment(&mut self, scope: &Scope) -> String {
        let types = [Ty::Bool, Ty::Bool, Ty::Int, Ty::Id, Ty::Id, Ty::Color, Ty::Union];
        for _ in 0..6 {
            let ty = self.choice(&types).expect("there are some");
            let Some(target) = self.place(scope, ty, true) else { continue };
            return format!("{target} := {};", self.expression(scope, ty, 1));
        }
        let aggregates = [Ty::Rec, Ty::Bools, Ty::Ids, Ty::Bag];
        let ty = self.choice(&aggregates).expect("there are some");
        match (self.place(scope, ty, true), self.place(scope, ty, false)) {
            (Some(target), Some(source)) => format!("{target} := {source};"),
            _ => "put \"nothing\";".to_owned(),
        }
    }

    /// A loop over the identities: the rounds may meet each other.
    pub(super) fn identity_loop(&mut self, scope: &Scope, depth: u32) -> String {
        let name = self.fresh("n");
        let mut inner = scope.with(Var::new(&name, Ty::Id, false, true));
        inner.in_loop = true;
        format!("for {name}: N do {} end;", self.block(&inner, depth))
    }

    fn counting_loop(&mut self, scope: &Scope, depth: u32) -> String {
        let name = self.fresh("v");
        let mut inner = scope.with(Var::new(&name, Ty::Int, false, true));
        inner.in_loop = true;
        let top = self.top;
        let from = if self.one_in(3) { self.integer(scope, 0) } else { "0".to_owned() };
        let to = if self.one_in(3) { self.integer(scope, 1) } else { top.to_string() };
        let by = self.pick(&["", "", "", " by 1", " by 2"]);
        format!("for {name} := {from} to {to}{by} do {} end;", self.block(&inner, depth))
    }

    fn while_loop(&mut self, scope: &Scope, depth: u32) -> String {
        let mut inner = scope.clone();
        inner.in_loop = true;
        match self.place(scope, Ty::Int, true) {
            Some(place) => {
                let (top, body) = (self.top, self.block(&inner, depth));
                format!("while {place} < {top} do {place} := {place} + 1; {body} end;")
            }
            None => self.assignment(scope),
        }
    }

    fn alias(&mut self, scope: &Scope, depth: u32) -> String {
        let name = self.fresh("l");
        let ty = self.choice(&[Ty::Bool, Ty::Int, Ty::Id, Ty::Rec, Ty::Bools]).expect("there are some");
        let (source, writable) = match self.place(scope, ty, true) {
            Some(place) if self.one_in(2) => (place, true),
            _ if ty.is_scalar() => (self.expression(scope, ty, 1), false),
            Some(place) => (place, true),
            None => return self.assignment(scope),
        };
        let inner = scope.with(Var::new(&name, ty, writable, true));
        format!("alias {name}: {source} do {} end;", self.block(&inner, depth))
    }

    fn choice_of_cases(&mut self, scope: &Scope, depth: u32) -> String {
        let (one, other) = (self.block(scope, depth), self.block(scope, depth));
        if self.one_in(2) {
            let subject = self.integer(scope, 1);
            let constant = self.rng.u32(0..=self.top);
            format!("switch {subject} case {constant}: {one} else {other} end;")
        } else {
            let subject = self.place(scope, Ty::Color, false).unwrap_or_else(|| "ea".to_owned());
            format!("switch {subject} case ea: {one} case eb: {other} end;")
        }
    }

    /// Something with a multiset.
    pub(super) fn bag_statement(&mut self, scope: &Scope, depth: u32) -> Option<String> {
        let bags: Vec<Var> = scope.vars.iter().filter(|var| var.ty.is_bag() && var.writable).cloned().collect();
        let bag = self.choice(&bags)?;
        let slot = self.fresh("j");
        let name = &bag.name;
        Some(match self.rng.u32(0..6) {
            0..3 => {
                let element = bag.ty.element().and_then(|ty| self.place(scope, ty, false))?;
                let add = format!("MultisetAdd({element}, {name});");
                // Overfull multisets fault; that is not often what is wanted.
                let capacity = self.capacity;
                if self.one_in(10) {
                    add
                } else {
                    format!("if MultisetCount({slot}: {name}, true) < {capacity} then {add} end;")
                }
            }
            3 => {
                let predicate = self.boolean(&scope.pure().with_slot(&slot, &bag), depth);
                format!("MultisetRemovePred({slot}: {name}, {predicate});")
            }
            4 => {
                let own: Vec<_> = scope.slots.iter().filter(|(_, of, _)| of == name).cloned().collect();
                let (slot, ..) = self.choice(&own)?;
                format!("MultisetRemove({slot}, {name});")
            }
            _ => {
                let others: Vec<Var> = bags.iter().filter(|it| it.ty == bag.ty).cloned().collect();
                let other = self.choice(&others)?;
                format!("{name} := {};", other.name)
            }
        })
    }

    /// `undefine` or `clear` of anything.
    fn forgetting(&mut self, scope: &Scope) -> String {
        let word = self.pick(&["undefine", "undefine", "clear"]);
        // What is read everywhere stays defined, mostly.
        let vars: Vec<Var> =
            scope.vars.iter().filter(|var| var.writable && (!var.defined || var.ty.is_bag())).cloned().collect();
        match self.choice(&vars) {
            Some(var) if !(word == "clear" && var.ty == Ty::Id) => format!("{word} {};", var.name),
            _ => self.assignment(scope),
        }
    }

    fn early_return(&mut self, scope: &Scope, depth: u32) -> String {
        let condition = self.boolean(scope, depth);
        match scope.result.flatten() {
            Some(ty) => format!("if {condition} then return {}; end;", self.expression(scope, ty, 0)),
            None => format!("if {condition} then return; end;"),
        }
    }

    fn rare(&mut self, scope: &Scope, depth: u32) -> String {
        let condition = self.boolean(scope, depth);
        match self.rng.u32(0..8) {
            0 => format!("assert {condition} | {};", self.boolean(scope, 1)),
            1 => format!("if {condition} & {} then error \"reached\"; end;", self.boolean(scope, 1)),
            2 => format!("assume {condition};"),
            3 => format!("cover {condition};"),
            _ => self.assignment(scope),
        }
    }
}
