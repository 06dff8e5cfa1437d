//! Statements.

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp, Block, Expr, ExprKind, LocalMode, Operand, Place, PropertyId, PutItem, Stmt, StmtKind, TypeId,
};

use super::equality::{Comparand, binary};
use super::frame::Frame;
use crate::typed::{self, AliasTarget, Projection, Source, Switch, VarId};

impl Frame<'_> {
    pub(super) fn block(&mut self, stmts: &[typed::Stmt]) -> Block {
        let mut block = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            self.stmt(stmt, &mut block);
        }
        block
    }

    /// Adds the statements that a statement means; `switch` and aliases mean several.
    fn stmt(&mut self, stmt: &typed::Stmt, block: &mut Block) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            typed::StmtKind::Assign(target, source) => return self.assign(target, source, span, block),
            typed::StmtKind::Clear(place) => StmtKind::Clear(self.place(place)),
            typed::StmtKind::If(arms, otherwise) => StmtKind::If {
                arms: arms.iter().map(|(condition, body)| (self.expr(condition), self.block(body))).collect(),
                otherwise: self.block(otherwise),
            },
            typed::StmtKind::Switch(switch) => return self.switch(switch, span, block),
            typed::StmtKind::For(bound, body) => return self.for_loops(bound, body, span, block),
            typed::StmtKind::While(condition, body) => {
                StmtKind::While { condition: self.expr(condition), body: self.block(body) }
            }
            typed::StmtKind::Alias(bindings, body) => return self.alias(bindings, body, span, block),
            typed::StmtKind::Call(call) => StmtKind::Call(self.call(call)),
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
                StmtKind::Insert { element: self.lenient_operand(element), multiset: self.place(multiset) }
            }
            typed::StmtKind::MultisetRemove(multiset, slot) => {
                StmtKind::Remove { multiset: self.place(multiset), slot: self.expr(slot) }
            }
            typed::StmtKind::MultisetRemoveWhere(multiset, var, condition) => {
                let multiset = self.place(multiset);
                let local = self.bind(*var, LocalMode::Owned);
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
        let source = self.source(source);
        let target = self.place(target);
        block.push(Stmt { kind: StmtKind::Assign { target, source }, span });
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
        // Bound once, so that indices in the source are evaluated once.
        let reference = self.temporary("source", from.ty, LocalMode::Reference, from.span);
        let place = self.place(from);
        block.push(Stmt { kind: StmtKind::Bind { local: reference, place }, span });
        let source = || Place::local(reference, from.ty, from.span);
        let undefined = Expr { kind: ExprKind::IsUndefined(Box::new(source())), ty: TypeId::BOOL, span: from.span };
        let converted = Expr { kind: ExprKind::Convert(Box::new(Expr::read(source()))), ty, span: from.span };
        let target = self.place(target);
        let store = |target: Place, source: Operand| vec![Stmt { kind: StmtKind::Assign { target, source }, span }];
        let arms = vec![(undefined, store(target.clone(), Operand::Undefined))];
        let otherwise = store(target, Operand::Value(converted));
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
        let mut round = Vec::new();
        self.for_loops(inner, body, span, &mut round);
        block.push(Stmt { kind: StmtKind::For { local, domain, body: round }, span });
    }

    fn alias(&mut self, bindings: &[(VarId, AliasTarget)], body: &[typed::Stmt], span: Span, block: &mut Block) {
        for (var, target) in bindings {
            let kind = match target {
                AliasTarget::Place(place) => {
                    let place = self.place(place);
                    StmtKind::Bind { local: self.bind(*var, LocalMode::Reference), place }
                }
                AliasTarget::Value(value) => {
                    let source = self.value_operand(value);
                    let local = self.bind(*var, LocalMode::Owned);
                    StmtKind::Assign { target: Place::local(local, value.ty, span), source }
                }
            };
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
