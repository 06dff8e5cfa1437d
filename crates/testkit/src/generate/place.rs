//! Places and reads.

use burnside_ir::{Expr, GlobalId, Operand, Place, PlaceBase, Projection, Type, TypeId};

use super::Generator;
use super::scope::{Role, Var, Writes};

/// What a place is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// To be read through a reference.
    Refer,
    /// To change scalars.
    Write,
    /// To put elements into a multiset.
    Insert,
    /// To take elements out of a multiset too.
    Reshape,
}

impl Access {
    /// Whether nothing changes.
    fn is_reading(self) -> bool {
        matches!(self, Self::Read | Self::Refer)
    }
}

/// A place, and whether every scalar in it has a value for sure.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) defined: bool,
}

/// Whether two places are written the same way, spans aside.
pub(super) fn same_place(left: &Place, right: &Place) -> bool {
    left.base == right.base && left.path == right.path
}

impl Generator {
    /// A place whose type is as wanted.
    pub(super) fn place(
        &mut self,
        access: Access,
        depth: u32,
        wanted: &dyn Fn(&Self, TypeId) -> bool,
    ) -> Option<Found> {
        let mut roots = self.roots(access);
        roots.retain(|root| self.reaches(root.place.ty, wanted));
        if access == Access::Read && !self.scope.steady && depth > 0 && self.chance(8) {
            roots.extend(self.result_root(depth, wanted));
        }
        if access == Access::Read && !self.scope.steady {
            roots.extend(self.numbered_element().filter(|root| self.reaches(root.place.ty, wanted)));
        }
        let root = self.pick(&roots)?;
        let place = self.descend(root.place, depth, wanted)?;
        Some(Found { place, defined: root.defined })
    }

    /// A place of exactly this type.
    pub(super) fn place_of(&mut self, access: Access, depth: u32, ty: TypeId) -> Option<Found> {
        self.place(access, depth, &|_, found| found == ty)
    }

    /// A place of a type that holds the same values.
    pub(super) fn place_like(&mut self, access: Access, depth: u32, ty: TypeId) -> Option<Found> {
        self.place(access, depth, &|generator, found| generator.is_like(found, ty))
    }

    /// A place to which a reference parameter of this type can refer. One that is known to be defined is not handed to
    /// a function that might undefine it.
    pub(super) fn referable(&mut self, access: Access, depth: u32, ty: TypeId) -> Option<Found> {
        let found = self.place_like(access, depth, ty)?;
        (access.is_reading() || !self.config.undefined || !found.defined).then_some(found)
    }

    /// Whether two types hold the same values by the look of it.
    fn is_like(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.model.types;
        left == right || (types.get(left) == types.get(right) && !matches!(types.get(left), Type::Enum { .. }))
    }

    /// A multiset that means the same wherever its locals are in scope.
    pub(super) fn steady_multiset(&mut self, access: Access) -> Option<Found> {
        let before = std::mem::replace(&mut self.scope.steady, true);
        let found =
            self.place(access, 0, &|generator, ty| matches!(generator.model.types.get(ty), Type::Multiset { .. }));
        self.scope.steady = before;
        found
    }

    /// Everything that places can start from.
    fn roots(&mut self, access: Access) -> Vec<Found> {
        let globals: Vec<(GlobalId, TypeId)> =
            (0..).zip(&self.model.globals).map(|(at, global)| (GlobalId(at), global.ty)).collect();
        let vars = self.scope.vars.clone();
        let focus = self.scope.focus.clone();
        let mut roots = Vec::new();
        for (global, ty) in globals {
            let hidden = focus.as_ref().is_some_and(|focus| focus.global == global);
            if !hidden && self.may(access, focus.is_some()) {
                let place = Place::global(global, ty, self.span());
                roots.push(Found { place, defined: !self.partial[global.index()] });
            }
        }
        for var in vars {
            roots.extend(self.var_root(&var, access, focus.is_some()));
        }
        if let Some(focus) = focus
            && !matches!(access, Access::Insert | Access::Reshape)
        {
            // The focus is what the loop is about, so it comes up more often than other places.
            let part = self.again(&focus.part);
            let defined = self.is_defined(&part);
            roots.extend(vec![Found { place: part, defined }; 1 + roots.len() / 2]);
        }
        roots
    }

    /// Whether globals and what references refer to may be used so.
    fn may(&self, access: Access, in_focus: bool) -> bool {
        let writes = self.scope.writes;
        match access {
            Access::Read | Access::Refer => true,
            Access::Write => !in_focus && writes >= Writes::Scalars,
            Access::Insert => !in_focus && writes == Writes::Everything,
            Access::Reshape => !in_focus && writes == Writes::Everything && !self.scope.elements_stay,
        }
    }

    fn var_root(&mut self, var: &Var, access: Access, in_focus: bool) -> Option<Found> {
        let usable = match &var.role {
            Role::Value if access == Access::Reshape => !in_focus && !self.scope.elements_stay,
            Role::Value => !in_focus || access.is_reading(),
            Role::Bound | Role::Counter => access.is_reading(),
            // References and elements may lie in the part of the state that is out of bounds in a commuting loop.
            Role::Slot(_) | Role::Reference { .. } => !in_focus && self.may(access, in_focus),
            Role::Gone => false,
        };
        if !usable {
            return None;
        }
        if let Role::Slot(multiset) = &var.role {
            let place = self.element(multiset, var);
            return Some(Found { defined: self.is_defined(&place), place });
        }
        Some(Found { place: self.local_place(var.local), defined: var.defined })
    }

    /// Whether every scalar in a place has a value for sure.
    pub(super) fn is_defined(&self, place: &Place) -> bool {
        match place.base {
            PlaceBase::Global(global) => !self.partial[global.index()],
            PlaceBase::Local(local) => self.scope.vars.iter().any(|var| var.local == local && var.defined),
            PlaceBase::Call(_) => !self.config.undefined,
        }
    }

    /// The element of a multiset that a local names.
    pub(super) fn element(&mut self, multiset: &Place, var: &Var) -> Place {
        self.part(multiset.clone(), Projection::Element(var.local))
    }

    /// An element of a multiset by a fixed number: it may be missing, and which one it is depends on the others.
    fn numbered_element(&mut self) -> Option<Found> {
        if !self.takes_risk() || !self.may_break_symmetry() {
            return None;
        }
        let found = self.steady_multiset(Access::Read)?;
        let number = self.rng.i64(0..=2);
        let slot = Box::new(self.int(number));
        Some(Found { place: self.part(found.place, Projection::Numbered(slot)), defined: found.defined })
    }

    /// The result of a call of a function without effects.
    fn result_root(&mut self, depth: u32, wanted: &dyn Fn(&Self, TypeId) -> bool) -> Option<Found> {
        let call = self.purely(|generator| {
            generator.call_with(depth - 1, &|generator, result| {
                result.is_some_and(|ty| !generator.is_scalar(ty) && generator.reaches(ty, wanted))
            })
        })?;
        let ty = self.model.function(call.function).result?;
        let base = PlaceBase::Call(Box::new(call));
        let place = Place { base, path: Vec::new(), ty, span: self.span() };
        Some(Found { place, defined: !self.config.undefined })
    }

    /// Whether some part of a type is as wanted. Elements of multisets do not count: they are reached through slots.
    fn reaches(&self, ty: TypeId, wanted: &dyn Fn(&Self, TypeId) -> bool) -> bool {
        wanted(self, ty)
            || match self.model.types.get(ty) {
                &Type::Array { element, .. } => self.reaches(element, wanted),
                Type::Record { fields } => fields.iter().any(|field| self.reaches(field.ty, wanted)),
                _ => false,
            }
    }

    /// Goes from a whole to a part that is as wanted.
    pub(super) fn descend(
        &mut self,
        whole: Place,
        depth: u32,
        wanted: &dyn Fn(&Self, TypeId) -> bool,
    ) -> Option<Place> {
        if wanted(self, whole.ty) {
            return Some(whole);
        }
        let step = match self.model.types.get(whole.ty).clone() {
            Type::Array { index, .. } => Projection::Index(Box::new(self.index(index, depth)?)),
            Type::Record { fields } => {
                let leading = (0..).zip(&fields).filter(|(_, field)| self.reaches(field.ty, wanted));
                let leading: Vec<u32> = leading.map(|(at, _)| at).collect();
                Projection::Field(self.pick(&leading)?)
            }
            _ => return None,
        };
        let part = self.part(whole, step);
        self.descend(part, depth, wanted)
    }

    /// An index into an array.
    pub(super) fn index(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        if self.scope.steady || depth == 0 {
            return self.bound_value(ty).or_else(|| self.any_constant(ty));
        }
        if self.is_range(ty) && self.takes_risk() {
            return Some(self.purely(|generator| generator.integer(depth - 1)));
        }
        let bound = if self.chance(70) { self.bound_value(ty) } else { None };
        bound.or_else(|| self.purely(|generator| generator.scalar(ty, depth - 1)))
    }

    /// The value of a local that takes the values of a domain of this type.
    pub(super) fn bound_value(&mut self, ty: TypeId) -> Option<Expr> {
        let fits = |var: &&Var| var.ty == ty && var.defined && matches!(var.role, Role::Bound);
        let bound = self.scope.vars.iter().filter(fits);
        let bound: Vec<Var> = bound.cloned().collect();
        let var = self.pick(&bound)?;
        Some(self.read_local(var.local))
    }

    /// The value at some place of this type, or another one if there is none.
    pub(super) fn read_of(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        let found = self.purely(|generator| generator.place_of(Access::Read, depth, ty))?;
        self.read_found(found)
    }

    /// Reads a scalar that may be undefined; then another value takes its place, unless that is worth a risk.
    pub(super) fn read_found(&mut self, found: Found) -> Option<Expr> {
        if found.defined || self.takes_risk() {
            return Some(self.read(found.place));
        }
        let other = self.bound_value(found.place.ty).or_else(|| self.any_constant(found.place.ty))?;
        let again = self.again(&found.place);
        let undefined = self.is_undefined(again);
        let value = self.read(found.place);
        let condition = self.not(undefined);
        Some(self.select(condition, value, other))
    }

    /// Something to store in a place of this type.
    pub(super) fn operand(&mut self, ty: TypeId, depth: u32) -> Option<Operand> {
        if self.config.undefined && self.chance(8) {
            return Some(Operand::Undefined);
        }
        if self.is_scalar(ty) && self.chance(85) {
            return self.storable(ty, depth).map(Operand::Value);
        }
        let found = self.place_like(Access::Read, depth, ty)?;
        Some(Operand::Copy(found.place))
    }

    /// Something without undefined parts to store in a place of this type.
    pub(super) fn defined_operand(&mut self, ty: TypeId, depth: u32) -> Option<Operand> {
        if self.is_scalar(ty) {
            return self.storable(ty, depth).map(Operand::Value);
        }
        let found = self.place_like(Access::Read, depth, ty)?;
        found.defined.then_some(Operand::Copy(found.place))
    }

    /// A scalar that a variable of this type can take.
    pub(super) fn storable(&mut self, ty: TypeId, depth: u32) -> Option<Expr> {
        let &Type::Range { lo, hi } = self.model.types.get(ty) else { return self.scalar(ty, depth) };
        if self.takes_risk() {
            return Some(self.integer(depth));
        }
        if self.chance(40) {
            let value = self.integer(depth);
            return Some(self.fit(value, lo, hi));
        }
        self.scalar(ty, depth)
    }
}
