//! Functions and procedures.

use super::world::{Routine, Scope, Ty, Var, World};

impl World {
    /// Declares a routine, its body made by `body` in a scope with the parameters.
    pub(super) fn declare(
        &mut self,
        routine: Routine,
        names: &[&str],
        locals: &str,
        body: impl FnOnce(&mut Self, &Scope) -> String,
    ) {
        let mut scope = self.global_scope();
        if !routine.effect {
            for var in &mut scope.vars {
                var.writable = false;
            }
        }
        scope.result = Some(routine.result);
        let mut parameters = Vec::new();
        for (&(ty, by_reference), name) in routine.parameters.iter().zip(names) {
            parameters.push(format!("{}{name}: {}", if by_reference { "var " } else { "" }, ty.name()));
            scope.vars.push(Var::new(name, ty, by_reference, true));
        }
        let head = match routine.result {
            Some(ty) => format!("function {}({}): {};", routine.name, parameters.join("; "), ty.name()),
            None => format!("procedure {}({});", routine.name, parameters.join("; ")),
        };
        let body = body(self, &scope);
        self.routine_texts.push(format!("{head} {locals} begin {body} end;"));
        self.routines.push(routine);
    }

    /// A function of an identity that writes something before it answers.
    pub(super) fn effectful(&mut self, result: Ty) -> String {
        let name = self.fresh("f");
        let routine =
            Routine { name: name.clone(), parameters: vec![(Ty::Id, false)], result: Some(result), effect: true };
        self.declare(routine, &["n"], "", |world, scope| {
            let effect = world.effect(scope, "n");
            let answer = world.answer(scope, result);
            match world.rng.u32(0..6) {
                0 => {
                    let condition = world.boolean(scope, 1);
                    format!("if {condition} then {effect} end; return {answer};")
                }
                1 => {
                    let (condition, early) = (world.boolean(scope, 1), world.answer(scope, result));
                    format!("if {condition} then return {early}; end; {effect} return {answer};")
                }
                _ => format!("{effect} return {answer};"),
            }
        });
        name
    }

    /// A statement that leaves a trace of which identity it was executed for, and when.
    pub(super) fn effect(&mut self, scope: &Scope, id: &str) -> String {
        let top = self.top + 1;
        match self.rng.u32(0..8) {
            0..3 => {
                self.need("x");
                format!("x := {id};")
            }
            3 => {
                self.need("a");
                format!("a[{id}] := true;")
            }
            4 => {
                self.need("a");
                format!("a[{id}] := !a[{id}];")
            }
            5 => {
                self.need("c");
                format!("c := (c + 1) % {top};")
            }
            6 => {
                self.need("d");
                "d := !d;".to_owned()
            }
            _ => {
                let assignment = self.assignment(scope);
                if assignment.contains(":=") { assignment } else { format!("{assignment} {}", self.sure_effect()) }
            }
        }
    }

    fn sure_effect(&mut self) -> &'static str {
        self.need("d");
        "d := !d;"
    }

    fn answer(&mut self, scope: &Scope, result: Ty) -> String {
        match (result, self.rng.u32(0..3)) {
            (Ty::Bool, 0..2) => self.pick(&["true", "false"]).to_owned(),
            (Ty::Id, 0..2) => "n".to_owned(),
            _ => self.expression(scope, result, 1),
        }
    }

    /// Some routines of all kinds.
    pub(super) fn routines_of_all_kinds(&mut self) {
        for _ in 0..1 + self.rng.u32(0..3) {
            match self.rng.u32(0..6) {
                0 => {
                    self.effectful(Ty::Bool);
                }
                1 => {
                    let ty = self.choice(&[Ty::Int, Ty::Id]).expect("there are some");
                    self.effectful(ty);
                }
                2 => self.pure_function(),
                3 => self.finder(),
                _ => self.procedure(),
            }
        }
    }

    /// A function that writes nothing.
    pub(super) fn pure_function(&mut self) {
        let name = self.fresh("f");
        let result = self.choice(&[Ty::Bool, Ty::Int, Ty::Id]).expect("there are some");
        let parameter = self.choice(&[Ty::Id, Ty::Int, Ty::Bool]).expect("there are some");
        let parameters = vec![(Ty::Id, false), (parameter, false)];
        let routine = Routine { name, parameters, result: Some(result), effect: false };
        self.declare(routine, &["n", "o"], "", |world, scope| {
            let early = world.boolean(scope, 1);
            let (one, other) = (world.expression(scope, result, 1), world.expression(scope, result, 1));
            format!("if {early} then return {one}; end; return {other};")
        });
    }

    /// A function that looks for an identity and returns in the middle of a loop.
    pub(super) fn finder(&mut self) {
        let name = self.fresh("f");
        let array = self.choice(&[Ty::Bools, Ty::Ints, Ty::Ids]).expect("there are some");
        let result = self.choice(&[Ty::Bool, Ty::Bool, Ty::Int]).expect("there are some");
        let routine = Routine { name, parameters: vec![(array, true)], result: Some(result), effect: true };
        self.declare(routine, &["o"], "", |world, scope| {
            let inner = scope.with(Var::new("n", Ty::Id, false, true));
            let condition = match array {
                Ty::Bools => "o[n]".to_owned(),
                Ty::Ints => format!("o[n] = {}", world.top),
                _ => "o[n] = n".to_owned(),
            };
            let (yes, no) = match result {
                Ty::Bool => ("true", "false"),
                _ => ("1", "0"),
            };
            let more = if world.one_in(3) { world.statement(&inner, 0) } else { String::new() };
            format!("for n: N do {more} if {condition} then return {yes}; end; end; return {no};")
        });
    }

    /// A procedure with parameters of all kinds.
    pub(super) fn procedure(&mut self) {
        let name = self.fresh("g");
        let types = [Ty::Int, Ty::Id, Ty::Bool, Ty::Bools, Ty::Rec];
        let parameters: Vec<(Ty, bool)> = (0..1 + self.rng.u32(0..2))
            .map(|_| (self.choice(&types).expect("there are some"), self.rng.bool()))
            .collect();
        let routine = Routine { name, parameters, result: None, effect: true };
        self.declare(routine, &["o", "o2"], "", |world, scope| world.block(scope, 2));
    }
}
