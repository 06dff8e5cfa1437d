//! Declarations: types, `mtype` names, variables and channels.

use burnside_diag::{Diagnostic, Span};

use super::Checker;
use super::scope::Symbol;
use crate::ast::{self, ChanInit, Decl, DeclVar, Init, MtypeDecl, TypeName, Typedef, Visibility};
use crate::codes;
use crate::typed::{
    Basic, ChanType, ChanTypeId, Expr, ExprKind, Field, FieldInit, Frame, InitValue, Mtype, MtypeId, Place, Scalar,
    Scope, Slot, SlotInit, Step, StepKind, Struct, StructId, Target, Type, Var, VarId,
};

/// Most values one frame may have; SPIN's own limit on a state is far below.
const MAX_SLOTS: u64 = 1 << 20;

/// A variable's shape, before it has a place.
struct Shape {
    ty: Type,
    length: Option<u32>,
    stride: u32,
}

impl Checker {
    pub(super) fn declare_mtype(&mut self, decl: &MtypeDecl) {
        let id = self.mtype_set(decl.subtype.as_ref().map(|name| name.text.as_str()));
        // The last name of each declaration has the lowest number.
        for name in decl.names.iter().rev() {
            let names = &mut self.program.mtypes[id.index()].names;
            names.push(name.text.clone());
            let value = names.len() as i32;
            if value == 256 {
                let finding =
                    Diagnostic::error(codes::TOO_MANY_MTYPES, "this `mtype` has more than 255 names", name.span);
                self.report(finding.help("split the names into subtypes, `mtype:kind = { … }`"));
            }
            self.declare(name, Symbol::Mtype(id, value));
        }
    }

    /// The set of names with or without a subtype; a new one if there is none.
    fn mtype_set(&mut self, name: Option<&str>) -> MtypeId {
        let known = self.program.mtypes.iter().position(|mtype| mtype.name.as_deref() == name);
        let index = known.unwrap_or_else(|| {
            self.program.mtypes.push(Mtype { name: name.map(str::to_owned), names: Vec::new() });
            self.program.mtypes.len() - 1
        });
        MtypeId(index as u32)
    }

    pub(super) fn declare_typedef(&mut self, typedef: &Typedef) {
        let mut fields: Vec<Field> = Vec::new();
        let mut offset = 0;
        for decl in &typedef.fields {
            for var in &decl.vars {
                let Some(field) = self.field(decl, var, offset) else { continue };
                if let Some(earlier) = fields.iter().find(|earlier| earlier.name == field.name) {
                    let message = format!("the field `{}` is declared twice", field.name);
                    let finding = Diagnostic::error(codes::DUPLICATE_NAME, message, field.span)
                        .also(earlier.span, "first declared here")
                        .help("rename one of them");
                    self.report(finding);
                    continue;
                }
                offset += field.length.unwrap_or(1) * self.slots_of(field.ty);
                fields.push(field);
            }
        }
        let id = StructId(self.program.structs.len() as u32);
        self.program.structs.push(Struct { name: typedef.name.text.clone(), fields, n_slots: offset });
        self.declare(&typedef.name, Symbol::Struct(id));
    }

    fn field(&mut self, decl: &Decl, var: &DeclVar, offset: u32) -> Option<Field> {
        let shape = self.shape(decl, var)?;
        let mut chan = None;
        let init = match &var.init {
            None => FieldInit::Default,
            Some(Init::Chan(init)) => {
                chan = self.chan_for(shape.ty, init);
                FieldInit::Default
            }
            Some(Init::Expr(expr)) => FieldInit::Values(vec![self.constant(expr, "the first value of a field")?]),
            Some(Init::List(values, _)) => {
                let values: Vec<i32> =
                    values.iter().filter_map(|value| self.constant(value, "the first value of a field")).collect();
                FieldInit::Values(values)
            }
        };
        let name = var.name.text.clone();
        Some(Field { name, ty: shape.ty, length: shape.length, offset, init, chan, span: var.name.span })
    }

    pub(super) fn declare_globals(&mut self, decl: &Decl) {
        for var in &decl.vars {
            let Some(shape) = self.shape(decl, var) else {
                self.declare(&var.name, Symbol::Broken);
                continue;
            };
            self.check_hidden(decl, var, &shape);
            let id = self.add_var(decl, var, &shape, Scope::Global);
            self.initialise(var, id, Scope::Global);
            self.declare(&var.name, Symbol::Global(id));
        }
    }

    pub(super) fn declare_params(&mut self, decl: &Decl) {
        for var in &decl.vars {
            if var.init.is_some() {
                let message = format!("the parameter `{}` has a first value", var.name.text);
                let finding = Diagnostic::error(codes::PARAMETER_FORM, message, var.name.span);
                self.report(finding.help("give the value in `run`"));
            }
            let Some(shape) = self.shape(decl, var) else {
                self.declare(&var.name, Symbol::Broken);
                continue;
            };
            if shape.length.is_some() || self.holds_array(shape.ty) {
                let message = format!("the parameter `{}` is or holds an array", var.name.text);
                let finding = Diagnostic::error(codes::PARAMETER_FORM, message, var.name.span);
                self.report(finding.help("pass the elements one by one, or use a global array"));
            }
            let id = self.add_var(decl, var, &shape, Scope::Local);
            self.declare(&var.name, Symbol::Local(id));
        }
    }

    fn holds_array(&self, ty: Type) -> bool {
        let Type::Struct(id) = ty else { return false };
        self.program.structs[id.index()].fields.iter().any(|field| field.length.is_some() || self.holds_array(field.ty))
    }

    /// Variables among the statements of a body; behind the first statement each of them is a step.
    pub(super) fn declare_locals(&mut self, decl: &Decl) -> Vec<Step> {
        if let Some((Visibility::Hidden, span)) = decl.visibility {
            let finding = Diagnostic::error(codes::HIDDEN_VARIABLE, "a variable of a process cannot be hidden", span);
            self.report(finding.help("declare it at the top level, or leave `hidden` out"));
        }
        let mut steps = Vec::new();
        for var in &decl.vars {
            let Some(shape) = self.shape(decl, var) else {
                self.declare(&var.name, Symbol::Broken);
                continue;
            };
            let id = self.add_var(decl, var, &shape, Scope::Local);
            if self.body.at_start {
                self.initialise(var, id, Scope::Local);
            } else if let Some(basic) = self.declaration_step(var, id) {
                steps.push(Step { labels: Vec::new(), kind: StepKind::Basic(basic), span: var.name.span });
            }
            self.declare(&var.name, Symbol::Local(id));
        }
        steps
    }

    /// What a declaration in mid-body does: it assigns to the first element.
    fn declaration_step(&mut self, var: &DeclVar, id: VarId) -> Option<Basic> {
        let span = var.name.span;
        let declared = &self.frame.as_ref()?.vars[id.index()];
        let (slot, ty) = (declared.slot, declared.ty);
        let Type::Scalar(_) = ty else {
            if var.init.is_some() {
                self.warn_struct_init(var);
            }
            return Some(Basic::DeclareStruct(id));
        };
        let scalar = self.frame.as_ref()?.slots[slot as usize].scalar;
        let place = Place { scope: Scope::Local, var: id, slot, indices: Vec::new(), scalar, chan: None, span };
        let value = match &var.init {
            None => Expr { kind: ExprKind::Const(0), span },
            Some(Init::Expr(expr)) => self.value(expr)?,
            Some(Init::List(_, span)) => {
                let finding = Diagnostic::error(
                    codes::LIST_IN_MID_BODY,
                    format!("`{}` gets a list of values behind the first statement", var.name.text),
                    *span,
                );
                self.report(finding.help("declare it before the first statement, or assign the elements one by one"));
                return None;
            }
            Some(Init::Chan(init)) => {
                let finding = Diagnostic::error(
                    codes::CHANNEL_IN_MID_BODY,
                    format!("the channel `{}` is made behind the first statement", var.name.text),
                    init.span,
                );
                self.report(finding.help("declare it before the first statement, or at the top level"));
                return None;
            }
        };
        Some(Basic::Assign(Target::Place(place), value))
    }

    fn check_hidden(&mut self, decl: &Decl, var: &DeclVar, shape: &Shape) {
        let Some((Visibility::Hidden, span)) = decl.visibility else { return };
        let kind = match shape.ty {
            Type::Scalar(Scalar::Chan) => "channel",
            Type::Scalar(Scalar::Bit | Scalar::Bool) => "bit",
            _ => return,
        };
        let message = format!("the {kind} `{}` cannot be hidden", var.name.text);
        self.report(Diagnostic::error(codes::HIDDEN_VARIABLE, message, span).help("leave `hidden` out"));
    }

    fn slots_of(&self, ty: Type) -> u32 {
        match ty {
            Type::Scalar(_) => 1,
            Type::Struct(id) => self.program.structs[id.index()].n_slots,
        }
    }

    fn shape(&mut self, decl: &Decl, var: &DeclVar) -> Option<Shape> {
        let ty = self.var_type(decl, var)?;
        let length = match &var.length {
            None => None,
            Some(length) => {
                let value = self.constant(length, "the length of an array")?;
                if value <= 0 {
                    let message = format!("an array cannot have {value} elements");
                    let finding = Diagnostic::error(codes::ARRAY_LENGTH, message, length.span);
                    self.report(finding.help("use at least one"));
                    return None;
                }
                Some(value as u32)
            }
        };
        let stride = self.slots_of(ty);
        let n_slots = u64::from(length.unwrap_or(1)) * u64::from(stride);
        if n_slots > MAX_SLOTS {
            let message = format!("`{}` holds {n_slots} values, which no state could keep", var.name.text);
            let finding = Diagnostic::error(codes::ARRAY_LENGTH, message, var.name.span);
            self.report(finding.help("model fewer"));
            return None;
        }
        Some(Shape { ty, length, stride })
    }

    fn var_type(&mut self, decl: &Decl, var: &DeclVar) -> Option<Type> {
        let width = var.width.as_ref();
        let scalar = match &decl.ty {
            TypeName::Unsigned => {
                let Some(width) = width else {
                    let message = format!("the width of `{}` is missing", var.name.text);
                    let finding = Diagnostic::error(codes::UNSIGNED_WIDTH, message, var.name.span);
                    self.report(finding.help(format!("write `unsigned {} : 4` for four bits", var.name.text)));
                    return None;
                };
                let bits = self.constant(width, "the width")?;
                if !(1..32).contains(&bits) {
                    let finding =
                        Diagnostic::error(codes::UNSIGNED_WIDTH, format!("a width of {bits} bits"), width.span);
                    self.report(finding.help("use 1 to 31 bits"));
                    return None;
                }
                return Some(Type::Scalar(Scalar::Unsigned(bits as u8)));
            }
            other => self.plain_type(other)?,
        };
        if let Some(width) = width {
            let finding =
                Diagnostic::error(codes::UNSIGNED_WIDTH, "only an `unsigned` variable has a width", width.span);
            self.report(finding.help("declare it `unsigned`, or leave the width out"));
        }
        Some(scalar)
    }

    fn plain_type(&mut self, ty: &TypeName) -> Option<Type> {
        Some(Type::Scalar(match ty {
            TypeName::Bit => Scalar::Bit,
            TypeName::Bool => Scalar::Bool,
            TypeName::Byte => Scalar::Byte,
            TypeName::Pid => Scalar::Pid,
            TypeName::Short => Scalar::Short,
            TypeName::Int | TypeName::Unsigned => Scalar::Int,
            TypeName::Chan => Scalar::Chan,
            TypeName::Mtype(name) => Scalar::Mtype(self.mtype_set(name.as_ref().map(|name| name.text.as_str()))),
            TypeName::User(name) => match self.resolve(name)? {
                Symbol::Struct(id) => return Some(Type::Struct(id)),
                _ => return None,
            },
        }))
    }

    fn add_var(&mut self, decl: &Decl, var: &DeclVar, shape: &Shape, scope: Scope) -> VarId {
        let visibility = decl.visibility.map(|(visibility, _)| visibility);
        let in_state = visibility != Some(Visibility::Hidden);
        let chan = match &var.init {
            Some(Init::Chan(init)) => self.chan_for(shape.ty, init),
            _ => None,
        };
        let scalars = self.scalars(shape.ty, shape.length.is_some());
        let frame = self.frame_mut(scope);
        let (id, slot) = (VarId(frame.vars.len() as u32), frame.slots.len() as u32);
        for _ in 0..shape.length.unwrap_or(1) {
            frame.slots.extend(scalars.iter().map(|&scalar| Slot { scalar, var: id, in_state }));
        }
        let name = var.name.text.clone();
        let (ty, length, stride, span) = (shape.ty, shape.length, shape.stride, var.name.span);
        frame.vars.push(Var { name, ty, length, slot, stride, visibility, chan, span });
        id
    }

    pub(super) fn frame_mut(&mut self, scope: Scope) -> &mut Frame {
        match scope {
            Scope::Global => &mut self.program.globals,
            Scope::Local => self.frame.get_or_insert_default(),
        }
    }

    /// What each slot of a value keeps. The elements of a bit array are bytes.
    pub(super) fn scalars(&self, ty: Type, in_array: bool) -> Vec<Scalar> {
        match ty {
            Type::Scalar(Scalar::Bit | Scalar::Bool) if in_array => vec![Scalar::Byte],
            Type::Scalar(scalar) => vec![scalar],
            Type::Struct(id) => {
                let fields = self.program.structs[id.index()].fields.iter();
                let of_field = |field: &Field| {
                    let one = self.scalars(field.ty, field.length.is_some());
                    one.repeat(field.length.unwrap_or(1) as usize)
                };
                fields.flat_map(of_field).collect()
            }
        }
    }

    /// A counter that a `for` over a channel needs.
    pub(super) fn add_counter(&mut self, span: Span) -> Place {
        self.body.n_counters += 1;
        let name = format!("_for_{}", self.body.n_counters);
        let frame = self.frame_mut(Scope::Local);
        let (id, slot) = (VarId(frame.vars.len() as u32), frame.slots.len() as u32);
        frame.slots.push(Slot { scalar: Scalar::Byte, var: id, in_state: true });
        let ty = Type::Scalar(Scalar::Byte);
        frame.vars.push(Var { name, ty, length: None, slot, stride: 1, visibility: None, chan: None, span });
        Place { scope: Scope::Local, var: id, slot, indices: Vec::new(), scalar: Scalar::Byte, chan: None, span }
    }

    /// What a variable starts with.
    fn initialise(&mut self, var: &DeclVar, id: VarId, scope: Scope) {
        let declared = self.frame_mut(scope).vars[id.index()].clone();
        let n_elements = declared.length.unwrap_or(1);
        let mut inits = Vec::new();
        match (&var.init, declared.ty) {
            (init, Type::Struct(id)) => {
                if init.is_some() {
                    self.warn_struct_init(var);
                }
                for element in 0..n_elements {
                    self.struct_inits(id, declared.slot + element * declared.stride, var.name.span, &mut inits);
                }
            }
            (None, Type::Scalar(_)) => {}
            (Some(Init::Chan(_)), _) => {
                if let Some(chan) = declared.chan {
                    inits.extend((0..n_elements).map(|element| (declared.slot + element, InitValue::NewChan(chan))));
                }
            }
            (Some(Init::Expr(expr)), _) => {
                if let Some(value) = self.value(expr) {
                    let value = |element| (declared.slot + element, InitValue::Expr(value.clone()));
                    inits.extend((0..n_elements).map(value));
                }
            }
            (Some(Init::List(values, span)), _) => inits = self.list_inits(&declared, values, *span),
        }
        let inits = inits.into_iter().map(|(slot, value)| SlotInit { slot, value });
        self.frame_mut(scope).inits.extend(inits);
    }

    fn warn_struct_init(&mut self, var: &DeclVar) {
        let message = format!("the first value of the structure `{}` has no effect", var.name.text);
        let finding = Diagnostic::warning(codes::STRUCT_INITIALISER, message, var.name.span);
        self.report(finding.help("give the fields their first values in the `typedef`"));
    }

    /// Values for the elements of an array; the last is repeated.
    fn list_inits(&mut self, var: &Var, values: &[ast::Expr], span: Span) -> Vec<(u32, InitValue)> {
        let Some(length) = var.length else {
            let message = format!("`{}` is not an array and gets a list of values", var.name);
            let finding = Diagnostic::error(codes::LIST_FOR_SCALAR, message, span).also(var.span, "declared here");
            self.report(finding.help("give one value without braces"));
            return Vec::new();
        };
        if values.len() > length as usize {
            let message = format!("{} values for the {length} elements of `{}`", values.len(), var.name);
            let finding = Diagnostic::warning(codes::ARRAY_LENGTH, message, span);
            self.report(finding.help("leave the last ones out, or make the array longer"));
        }
        let values: Vec<Expr> = values.iter().filter_map(|value| self.value(value)).collect();
        let Some(last) = values.last() else { return Vec::new() };
        let value = |element: u32| values.get(element as usize).unwrap_or(last).clone();
        (0..length).map(|element| (var.slot + element, InitValue::Expr(value(element)))).collect()
    }

    fn struct_inits(&self, id: StructId, slot: u32, span: Span, out: &mut Vec<(u32, InitValue)>) {
        for field in &self.program.structs[id.index()].fields {
            let stride = self.slots_of(field.ty);
            for element in 0..field.length.unwrap_or(1) {
                let at = slot + field.offset + element * stride;
                match (&field.init, field.ty, field.chan) {
                    (_, _, Some(chan)) => out.push((at, InitValue::NewChan(chan))),
                    (FieldInit::Values(values), _, None) => {
                        let value = values.get(element as usize).or(values.last()).copied().unwrap_or(0);
                        out.push((at, InitValue::Expr(Expr { kind: ExprKind::Const(value), span })));
                    }
                    (FieldInit::Default, Type::Struct(inner), None) => self.struct_inits(inner, at, span, out),
                    (FieldInit::Default, Type::Scalar(_), None) => {}
                }
            }
        }
    }

    /// The kind of channel an initialiser makes.
    fn chan_for(&mut self, ty: Type, init: &ChanInit) -> Option<ChanTypeId> {
        if ty != Type::Scalar(Scalar::Chan) {
            let finding = Diagnostic::error(
                codes::CHANNEL_INITIALISER,
                "this makes a channel, and the type is not `chan`",
                init.span,
            );
            self.report(finding.help("declare it `chan`"));
            return None;
        }
        let capacity = self.constant(&init.capacity, "the capacity of a channel")?;
        if !(0..=255).contains(&capacity) {
            let message = format!("a channel cannot hold {capacity} messages");
            let finding = Diagnostic::error(codes::CHANNEL_INITIALISER, message, init.capacity.span);
            self.report(finding.help("use 0 for a rendezvous, or up to 255"));
            return None;
        }
        let mut fields = Vec::new();
        for (ty, span) in &init.fields {
            if *ty == TypeName::Unsigned {
                let finding =
                    Diagnostic::error(codes::CHANNEL_INITIALISER, "messages have no `unsigned` fields", *span);
                self.report(finding.help("use `byte`, `short` or `int`"));
                return None;
            }
            let ty = self.plain_type(ty)?;
            fields.extend(self.scalars(ty, false));
        }
        self.program.chan_types.push(ChanType { capacity: capacity as u32, fields, span: init.span });
        Some(ChanTypeId(self.program.chan_types.len() as u32 - 1))
    }
}
