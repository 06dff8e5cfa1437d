//! Statements.

use burnside_diag::{Diagnostic, Span};

use super::places::Referent;
use super::{Checker, Context};
use crate::ast::{self, BinaryOp, Branch, StepKind as A};
use crate::codes;
use crate::typed::{Basic, Exclusive, Expr, ExprKind, Place, Scalar, Step, StepKind, Target};

impl Checker {
    /// The statements of a block, which has names of its own. `start` tells whether it is a whole body.
    pub(super) fn block(&mut self, steps: &[ast::Step], start: Option<bool>) -> Vec<Step> {
        self.body.n_blocks += 1;
        self.body.path.push(self.body.n_blocks);
        self.body.at_start = start.unwrap_or(false);
        self.scopes.enter();
        let steps = self.steps(steps);
        self.scopes.leave();
        self.body.path.pop();
        steps
    }

    fn steps(&mut self, steps: &[ast::Step]) -> Vec<Step> {
        steps.iter().filter_map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &ast::Step) -> Option<Step> {
        let labels = self.take_labels(&step.labels);
        let span = step.span;
        self.check_event(step);
        let kind = match &step.kind {
            A::Decl(decl) => {
                let steps = self.declare_locals(decl);
                return (!steps.is_empty()).then_some(Step { labels, kind: StepKind::Steps(steps), span });
            }
            A::Exclusive { send, chans } => {
                self.exclusive(*send, chans);
                return None;
            }
            other => {
                self.body.at_start = false;
                self.statement(other, span)?
            }
        };
        Some(Step { labels, kind, span })
    }

    fn statement(&mut self, kind: &A, span: Span) -> Option<StepKind> {
        Some(match kind {
            A::If(branches) => StepKind::If(self.branches(branches)),
            A::Do(branches) => StepKind::Do(self.in_loop(|checker| checker.branches(branches))),
            A::ForRange { var, from, to, body } => self.for_range(var, from, to, body)?,
            A::ForIn { var, domain, body } => self.for_in(var, domain, body)?,
            A::Select { var, from, to, literal } => self.select(var, from, to, *literal)?,
            A::Break => {
                if !self.check_break(span) {
                    return None;
                }
                StepKind::Break
            }
            A::Goto(name) => StepKind::Goto(self.goto(name)?),
            A::Else => StepKind::Else,
            A::Atomic(body) => {
                self.check_first_label(body, "an `atomic`");
                StepKind::Atomic(self.block(body, None))
            }
            A::DStep(body) => self.d_step(body),
            A::Block(body) => {
                self.check_first_label(body, "a block");
                StepKind::Block(self.block(body, None))
            }
            A::Inline { body, .. } => {
                self.check_first_label(body, "an inline");
                StepKind::Block(self.block(body, None))
            }
            A::Unless(main, escape) => self.unless(main, escape)?,
            A::Decl(_) | A::Exclusive { .. } => return None,
            basic => StepKind::Basic(self.basic(basic, span)?),
        })
    }

    fn basic(&mut self, kind: &A, span: Span) -> Option<Basic> {
        match kind {
            A::Send { chan, args, sorted } => self.send(chan, args, *sorted, span),
            A::Receive { chan, args, random, keep } => self.receive(chan, args, (*random, *keep), span),
            A::Assign(var, value) => self.assign(var, value),
            A::Increment(var) => self.step_by(var, BinaryOp::Add, span),
            A::Decrement(var) => self.step_by(var, BinaryOp::Subtract, span),
            A::Printf { format, args } => self.printf(format, args),
            A::Printm(value) => Some(Basic::Printm(self.value(value)?)),
            A::Assert(condition) => Some(Basic::Assert(self.condition(condition)?)),
            A::Expr(condition) => Some(Basic::Condition(self.statement_condition(condition)?)),
            A::SetPriority(pid, priority) => {
                let (pid, priority) = (self.value(pid), self.value(priority));
                Some(Basic::SetPriority(pid?, priority?))
            }
            _ => None,
        }
    }

    /// What a `trace` may hold, and what a claim may.
    fn check_event(&mut self, step: &ast::Step) {
        let allowed = match self.context {
            Context::Trace => matches!(
                step.kind,
                A::Send { sorted: false, .. }
                    | A::Receive { random: false, keep: false, .. }
                    | A::If(_)
                    | A::Do(_)
                    | A::Break
                    | A::Goto(_)
            ),
            Context::Never => !matches!(step.kind, A::Send { .. } | A::Receive { .. }),
            _ => true,
        };
        if allowed {
            return;
        }
        let (message, help) = match self.context {
            Context::Trace => (
                "a `trace` holds sends and receives only",
                "describe the order of messages with `!`, `?`, `if` and `do`",
            ),
            _ => ("a claim sends or receives", "look at a channel with `len`, `full`, `empty` or `q?[…]`"),
        };
        self.report(Diagnostic::error(codes::CLAIM_STATEMENT, message, step.span).help(help));
    }

    fn branches(&mut self, branches: &[Branch]) -> Vec<Vec<Step>> {
        self.body.at_start = false;
        let mut first_else: Option<Span> = None;
        let mut out = Vec::new();
        for branch in branches {
            if let Some(first) = branch.body.first().filter(|first| matches!(first.kind, A::Else)) {
                if let Some(earlier) = first_else {
                    let finding = Diagnostic::error(codes::DUPLICATE_ELSE, "two options begin with `else`", first.span)
                        .also(earlier, "the first one")
                        .help("join them");
                    self.report(finding);
                }
                first_else = Some(first.span);
            }
            out.push(self.steps(&branch.body));
        }
        out
    }

    fn in_loop<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.body.loops.push(self.body.d_step);
        let result = inner(self);
        self.body.loops.pop();
        result
    }

    fn d_step(&mut self, body: &[ast::Step]) -> StepKind {
        self.check_first_label(body, "a `d_step`");
        let outer = self.body.d_step;
        if outer == 0 {
            self.body.n_d_steps += 1;
            self.body.d_step = self.body.n_d_steps;
        }
        let steps = self.block(body, None);
        self.body.d_step = outer;
        StepKind::DStep(steps)
    }

    fn unless(&mut self, main: &ast::Step, escape: &ast::Step) -> Option<StepKind> {
        if self.body.d_step != 0 {
            let finding = Diagnostic::error(codes::UNLESS_IN_D_STEP, "`unless` stands inside a `d_step`", main.span);
            self.report(finding.help("put it around the `d_step`"));
        }
        if let Some(label) =
            main.labels.first().filter(|_| !matches!(main.kind, A::Block(_) | A::Atomic(_) | A::DStep(_)))
        {
            let message = format!("the label `{}` stands on a statement with an escape", label.text);
            let finding = Diagnostic::error(codes::LABEL_ON_FIRST, message, label.span);
            self.report(finding.help(format!("write `{}: {{ … unless … }}`", label.text)));
        }
        if let Some(label) = escape.labels.first() {
            let message = format!("the label `{}` stands on an escape", label.text);
            let finding = Diagnostic::error(codes::LABEL_ON_FIRST, message, label.span);
            self.report(finding.help("an escape begins at many places; put the label on its second statement"));
        }
        let (main, escape) = (self.step(main), self.step(escape));
        Some(StepKind::Unless(Box::new(main?), Box::new(escape?)))
    }

    fn assign(&mut self, var: &ast::VarRef, value: &ast::Expr) -> Option<Basic> {
        let (target, assigned) = (self.target(var), self.assigned(value));
        let (target, assigned) = (target?, assigned?);
        if let Target::Place(place) = &target {
            let is_field = var.parts.len() > 1;
            self.check_assigned(place, value, is_field)?;
        }
        Some(Basic::Assign(target, assigned))
    }

    /// SPIN does not look at fields of structures here.
    fn check_assigned(&mut self, place: &Place, value: &ast::Expr, is_field: bool) -> Option<()> {
        let literal = matches!(value.kind, ast::ExprKind::Number(_));
        if place.scalar == Scalar::Chan && literal && !is_field {
            let finding = Diagnostic::error(codes::CHANNEL_NUMBER, "a number is assigned to a channel", value.span);
            self.report(finding.help("assign another channel; each is made by its declaration"));
            return None;
        }
        let (Scalar::Mtype(wanted), ast::ExprKind::Var(var)) = (place.scalar, &value.kind) else { return Some(()) };
        let Some(Referent::Const(given, _)) = self.referent(var) else { return Some(()) };
        let (wanted_set, given_set) = (&self.program.mtypes[wanted.index()], &self.program.mtypes[given.index()]);
        if wanted != given && wanted_set.name.is_some() {
            let show = |name: &Option<String>| match name {
                Some(name) => format!("`mtype:{name}`"),
                None => "`mtype`".to_owned(),
            };
            let message = format!(
                "`{}` belongs to {}, and the variable to {}",
                var.parts[0].name.text,
                show(&given_set.name),
                show(&wanted_set.name)
            );
            let finding = Diagnostic::error(codes::MTYPE_MISMATCH, message, value.span);
            self.report(finding.help("use a name of the variable's own subtype"));
            return None;
        }
        Some(())
    }

    fn step_by(&mut self, var: &ast::VarRef, operator: BinaryOp, span: Span) -> Option<Basic> {
        let target = self.target(var)?;
        let Target::Place(place) = &target else {
            let message = format!("`{}` cannot be counted up or down", var.parts[0].name.text);
            self.report(Diagnostic::error(codes::NOT_ASSIGNABLE, message, span).help("use a variable of your own"));
            return None;
        };
        if place.scalar == Scalar::Chan {
            let finding = Diagnostic::error(codes::CHANNEL_NUMBER, "channels cannot be counted up or down", span);
            self.report(finding.help("use an array of channels and count an index"));
            return None;
        }
        let read = Expr { kind: ExprKind::Read(place.clone()), span: place.span };
        let one = Expr { kind: ExprKind::Const(1), span };
        let value = Expr { kind: ExprKind::Binary(operator, Box::new(read), Box::new(one)), span };
        Some(Basic::Assign(target, value))
    }

    fn printf(&mut self, format: &ast::Name, args: &[ast::Expr]) -> Option<Basic> {
        let values: Vec<Option<Expr>> = args.iter().map(|arg| self.value(arg)).collect();
        let text = unescape(format.text.trim_start_matches('"').strip_suffix('"').unwrap_or(&format.text));
        let n_wanted = n_conversions(&text);
        if n_wanted > values.len() {
            let message = format!("the text asks for {n_wanted} values, and {} are given", values.len());
            let finding = Diagnostic::warning(codes::PRINTF_VALUES, message, format.span);
            self.report(finding.help("give one value for each `%`"));
        }
        Some(Basic::Printf { format: text, args: values.into_iter().collect::<Option<_>>()? })
    }

    fn exclusive(&mut self, send: bool, chans: &[ast::VarRef]) {
        let proc = match self.context {
            Context::Proc(id) => Some(id),
            _ => None,
        };
        for chan in chans {
            // An array of channels is promised as a whole.
            let whole = ast::VarRef { parts: chan.parts.clone(), span: chan.span };
            if let Some(chan) = self.channel_or_array(&whole) {
                self.program.exclusives.push(Exclusive { proc, send, chan });
            }
        }
    }

    fn channel_or_array(&mut self, var: &ast::VarRef) -> Option<Place> {
        let n_findings = self.diagnostics.len();
        if let Some(place) = self.channel(var) {
            return Some(place);
        }
        let missing = self.diagnostics[n_findings..].iter().all(|finding| finding.code == codes::MISSING_INDEX);
        if missing {
            self.diagnostics.truncate(n_findings);
        }
        None
    }

    fn loop_variable(&mut self, var: &ast::VarRef) -> Option<Place> {
        let place = self.place(var)?;
        if place.scalar == Scalar::Chan || !place.indices.is_empty() || var.parts.len() > 1 {
            let finding = Diagnostic::error(codes::LOOP_VARIABLE, "this cannot count a loop", var.span);
            self.report(finding.help("use a plain variable of a number type"));
            return None;
        }
        Some(place)
    }

    fn check_bounds(&mut self, from: &Expr, to: &Expr) {
        if let (ExprKind::Const(low), ExprKind::Const(high)) = (&from.kind, &to.kind)
            && low > high
        {
            let message = format!("the range {low} .. {high} is empty");
            let finding = Diagnostic::error(codes::EMPTY_RANGE, message, crate::parse::join(from.span, to.span));
            self.report(finding.help("put the smaller bound first"));
        }
    }

    fn for_range(
        &mut self,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &[ast::Step],
    ) -> Option<StepKind> {
        let var = self.loop_variable(var);
        let (from, to) = (self.value(from), self.value(to));
        if let (Some(from), Some(to)) = (&from, &to) {
            self.check_bounds(from, to);
        }
        let body = self.in_loop(|checker| checker.block(body, None));
        Some(StepKind::For { var: var?, from: from?, to: to?, body })
    }

    /// `for` over the indices of an array, or over the messages of a channel.
    fn for_in(&mut self, var: &ast::VarRef, domain: &ast::VarRef, body: &[ast::Step]) -> Option<StepKind> {
        let head = self.for_in_head(var, domain);
        let body = self.in_loop(|checker| checker.block(body, None));
        Some(match head? {
            ForIn::Array { var, last } => {
                let constant = |value| Expr { kind: ExprKind::Const(value), span: domain.span };
                StepKind::For { var, from: constant(0), to: constant(last), body }
            }
            ForIn::Chan { counter, chan, fields } => StepKind::ForChan { counter, chan, fields, body },
        })
    }

    fn for_in_head(&mut self, var: &ast::VarRef, domain: &ast::VarRef) -> Option<ForIn> {
        if let Some(Referent::Whole(fields)) = self.whole(var) {
            let chan = self.channel(domain)?;
            let counter = self.add_counter(domain.span);
            return Some(ForIn::Chan { counter, chan, fields });
        }
        let var = self.loop_variable(var)?;
        let Some(length) = self.array_length(domain) else {
            let message = format!("`{}` is not an array", domain.parts[0].name.text);
            let finding = Diagnostic::error(codes::NOT_AN_ARRAY, message, domain.span);
            self.report(finding.help("go through a range with `for (i : 0 .. 9)`, or name an array"));
            return None;
        };
        Some(ForIn::Array { var, last: length as i32 - 1 })
    }

    fn array_length(&mut self, var: &ast::VarRef) -> Option<u32> {
        use super::scope::Symbol;
        let [part] = var.parts.as_slice() else { return None };
        match self.resolve(&part.name)? {
            Symbol::Global(id) => self.program.globals.vars[id.index()].length,
            Symbol::Local(id) => self.frame.as_ref()?.vars[id.index()].length,
            _ => None,
        }
    }

    fn select(&mut self, var: &ast::VarRef, from: &ast::Expr, to: &ast::Expr, literal: bool) -> Option<StepKind> {
        let var = self.loop_variable(var);
        let (from, to) = (self.value(from), self.value(to));
        let (var, from, to) = (var?, from?, to?);
        self.check_bounds(&from, &to);
        let literal = match (literal, &from.kind, &to.kind) {
            (true, ExprKind::Const(low), ExprKind::Const(high)) => Some((*low, *high)),
            _ => None,
        };
        Some(StepKind::Select { var, from, to, literal })
    }
}

enum ForIn {
    Array { var: Place, last: i32 },
    Chan { counter: Place, chan: Place, fields: Vec<Place> },
}

/// A text with its escapes resolved.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// How many values a format asks for.
fn n_conversions(format: &str) -> usize {
    let mut n = 0;
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        n += usize::from(c == '%' && !matches!(chars.next(), Some('%') | None));
    }
    n
}
