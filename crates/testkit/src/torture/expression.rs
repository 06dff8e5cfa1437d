//! Expressions of each type, mostly such that they do not fault.

use super::world::{FIELDS, Identities, Scope, Ty, World};

impl World {
    /// An expression of a scalar type.
    pub(super) fn expression(&mut self, scope: &Scope, ty: Ty, depth: u32) -> String {
        match ty {
            Ty::Bool => self.boolean(scope, depth),
            Ty::Int => self.integer(scope, depth),
            Ty::Id => self.identity(scope, depth),
            Ty::Color => self.color(scope, depth),
            Ty::Union => self.union(scope, depth),
            _ => self.place(scope, ty, false).unwrap_or_else(|| "undefined".to_owned()),
        }
    }

    /// A condition.
    pub(super) fn boolean(&mut self, scope: &Scope, depth: u32) -> String {
        if depth == 0 {
            return self.simple_boolean(scope);
        }
        let inner = depth - 1;
        match self.rng.u32(0..18) {
            0..3 => self.simple_boolean(scope),
            3 => format!("!({})", self.boolean(scope, inner)),
            4..6 => format!("({} & {})", self.boolean(scope, inner), self.boolean(scope, inner)),
            6..8 => format!("({} | {})", self.boolean(scope, inner), self.boolean(scope, inner)),
            8 => format!("({} -> {})", self.boolean(scope, inner), self.boolean(scope, inner)),
            9..11 => self.comparison(scope, inner),
            11..13 => {
                let word = self.pick(&["forall", "exists"]);
                self.quantifier(word, scope, inner)
            }
            13 => match self.count(scope, inner) {
                Some(count) => {
                    let relation = self.pick(&["=", "<", ">", "!="]);
                    format!("{count} {relation} {}", self.rng.u32(0..3))
                }
                None => self.simple_boolean(scope),
            },
            14 => {
                let [condition, one, other] = [(); 3].map(|()| self.boolean(scope, inner));
                format!("({condition} ? {one} : {other})")
            }
            15 => self.definedness(scope).unwrap_or_else(|| self.simple_boolean(scope)),
            _ => self.call(scope, Some(Ty::Bool), inner).unwrap_or_else(|| self.simple_boolean(scope)),
        }
    }

    fn simple_boolean(&mut self, scope: &Scope) -> String {
        match self.rng.u32(0..6) {
            0 => self.pick(&["true", "false"]).to_owned(),
            1 => self.comparison(scope, 0),
            _ => self.place(scope, Ty::Bool, false).unwrap_or_else(|| "true".to_owned()),
        }
    }

    fn comparison(&mut self, scope: &Scope, depth: u32) -> String {
        let sign = self.pick(&["=", "!="]);
        match self.rng.u32(0..8) {
            0..3 => {
                let relation = self.pick(&["=", "!=", "<", "<=", ">", ">="]);
                format!("{} {relation} {}", self.integer(scope, depth), self.integer(scope, depth))
            }
            3..5 => format!("{} {sign} {}", self.identity(scope, depth), self.identity(scope, depth)),
            5 => format!("{} {sign} {}", self.color(scope, depth), self.color(scope, depth)),
            6 => {
                let ty = self.choice(&[Ty::Rec, Ty::Bools, Ty::Ids, Ty::Recs]).expect("there are some");
                match (self.place(scope, ty, false), self.place(scope, ty, false)) {
                    (Some(one), Some(other)) => format!("{one} {sign} {other}"),
                    _ => "true".to_owned(),
                }
            }
            _ => match self.place(scope, Ty::Union, false) {
                Some(union) if self.one_in(2) => format!("ismember({union}, N)"),
                Some(union) => format!("{union} {sign} {}", self.identity(scope, depth)),
                None => "false".to_owned(),
            },
        }
    }

    /// A quantifier over the identities.
    pub(super) fn quantifier(&mut self, word: &str, scope: &Scope, depth: u32) -> String {
        let name = self.fresh("z");
        let inner = scope.pure().with(super::world::Var::new(&name, Ty::Id, false, true));
        format!("({word} {name}: N do {} end)", self.boolean(&inner, depth))
    }

    /// The number of some elements of a multiset.
    pub(super) fn count(&mut self, scope: &Scope, depth: u32) -> Option<String> {
        let bags: Vec<_> = scope.vars.iter().filter(|var| var.ty.is_bag()).cloned().collect();
        let bag = self.choice(&bags)?;
        let slot = self.fresh("j");
        let predicate = match self.rng.u32(0..3) {
            0 => "true".to_owned(),
            _ => self.boolean(&scope.pure().with_slot(&slot, &bag), depth),
        };
        Some(format!("MultisetCount({slot}: {}, {predicate})", bag.name))
    }

    fn definedness(&mut self, scope: &Scope) -> Option<String> {
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.ty.is_scalar()).cloned().collect();
        let var = self.choice(&vars)?;
        let sign = self.pick(&["", "!"]);
        Some(format!("{sign}isundefined({})", var.name))
    }

    /// A number that is mostly within `R`.
    pub(super) fn integer(&mut self, scope: &Scope, depth: u32) -> String {
        let top = self.top;
        let place = |world: &mut Self| world.place(scope, Ty::Int, false).unwrap_or_else(|| "0".to_owned());
        if depth == 0 {
            return if self.one_in(3) { self.rng.u32(0..=top).to_string() } else { place(self) };
        }
        let inner = depth - 1;
        match self.rng.u32(0..12) {
            0 => self.rng.u32(0..=top).to_string(),
            1..4 => place(self),
            4..6 => format!("({} + {}) % {}", place(self), self.integer(scope, inner), top + 1),
            6 => format!("{top} - {}", place(self)),
            7 => {
                let place = place(self);
                format!("({place} < {top} ? {place} + 1 : 0)")
            }
            8 => format!("({} ? {} : {})", self.boolean(scope, inner), place(self), self.integer(scope, inner)),
            9 => self.count(scope, inner).map_or_else(|| "0".to_owned(), |count| format!("{count} % {}", top + 1)),
            10 => self.call(scope, Some(Ty::Int), inner).unwrap_or_else(|| place(self)),
            _ => {
                let operator = self.pick(&["+", "-", "*", "/", "%", "<<", ">>"]);
                let one = place(self);
                // Mostly within the range; sometimes the fault is what is wanted.
                let other = if self.one_in(8) { place(self) } else { (1 + self.rng.u32(0..2)).to_string() };
                format!("(({one} {operator} {other}) % {})", top + 1)
            }
        }
    }

    /// An identity.
    pub(super) fn identity(&mut self, scope: &Scope, depth: u32) -> String {
        if self.identities == Identities::Ringset && depth > 0 && self.one_in(3) {
            let neighbour = self.pick(&["next", "next", "prev"]);
            return format!("{neighbour}({})", self.identity(scope, depth - 1));
        }
        if depth > 0
            && self.one_in(8)
            && let Some(call) = self.call(scope, Some(Ty::Id), depth - 1)
        {
            return call;
        }
        if depth > 0 && self.one_in(12) {
            let condition = self.boolean(scope, depth - 1);
            return format!("({condition} ? {} : {})", self.identity(scope, 0), self.identity(scope, 0));
        }
        // A constant tells identities apart, so that symmetry is lost.
        let is_declared = matches!(self.identities, Identities::Scalarset | Identities::Ringset);
        let breaks = if is_declared { 60 } else { 30 };
        if self.one_in(breaks) {
            return self.constant_identity();
        }
        match self.place(scope, Ty::Id, false) {
            Some(place) => place,
            None => self.constant_identity(),
        }
    }

    fn color(&mut self, scope: &Scope, _depth: u32) -> String {
        match self.place(scope, Ty::Color, false) {
            Some(place) if self.one_in(2) => place,
            _ => self.pick(&["ea", "eb"]).to_owned(),
        }
    }

    fn union(&mut self, scope: &Scope, depth: u32) -> String {
        match self.rng.u32(0..3) {
            0 => "home".to_owned(),
            1 => self.identity(scope, depth),
            _ => self.place(scope, Ty::Union, false).unwrap_or_else(|| "home".to_owned()),
        }
    }

    /// Something that can be read, or written, of a type.
    pub(super) fn place(&mut self, scope: &Scope, ty: Ty, write: bool) -> Option<String> {
        let mut candidates: Vec<String> = Vec::new();
        for var in scope.vars.iter().filter(|var| !write || var.writable) {
            // What may be undefined is read now and then, to see the fault.
            let readable = write || var.defined || self.one_in(40);
            if !readable {
                continue;
            }
            if var.ty == ty {
                // The nearest names are the most interesting ones.
                candidates.push(var.name.clone());
                if !self.has(&var.name) {
                    candidates.push(var.name.clone());
                }
            }
            if var.ty == Ty::Rec {
                candidates
                    .extend(FIELDS.iter().filter(|(_, it)| *it == ty).map(|(it, _)| format!("{}.{it}", var.name)));
            }
            let Some(element) = var.ty.element().filter(|_| !var.ty.is_bag()) else { continue };
            if element == ty {
                candidates.push(format!("{}[@]", var.name));
            }
            if element == Ty::Rec {
                candidates
                    .extend(FIELDS.iter().filter(|(_, it)| *it == ty).map(|(it, _)| format!("{}[@].{it}", var.name)));
            }
        }
        for (slot, bag, bag_ty) in &scope.slots {
            match bag_ty {
                Ty::Bag if ty == Ty::Id => candidates.push(format!("{bag}[{slot}]")),
                Ty::RecBag if ty == Ty::Rec => candidates.push(format!("{bag}[{slot}]")),
                Ty::RecBag => candidates
                    .extend(FIELDS.iter().filter(|(_, it)| *it == ty).map(|(it, _)| format!("{bag}[{slot}].{it}"))),
                _ => {}
            }
        }
        let chosen = self.choice(&candidates)?;
        if !chosen.contains('@') {
            return Some(chosen);
        }
        let index = self.index(scope);
        Some(chosen.replace('@', &index))
    }

    /// An index of an array over the identities.
    fn index(&mut self, scope: &Scope) -> String {
        let near: Vec<String> = scope
            .vars
            .iter()
            .filter(|var| var.ty == Ty::Id && var.defined && !self.has(&var.name))
            .map(|var| var.name.clone())
            .collect();
        let plain = self.choice(&near);
        match (plain, self.rng.u32(0..12)) {
            (_, 0) if self.has("p") => {
                let inner = self.choice(&near).unwrap_or_else(|| self.constant_identity());
                format!("p[{inner}]")
            }
            (_, 1) if self.effects_anywhere => {
                self.call(scope, Some(Ty::Id), 0).unwrap_or_else(|| self.constant_identity())
            }
            (Some(name), _) => name,
            // It may be undefined, which is not often what is wanted.
            (None, _) if self.has("y") && self.one_in(12) => "y".to_owned(),
            (None, _) => self.constant_identity(),
        }
    }

    /// A call of a function with this result, or of a procedure.
    pub(super) fn call(&mut self, scope: &Scope, result: Option<Ty>, depth: u32) -> Option<String> {
        // Now and then also where it is refused.
        let effects = result.is_none() || self.effects_anywhere && (!scope.pure || self.one_in(40));
        let routines: Vec<_> =
            self.routines.iter().filter(|it| it.result == result && (effects || !it.effect)).cloned().collect();
        let routine = self.choice(&routines)?;
        let mut arguments = Vec::new();
        for (ty, by_reference) in routine.parameters {
            arguments.push(match (by_reference, ty.is_scalar()) {
                (true, _) => self.place(scope, ty, true)?,
                (false, true) => self.expression(scope, ty, depth),
                (false, false) => self.place(scope, ty, false)?,
            });
        }
        Some(format!("{}({})", routine.name, arguments.join(", ")))
    }
}
