//! Statements.

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp, Block, Expr, ExprKind, LocalMode, Operand, Place, PropertyId, PutItem, Stmt, StmtKind, Type, TypeId,
};

use super::equality::{Comparand, binary};
use super::frame::Frame;
use crate::typed::{self, AliasTarget, Projection, Source, Switch, VarId};

impl Frame<'_> {
    pub(super) fn block(&mut self, stmts: &[typed::Stmt]) -> Block {
        let mut block = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let (prelude, lowered) = self.with_prelude(|frame| {
                let mut lowered = Vec::new();
                frame.stmt(stmt, &mut lowered);
                lowered
            });
            block.extend(prelude);
            block.extend(lowered);
        }
        block
    }

    /// Adds the statements that a statement means; `switch` and aliases mean several.
    fn stmt(&mut self, stmt: &typed::Stmt, block: &mut Block) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            typed::StmtKind::Assign(target, source) => return self.assign(target, source, span, block),
            typed::StmtKind::Clear(place) => StmtKind::Clear(self.place(place)),
            typed::StmtKind::If(arms, otherwise) => {
                let (arms, otherwise) = self.branches(arms, otherwise, span);
                StmtKind::If { arms, otherwise }
            }
            typed::StmtKind::Switch(switch) => return self.switch(switch, span, block),
            typed::StmtKind::For(bound, body) => return self.for_loops(bound, body, span, block),
            typed::StmtKind::While(condition, body) => self.while_loop(condition, body),
            typed::StmtKind::Alias(bindings, body) => return self.alias(bindings, body, span, block),
            typed::StmtKind::Call(call) => StmtKind::Call { call: self.call(call), result: None },
            typed::StmtKind::Return(value) => StmtKind::Return(value.as_ref().map(|value| self.value_operand(value))),
            typed::StmtKind::Assert(condition, message) => {
                StmtKind::Assert { condition: self.expr(condition), message: message.clone() }
            }
            typed::StmtKind::Assume(condition) => StmtKind::Assume(self.expr(condition)),
            typed::StmtKind::Cover(point, condition) => {
                StmtKind::Cover { property: self.cover_point(*point), condition: self.expr(condition) }
            }
            typed::StmtKind::Error(message) => StmtKind::Error(message.clone()),
            typed::StmtKind::PutText(text) => StmtKind::Put(vec![PutItem::Text(text.clone())]),
            typed::StmtKind::Put(value) => StmtKind::Put(vec![self.put_item(value)]),
            typed::StmtKind::MultisetAdd(multiset, element) => {
                let mut element = self.lenient_operand(element);
                if self.place_has_effects(multiset) {
                    element = self.kept_operand(element);
                }
                StmtKind::Insert { element, multiset: self.place(multiset) }
            }
            typed::StmtKind::MultisetRemove(multiset, slot) => {
                let mut place = self.place(multiset);
                let step = self.element(&mut place, slot);
                place.ty = self.element_type(multiset.ty);
                place.path.push(step);
                StmtKind::Remove(place)
            }
            typed::StmtKind::MultisetRemoveWhere(multiset, var, condition) => {
                let multiset = self.place(multiset);
                let local = self.bind_slot(*var, &multiset);
                StmtKind::RemoveWhere { multiset, local, condition: self.expr(condition) }
            }
        };
        block.push(Stmt { kind, span });
    }

    fn assign(&mut self, target: &typed::Place, source: &Source, span: Span, block: &mut Block) {
        if let Source::Value(typed::Expr { kind: typed::ExprKind::Convert(inner), ty, .. }) = source
            && let typed::ExprKind::Read(place) = &inner.kind
            && self.copies_undefined(place)
        {
            return self.assign_converted(target, place, *ty, span, block);
        }
        let mut operand = self.source(source);
        if self.place_has_effects(target) {
            operand = self.kept_operand(operand);
        }
        let (source, target) = (operand, self.place(target));
        block.push(Stmt { kind: StmtKind::Assign { target, source }, span });
    }

    /// Arms as they are, up to the first further condition with effects, which then is part of what happens otherwise.
    fn branches(
        &mut self,
        arms: &[(typed::Expr, Vec<typed::Stmt>)],
        otherwise: &[typed::Stmt],
        span: Span,
    ) -> (Vec<(Expr, Block)>, Block) {
        let plain = arms.iter().skip(1).take_while(|(condition, _)| !self.has_effects(condition)).count() + 1;
        let (now, later) = arms.split_at(plain.min(arms.len()));
        let now = now.iter().map(|(condition, body)| (self.expr(condition), self.block(body))).collect();
        if later.is_empty() {
            return (now, self.block(otherwise));
        }
        let (mut block, (arms, otherwise)) = self.with_prelude(|frame| frame.branches(later, otherwise, span));
        block.push(Stmt { kind: StmtKind::If { arms, otherwise }, span });
        (now, block)
    }

    /// A condition with effects is evaluated before the loop and at the end of each round.
    fn while_loop(&mut self, condition: &typed::Expr, body: &[typed::Stmt]) -> StmtKind {
        if !self.has_effects(condition) {
            return StmtKind::While { condition: self.expr(condition), body: self.block(body) };
        }
        let first = self.expr(condition);
        let going_on = self.kept(first);
        let ExprKind::Read(place) = &going_on.kind else { unreachable!("a condition with effects is no constant") };
        let mut body = self.block(body);
        let (again, value) = self.with_prelude(|frame| frame.expr(condition));
        body.extend(again);
        let span = condition.span;
        let kind = StmtKind::Assign { target: (**place).clone(), source: Operand::Value(value) };
        body.push(Stmt { kind, span });
        StmtKind::While { condition: going_on, body }
    }

    fn element_type(&self, multiset: TypeId) -> TypeId {
        let Type::Multiset { element, .. } = self.lowering.program.types.get(multiset) else {
            unreachable!("checking lets only multisets lose elements");
        };
        *element
    }

    /// `x := y` between a union and its member: a conversion needs a value, a copy does not.
    fn assign_converted(
        &mut self,
        target: &typed::Place,
        from: &typed::Place,
        ty: TypeId,
        span: Span,
        block: &mut Block,
    ) {
        let mut place = self.place(from);
        if self.place_has_effects(target) {
            place = self.kept_copy(place);
        }
        // Bound once, so that indices in the source are evaluated once.
        let reference = self.temporary("source", from.ty, LocalMode::Reference, from.span);
        block.append(&mut self.prelude);
        block.push(Stmt { kind: StmtKind::Bind { local: reference, place }, span });
        let source = || Place::local(reference, from.ty, from.span);
        let undefined = Expr { kind: ExprKind::IsUndefined(Box::new(source())), ty: TypeId::BOOL, span: from.span };
        let converted = Expr { kind: ExprKind::Convert(Box::new(Expr::read(source()))), ty, span: from.span };
        let target = self.place(target);
        let store = |target: Place, source: Operand| vec![Stmt { kind: StmtKind::Assign { target, source }, span }];
        let arms = vec![(undefined, store(target.clone(), Operand::Undefined))];
        let otherwise = store(target, Operand::Value(converted));
        block.append(&mut self.prelude);
        block.push(Stmt { kind: StmtKind::If { arms, otherwise }, span });
    }

    /// Several variables of one `for` are nested loops.
    fn for_loops(&mut self, bound: &[(VarId, typed::Domain)], body: &[typed::Stmt], span: Span, block: &mut Block) {
        let Some(((var, domain), inner)) = bound.split_first() else {
            block.extend(self.block(body));
            return;
        };
        let domain = self.domain(domain);
        let local = self.bind(*var, LocalMode::Owned);
        let (mut round, inner) = self.with_prelude(|frame| {
            let mut inner_loop = Vec::new();
            frame.for_loops(inner, body, span, &mut inner_loop);
            inner_loop
        });
        round.extend(inner);
        block.push(Stmt { kind: StmtKind::For { local, domain, body: round }, span });
    }

    fn alias(&mut self, bindings: &[(VarId, AliasTarget)], body: &[typed::Stmt], span: Span, block: &mut Block) {
        for (var, target) in bindings {
            let kind = match target {
                AliasTarget::Place(place) => {
                    if let Some(slot) = self.slot_named(place) {
                        self.rename(*var, slot);
                        continue;
                    }
                    let place = self.place(place);
                    StmtKind::Bind { local: self.bind(*var, LocalMode::Reference), place }
                }
                AliasTarget::Value(value) => {
                    let source = self.value_operand(value);
                    let local = self.bind(*var, LocalMode::Owned);
                    StmtKind::Assign { target: Place::local(local, value.ty, span), source }
                }
            };
            block.append(&mut self.prelude);
            block.push(Stmt { kind, span });
        }
        block.extend(self.block(body));
    }

    /// An if chain. All labels are looked at before any case runs, so a subject that is only a variable and labels that
    /// are constants need no temporary.
    fn switch(&mut self, switch: &Switch, span: Span, block: &mut Block) {
        let labels = || switch.cases.iter().flat_map(|(labels, _)| labels);
        let direct = is_plain_read(&switch.subject)
            && !switch.cases.is_empty()
            && labels().all(|label| label.as_const().is_some());
        let subject = self.comparand(&switch.subject);
        let subject = if direct { subject } else { self.stored(subject, span, block) };
        let arms = switch.cases.iter().map(|(labels, body)| (self.matches(&subject, labels), self.block(body)));
        let arms: Vec<_> = arms.collect();
        let otherwise = self.block(&switch.otherwise);
        if arms.is_empty() {
            block.extend(otherwise);
        } else {
            block.push(Stmt { kind: StmtKind::If { arms, otherwise }, span });
        }
    }

    /// Whether the subject equals one of the labels, of which there is at least one.
    fn matches(&mut self, subject: &Comparand, labels: &[typed::Expr]) -> Expr {
        match labels {
            [label] => {
                let (span, label) = (label.span, self.comparand(label));
                self.equal(subject.clone(), label, span)
            }
            _ => {
                // Halved, so that a case with many labels is not a deep tree.
                let (first, rest) = labels.split_at(labels.len() / 2);
                let (first, rest) = (self.matches(subject, first), self.matches(subject, rest));
                let span = first.span.to(rest.span);
                binary(BinaryOp::Or, first, rest, span)
            }
        }
    }

    /// The subject of a `switch`, evaluated now and kept in a temporary.
    fn stored(&mut self, subject: Comparand, span: Span, block: &mut Block) -> Comparand {
        let (ty, subject_span) = (subject.value.ty, subject.value.span);
        let local = self.temporary("switch", ty, LocalMode::Owned, subject_span);
        let place = || Place::local(local, ty, subject_span);
        let source = match &subject.undefinable {
            Some(from) => Operand::Copy(from.clone()),
            None => Operand::Value(subject.value),
        };
        block.append(&mut self.prelude);
        block.push(Stmt { kind: StmtKind::Assign { target: place(), source }, span });
        Comparand { value: Expr::read(place()), undefinable: subject.undefinable.map(|_| place()) }
    }

    fn put_item(&mut self, value: &typed::Expr) -> PutItem {
        match self.lenient_operand(value) {
            Operand::Value(value) => PutItem::Value(value),
            Operand::Copy(place) => PutItem::Place(place),
            Operand::Undefined => unreachable!("only sources are undefined"),
        }
    }

    /// The property that stands for a `cover` statement; see `Lowering::properties`.
    fn cover_point(&self, point: usize) -> PropertyId {
        PropertyId((self.lowering.program.properties.len() + point) as u32)
    }
}

/// Whether reading the same again gives the same, whatever happens in between on the way to a case.
pub(super) fn is_plain_read(expr: &typed::Expr) -> bool {
    let typed::ExprKind::Read(place) = &expr.kind else { return false };
    place.path.iter().all(|projection| match projection {
        Projection::Field(_) => true,
        Projection::Index(index) | Projection::Element(index) => index.as_const().is_some() || is_plain_read(index),
    })
}
