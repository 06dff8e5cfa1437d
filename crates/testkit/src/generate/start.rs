//! Start states.

use burnside_ir::{
    Binder, Block, Domain, Expr, GlobalId, Operand, Place, Projection, StartState, StmtKind, Type, TypeId,
};

use super::Generator;
use super::scope::Writes;

impl Generator {
    pub(super) fn starts(&mut self) {
        let n_starts = if self.chance(80) { 1 } else { 2 };
        for at in 0..n_starts {
            self.start(at);
        }
    }

    fn start(&mut self, at: usize) {
        self.open_scope(Writes::Everything);
        let binders = self.start_params();
        let mut action = Block::new();
        for at in 0..self.model.globals.len() as u32 {
            if self.partial[at as usize] && self.chance(50) {
                continue;
            }
            let ty = self.model.globals[at as usize].ty;
            let place = Place::global(GlobalId(at), ty, self.span());
            action.extend(self.initialise(place));
        }
        let n_stmts = self.rng.usize(0..=1);
        action.extend(self.open_block(1, n_stmts));
        let locals = std::mem::take(&mut self.scope.locals);
        let span = self.span();
        self.model.starts.push(StartState { name: format!("start{at}"), binders, locals, action, span });
    }

    /// One parameter for each sort whose members some global holds, so that there is something to set it to.
    fn start_params(&mut self) -> Vec<Binder> {
        let held = |ty: TypeId| self.model.globals.iter().any(|global| self.holds(global.ty, ty));
        let ids = self.model.types.iter().filter(|(id, def)| matches!(def.ty, Type::Id(_)) && held(*id));
        let ids: Vec<TypeId> = ids.map(|(id, _)| id).collect();
        let mut binders = Vec::new();
        for ty in ids {
            let domain = Domain::Type(ty);
            binders.push(Binder::Param { local: self.bind(&domain), domain });
        }
        binders
    }

    /// Whether values of the scalar type `part` occur in values of type `ty`.
    fn holds(&self, ty: TypeId, part: TypeId) -> bool {
        ty == part || self.model.types.get(ty).contents().any(|inner| self.holds(inner, part))
    }

    /// Gives every scalar of a place a value, without reading any global.
    fn initialise(&mut self, place: Place) -> Block {
        let plain = !self.holds_id(place.ty) && self.chance(40);
        match self.model.types.get(place.ty).clone() {
            Type::Multiset { .. } => vec![self.stmt(StmtKind::Clear(place))],
            _ if plain => vec![self.stmt(StmtKind::Clear(place))],
            Type::Array { index, .. } => self.scoped(|generator| {
                let domain = Domain::Type(index);
                let local = generator.bind(&domain);
                let step = Projection::Index(Box::new(generator.read_local(local)));
                let element = generator.part(place, step);
                let body = generator.initialise(element);
                vec![generator.stmt(StmtKind::For { local, domain, body })]
            }),
            Type::Record { fields } => {
                let mut block = Block::new();
                for at in 0..fields.len() as u32 {
                    let field = self.part(place.clone(), Projection::Field(at));
                    block.extend(self.initialise(field));
                }
                block
            }
            _ => {
                let value = self.first_value(place.ty);
                value.map(|value| self.assign(place, Operand::Value(value))).into_iter().collect()
            }
        }
    }

    /// A value that depends on parameters at most.
    fn first_value(&mut self, ty: TypeId) -> Option<Expr> {
        if self.chance(50)
            && let Some(constant) = self.any_constant(ty)
        {
            return Some(constant);
        }
        if let Type::Union { members } = self.model.types.get(ty).clone()
            && let Some(member) = self.pick(&members)
        {
            let value = self.first_value(member)?;
            return Some(self.convert(value, ty));
        }
        self.bound_value(ty).or_else(|| self.any_constant(ty))
    }
}
