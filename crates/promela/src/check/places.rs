//! Variables, elements and fields, down to slots.

use burnside_diag::{Diagnostic, Span};

use super::scope::Symbol;
use super::{Checker, Context};
use crate::ast::{self, VarPart, VarRef};
use crate::codes;
use crate::typed::{
    Builtin, ChanTypeId, ExprKind, Frame, Index, MtypeId, Place, ProcId, Scalar, Scope, StructId, Target, Type, Var,
    VarId,
};

/// What a reference stands for.
pub(super) enum Referent {
    Place(Place),
    /// All fields of a structure, in order.
    Whole(Vec<Place>),
    /// A name of an `mtype`.
    Const(MtypeId, i32),
    Builtin(Builtin),
    /// `_`.
    Discard,
}

/// A place on its way down.
struct Descent {
    scope: Scope,
    var: VarId,
    slot: u32,
    indices: Vec<Index>,
    ty: Type,
    in_array: bool,
    chan: Option<ChanTypeId>,
}

impl Checker {
    pub(super) fn referent(&mut self, var: &VarRef) -> Option<Referent> {
        let first = &var.parts[0];
        if var.parts.len() == 1 && first.index.is_none() {
            match first.name.text.as_str() {
                "_" => return Some(Referent::Discard),
                "_pid" => return Some(Referent::Builtin(Builtin::Pid)),
                "_nr_pr" => return Some(Referent::Builtin(Builtin::NrPr)),
                "_last" => return Some(Referent::Builtin(Builtin::Last)),
                "_priority" => return Some(Referent::Builtin(Builtin::Priority)),
                _ => {}
            }
        }
        let (scope, id) = match self.resolve(&first.name)? {
            Symbol::Global(id) => (Scope::Global, id),
            Symbol::Local(id) => (Scope::Local, id),
            Symbol::Mtype(id, value) if var.parts.len() == 1 && first.index.is_none() => {
                return Some(Referent::Const(id, value));
            }
            other => return self.wrong_kind(first, other),
        };
        let declared = self.frame_of(scope).vars[id.index()].clone();
        self.descend(var, scope, id, declared)
    }

    /// The place of `P[i]:v` in the frame of `P`.
    pub(super) fn remote_place(&mut self, proc: ProcId, var: &VarRef) -> Option<Place> {
        let name = &var.parts[0].name;
        let known = self.program.procs.get(proc.index());
        let id = known.and_then(|proc| proc.frame.vars.iter().position(|declared| declared.name == name.text));
        let Some(id) = id else {
            let message = format!("that process type has no variable `{}` declared before this place", name.text);
            let finding = Diagnostic::error(codes::UNKNOWN_NAME, message, name.span);
            self.report(finding.help("name a parameter or variable of the process type; put claims behind it"));
            return None;
        };
        let declared = self.program.procs[proc.index()].frame.vars[id].clone();
        match self.descend(var, Scope::Local, VarId(id as u32), declared)? {
            Referent::Place(place) => Some(place),
            _ => {
                let finding = Diagnostic::error(codes::STRUCT_VALUE, "a structure has no single value", var.span);
                self.report(finding.help("name one of its fields"));
                None
            }
        }
    }

    fn wrong_kind(&mut self, part: &VarPart, symbol: Symbol) -> Option<Referent> {
        let message = format!("`{}` is {}, not a variable", part.name.text, symbol.kind());
        let finding = Diagnostic::error(codes::WRONG_KIND, message, part.name.span);
        self.report(finding.help("use the name of a variable here"));
        None
    }

    fn frame_of(&self, scope: Scope) -> &Frame {
        match scope {
            Scope::Global => &self.program.globals,
            Scope::Local => self.frame.as_ref().expect("locals are only visible in bodies"),
        }
    }

    fn descend(&mut self, var: &VarRef, scope: Scope, id: VarId, declared: Var) -> Option<Referent> {
        let mut at = Descent {
            scope,
            var: id,
            slot: declared.slot,
            indices: Vec::new(),
            ty: declared.ty,
            in_array: declared.length.is_some(),
            chan: declared.chan,
        };
        self.index(&mut at, &var.parts[0], declared.length, declared.stride, declared.span)?;
        for part in &var.parts[1..] {
            let Type::Struct(id) = at.ty else {
                let message = format!("`{}` is a field of something that has none", part.name.text);
                let finding = Diagnostic::error(codes::NOT_A_STRUCT, message, part.name.span);
                self.report(finding.also(declared.span, "declared here").help("leave the field out"));
                return None;
            };
            let field = self.field_named(id, part)?;
            at.slot += field.offset;
            at.ty = field.ty;
            at.in_array = field.length.is_some();
            at.chan = field.chan;
            let stride = match field.ty {
                Type::Scalar(_) => 1,
                Type::Struct(id) => self.program.structs[id.index()].n_slots,
            };
            self.index(&mut at, part, field.length, stride, field.span)?;
        }
        Some(self.arrive(at, var.span))
    }

    fn field_named(&mut self, id: StructId, part: &VarPart) -> Option<crate::typed::Field> {
        let of = &self.program.structs[id.index()];
        let field = of.fields.iter().find(|field| field.name == part.name.text).cloned();
        if field.is_none() {
            let names: Vec<String> = of.fields.iter().map(|field| format!("`{}`", field.name)).collect();
            let message = format!("`{}` has no field `{}`", of.name, part.name.text);
            let finding = Diagnostic::error(codes::UNKNOWN_FIELD, message, part.name.span);
            self.report(finding.help(format!("its fields are {}", names.join(", "))));
        }
        field
    }

    fn index(
        &mut self,
        at: &mut Descent,
        part: &VarPart,
        length: Option<u32>,
        stride: u32,
        declared: Span,
    ) -> Option<()> {
        match (&part.index, length) {
            (None, None) => Some(()),
            (Some(index), Some(length)) => {
                let expr = self.value(index)?;
                if let ExprKind::Const(value) = expr.kind
                    && !(0..i64::from(length)).contains(&i64::from(value))
                {
                    let message = format!("`{}` has the elements 0 to {}, not {value}", part.name.text, length - 1);
                    let finding = Diagnostic::warning(codes::INDEX_OUT_OF_RANGE, message, index.span);
                    self.report(finding.also(declared, "declared here").help("it is an error when it is executed"));
                }
                at.indices.push(Index { expr, length, stride });
                Some(())
            }
            (None, Some(_)) => {
                let message = format!("`{}` is an array and needs an index", part.name.text);
                let finding = Diagnostic::error(codes::MISSING_INDEX, message, part.name.span);
                self.report(finding.also(declared, "declared here").help("name one element, such as `[0]`"));
                None
            }
            // SPIN lets the index 0 of a plain variable pass.
            (Some(index), None) if matches!(index.kind, ast::ExprKind::Number(0)) => Some(()),
            (Some(index), None) => {
                let message = format!("`{}` is not an array and has an index", part.name.text);
                let finding = Diagnostic::error(codes::NOT_AN_ARRAY, message, index.span);
                self.report(finding.also(declared, "declared here").help("leave the index out"));
                None
            }
        }
    }

    fn arrive(&self, at: Descent, span: Span) -> Referent {
        let Descent { scope, var, slot, indices, ty, in_array, chan } = at;
        match ty {
            Type::Scalar(_) => {
                let scalar = self.scalars(ty, in_array)[0];
                Referent::Place(Place { scope, var, slot, indices, scalar, chan, span })
            }
            Type::Struct(_) => {
                let scalars = self.scalars(ty, false);
                let place = |(offset, scalar): (usize, Scalar)| Place {
                    scope,
                    var,
                    slot: slot + offset as u32,
                    indices: indices.clone(),
                    scalar,
                    chan: None,
                    span,
                };
                Referent::Whole(scalars.into_iter().enumerate().map(place).collect())
            }
        }
    }

    /// A reference that must be one slot.
    pub(super) fn place(&mut self, var: &VarRef) -> Option<Place> {
        let what = match self.referent(var)? {
            Referent::Place(place) => return Some(place),
            Referent::Whole(_) => {
                let finding = Diagnostic::error(codes::STRUCT_VALUE, "a structure has no single value", var.span);
                self.report(finding.help("name one of its fields; only messages and arguments take all of them"));
                return None;
            }
            Referent::Const(..) => "a name of an `mtype`",
            Referent::Builtin(_) => "a value that the system keeps",
            Referent::Discard => "write-only",
        };
        let message = format!("`{}` is {what}, not a variable", var.parts[0].name.text);
        self.report(Diagnostic::error(codes::WRONG_KIND, message, var.span).help("use a variable here"));
        None
    }

    /// A reference that must be a channel.
    pub(super) fn channel(&mut self, var: &VarRef) -> Option<Place> {
        let place = self.place(var)?;
        if place.scalar != Scalar::Chan {
            let message = format!("`{}` is not a channel", var.parts[0].name.text);
            let declared = self.frame_of(place.scope).vars[place.var.index()].span;
            let finding = Diagnostic::error(codes::NOT_A_CHANNEL, message, var.span);
            self.report(finding.also(declared, "declared here").help("declare it `chan`"));
            return None;
        }
        Some(place)
    }

    /// A reference that takes a value in an assignment.
    pub(super) fn target(&mut self, var: &VarRef) -> Option<Target> {
        let name = match self.referent(var)? {
            Referent::Place(place) => return Some(Target::Place(place)),
            Referent::Discard => return Some(Target::Discard),
            Referent::Builtin(Builtin::Priority) => return Some(Target::Priority),
            Referent::Whole(_) => {
                let finding =
                    Diagnostic::error(codes::STRUCT_VALUE, "structures are not assigned as a whole", var.span);
                self.report(finding.help("assign the fields one by one"));
                return None;
            }
            Referent::Builtin(_) | Referent::Const(..) => &var.parts[0].name.text,
        };
        let message = format!("`{name}` cannot be assigned to");
        self.report(Diagnostic::error(codes::NOT_ASSIGNABLE, message, var.span).help("use a variable of your own"));
        None
    }

    /// Whether `_pid` and the like mean something here.
    pub(super) fn builtin_allowed(&mut self, builtin: Builtin, span: Span) -> Option<()> {
        let own = matches!(builtin, Builtin::Pid | Builtin::Priority);
        if own && !matches!(self.context, Context::Proc(_)) {
            let finding = Diagnostic::error(codes::WRONG_KIND, "this belongs to a process, and here is none", span);
            self.report(finding.help("use it inside a `proctype` or `init`"));
            return None;
        }
        Some(())
    }
}
