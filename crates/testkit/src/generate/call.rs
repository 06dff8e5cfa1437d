//! Calls.

use burnside_ir::{Arg, Call, Expr, ExprKind, FunctionId, LocalMode, TypeId};

use super::Generator;
use super::function::Effect;
use super::place::Access;
use super::scope::Writes;

impl Generator {
    /// A call of a function whose scalar result is as wanted.
    pub(super) fn call_expr(&mut self, depth: u32, wanted: &dyn Fn(&Self, TypeId) -> bool) -> Option<Expr> {
        let call = self.purely(|generator| {
            generator.call_with(depth - 1, &|generator, result| {
                result.is_some_and(|ty| generator.is_scalar(ty) && wanted(generator, ty))
            })
        })?;
        let ty = self.model.function(call.function).result?;
        Some(self.expr(ExprKind::Call(Box::new(call)), ty))
    }

    /// A call of a function whose result is as wanted. Inside a commuting loop there is none, because functions may read
    /// what other rounds write.
    pub(super) fn call_with(&mut self, depth: u32, wanted: &dyn Fn(&Self, Option<TypeId>) -> bool) -> Option<Call> {
        if self.scope.focus.is_some() {
            return None;
        }
        let functions = (0..self.scope.n_callable).filter(|&at| {
            let effect = if self.scope.pure { Effect::None } else { self.greatest_effect() };
            self.effects[at] <= effect && wanted(self, self.model.functions[at].result)
        });
        let functions: Vec<usize> = functions.collect();
        let function = FunctionId(self.pick(&functions)? as u32);
        self.call(function, depth)
    }

    /// The greatest effect that calls may have here.
    fn greatest_effect(&self) -> Effect {
        match self.scope.writes {
            Writes::Nothing => Effect::None,
            Writes::Everything if !self.scope.elements_stay => Effect::Reshapes,
            Writes::Scalars | Writes::Everything => Effect::Writes,
        }
    }

    /// A call of this function, if there is something to pass for each parameter.
    fn call(&mut self, function: FunctionId, depth: u32) -> Option<Call> {
        let callee = self.model.function(function);
        let params: Vec<_> = callee.locals[..callee.n_params as usize].iter().map(|of| (of.ty, of.mode)).collect();
        let args = self.args(&params, self.effects[function.index()], depth)?;
        Some(Call { function, args, span: self.span() })
    }

    /// Arguments for these parameters of a function.
    pub(super) fn args(&mut self, params: &[(TypeId, LocalMode)], effect: Effect, depth: u32) -> Option<Vec<Arg>> {
        let access = match effect {
            Effect::None => Access::Refer,
            Effect::Writes => Access::Write,
            Effect::Reshapes => Access::Reshape,
        };
        self.purely(|generator| {
            let arg = |&(ty, mode): &(TypeId, LocalMode)| match mode {
                LocalMode::Owned => generator.operand(ty, depth).map(Arg::Value),
                LocalMode::Slot => unreachable!("parameters are no slot locals"),
                LocalMode::Reference => generator.referable(access, depth, ty).map(|found| Arg::Reference(found.place)),
            };
            params.iter().map(arg).collect()
        })
    }
}
