//! Functions and procedures.

use burnside_ir::{
    Arg, BinaryOp, Block, Call, Expr, Function, FunctionId, LocalId, LocalMode, Operand, Stmt, StmtKind, Type, TypeId,
};

use super::Generator;
use super::scope::{Role, Writes};

/// What a call may do besides giving a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    None,
    /// Writes scalars of globals and reference parameters.
    Writes,
    /// Changes multisets too; such a function has no result, so that it is called in statements only.
    Reshapes,
}

impl Generator {
    pub(super) fn functions(&mut self) {
        let n_functions = if self.config.functions { self.rng.usize(0..=3) } else { 0 };
        for _ in 0..n_functions {
            self.function();
        }
    }

    fn function(&mut self) {
        let effect = self.pick(&[Effect::None, Effect::None, Effect::Writes, Effect::Reshapes]);
        let effect = effect.unwrap_or(Effect::None);
        self.open_scope(match effect {
            Effect::None => Writes::Nothing,
            Effect::Writes => Writes::Scalars,
            Effect::Reshapes => Writes::Everything,
        });
        let fuel = if self.chance(25) { self.fuel() } else { None };
        self.params(fuel);
        let params: Vec<_> = self.scope.locals.iter().map(|local| (local.ty, local.mode)).collect();
        let fallback = self.promise_result(effect);
        let mut body = Block::new();
        if let Some(fuel) = fuel {
            body.extend(self.recursion(fuel, &params, effect));
        }
        let n_stmts = self.rng.usize(0..=2);
        body.extend(self.open_block(1, n_stmts));
        if let Some(operand) = fallback {
            let leave = self.stmt(StmtKind::Return(Some(operand)));
            body.push(if self.takes_risk() {
                let condition = self.boolean(1);
                self.when(condition, vec![leave])
            } else {
                leave
            });
        }
        let function = Function {
            name: format!("fun{}", self.model.functions.len()),
            locals: std::mem::take(&mut self.scope.locals),
            n_params: params.len() as u32,
            result: self.scope.result,
            body,
            span: self.span(),
        };
        self.model.functions.push(function);
        self.effects.push(effect);
    }

    /// The type of a parameter that counts down to the end of the recursion.
    fn fuel(&mut self) -> Option<TypeId> {
        let ranges = self.model.types.iter().map(|(id, _)| id).filter(|&id| self.is_range(id));
        let ranges: Vec<TypeId> = ranges.collect();
        self.pick(&ranges)
    }

    fn params(&mut self, fuel: Option<TypeId>) {
        if let Some(ty) = fuel {
            let local = self.declare("n", ty, LocalMode::Owned);
            self.admit(local, Role::Bound, !self.config.undefined);
        }
        let types: Vec<TypeId> = self.model.globals.iter().flat_map(|global| self.parts(global.ty)).collect();
        for _ in 0..self.rng.usize(0..=2) {
            let Some(ty) = self.pick(&types) else { return };
            if self.chance(45) {
                let local = self.declare("r", ty, LocalMode::Reference);
                self.admit(local, Role::Reference { in_element: false }, !self.config.undefined);
            } else {
                let local = self.declare("p", ty, LocalMode::Owned);
                self.admit(local, Role::Value, !self.config.undefined);
            }
        }
    }

    /// The type and its parts, elements of multisets left aside.
    fn parts(&self, ty: TypeId) -> Vec<TypeId> {
        let mut parts = vec![ty];
        match self.model.types.get(ty) {
            &Type::Array { element, .. } => parts.extend(self.parts(element)),
            Type::Record { fields } => parts.extend(fields.iter().flat_map(|field| self.parts(field.ty))),
            _ => {}
        }
        parts
    }

    /// Chooses the type of the result, together with something to return at the end.
    fn promise_result(&mut self, effect: Effect) -> Option<Operand> {
        if effect == Effect::Reshapes || (effect == Effect::Writes && self.chance(30)) {
            return None;
        }
        let types: Vec<TypeId> = self.model.types.iter().map(|(id, _)| id).filter(|&id| id != TypeId::INT).collect();
        let ty = self.pick(&types).unwrap_or(TypeId::BOOL);
        match self.result_operand(ty) {
            Some(operand) => {
                self.scope.result = Some(ty);
                Some(operand)
            }
            None => {
                self.scope.result = Some(TypeId::BOOL);
                Some(Operand::Value(self.boolean(1)))
            }
        }
    }

    /// Something to return; a scalar is defined, unless that is worth a risk.
    pub(super) fn result_operand(&mut self, ty: TypeId) -> Option<Operand> {
        if self.is_scalar(ty) && !self.takes_risk() {
            return self.storable(ty, 1).map(Operand::Value);
        }
        self.operand(ty, 1)
    }

    /// A call of the function itself, as long as its first parameter is above its least value.
    fn recursion(&mut self, fuel: TypeId, params: &[(TypeId, LocalMode)], effect: Effect) -> Option<Stmt> {
        let local = LocalId(0);
        let lo = self.model.types.shape(fuel).lo;
        let mut args = self.args(&params[1..], effect, 0)?;
        let (value, one) = (self.read_local(local), self.int(1));
        args.insert(0, Arg::Value(Operand::Value(self.binary(BinaryOp::Sub, value, one))));
        let function = FunctionId(self.model.functions.len() as u32);
        let call = Call { function, args, span: self.span() };
        let block = match self.scope.result {
            None => vec![self.stmt(StmtKind::Call { call, result: None })],
            Some(ty) => {
                let result = self.declare("r", ty, LocalMode::Owned);
                let call = self.stmt(StmtKind::Call { call, result: Some(result) });
                let operand = if self.is_scalar(ty) {
                    Operand::Value(self.read_local(result))
                } else {
                    Operand::Copy(self.local_place(result))
                };
                vec![call, self.stmt(StmtKind::Return(Some(operand)))]
            }
        };
        let condition = self.above(local, lo);
        Some(self.when(condition, block))
    }

    /// Whether a local has a value greater than `lo`.
    fn above(&mut self, local: LocalId, lo: i64) -> Expr {
        let (value, least) = (self.read_local(local), self.int(lo));
        let above = self.binary(BinaryOp::Gt, value, least);
        let place = self.local_place(local);
        let undefined = self.is_undefined(place);
        let defined = self.not(undefined);
        self.binary(BinaryOp::And, defined, above)
    }
}
