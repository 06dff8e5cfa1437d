//! Bodies as linked elements, numbered in the order in which SPIN makes them: what is inside comes before what is around.

use burnside_diag::Span;

use crate::ast::BinaryOp;
use crate::typed::{Basic, Body, Expr, ExprKind, LabelId, Pattern, Place, Step, StepKind, Target};

/// An element of a body; its number is SPIN's state number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct El(pub(super) u32);

/// A sequence of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SeqId(pub(super) u32);

/// Where a jump goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Label(LabelId),
    /// Out of a loop, by the loop's number.
    Break(u32),
}

#[allow(clippy::large_enum_variant, reason = "a body has few elements, and most of them are statements")]
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Basic(Basic),
    Else,
    Goto(Jump),
    /// Where the options of a selection, or the two parts of an `unless`, meet.
    Join,
    /// Where a loop is left to.
    LoopExit,
    If,
    Do,
    Unless,
    Atomic(SeqId),
    DStep(SeqId),
    Block(SeqId),
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) kind: Kind,
    pub(super) next: Option<El>,
    /// Options, or main part and escape.
    pub(super) subs: Vec<SeqId>,
    /// Escapes that concern it, outermost first.
    pub(super) escapes: Vec<SeqId>,
    /// Inside an `atomic`, and not its last step.
    pub(super) atomic: bool,
    /// The last step of an `atomic`.
    pub(super) atomic_last: bool,
    /// Inside a `d_step`.
    pub(super) in_d_step: bool,
    pub(super) has_label: bool,
    /// Already turned into rows of the table.
    pub(super) done: bool,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sequence {
    pub(super) first: Option<El>,
    pub(super) last: Option<El>,
    /// The last element of the text; `last` may be a join behind it.
    pub(super) extent: Option<El>,
}

/// All elements of one body.
pub(super) struct Builder {
    /// Index 0 is unused: SPIN counts from 1.
    pub(super) elements: Vec<Element>,
    pub(super) sequences: Vec<Sequence>,
    /// Where each label stands.
    pub(super) labels: Vec<El>,
    /// Where each loop is left to.
    loop_exits: Vec<El>,
    open_loops: Vec<u32>,
    /// Which labels begin with `accept`, `end` or `progress`.
    special: Vec<bool>,
    is_claim: bool,
    pub(super) body: SeqId,
    pub(super) jump_cycles: Vec<Span>,
}

/// A statement whose parts are laid out, and which is not an element yet.
struct Prepared {
    labels: Vec<LabelId>,
    node: Prepare,
    span: Span,
}

enum Prepare {
    Basic(Basic),
    Else,
    Goto(Jump),
    If(Vec<SeqId>),
    Do(Vec<SeqId>, u32),
    Atomic(SeqId),
    DStep(SeqId),
    Block(SeqId),
    Unless(SeqId, SeqId),
    /// Its elements are in the sequence already.
    Nothing,
}

impl Builder {
    pub(super) fn lay_out(body: &Body, is_claim: bool) -> Self {
        let special = |name: &str| ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix));
        let mut builder = Self {
            elements: Vec::new(),
            sequences: Vec::new(),
            labels: vec![El(0); body.labels.len()],
            loop_exits: Vec::new(),
            open_loops: Vec::new(),
            special: body.labels.iter().map(|label| special(&label.name)).collect(),
            is_claim,
            body: SeqId(0),
            jump_cycles: Vec::new(),
        };
        builder.new_element(Kind::Join, body.end);
        builder.body = builder.open();
        builder.steps(&body.steps, builder.body);
        let end = builder.new_element(Kind::End, body.end);
        builder.add(end, builder.body);
        builder.close(builder.body);
        for (index, label) in body.labels.iter().enumerate() {
            if label.remote {
                builder.make_visible(builder.labels[index]);
            }
        }
        builder
    }

    pub(super) fn el(&self, el: El) -> &Element {
        &self.elements[el.0 as usize]
    }

    pub(super) fn el_mut(&mut self, el: El) -> &mut Element {
        &mut self.elements[el.0 as usize]
    }

    pub(super) fn seq(&self, seq: SeqId) -> Sequence {
        self.sequences[seq.0 as usize]
    }

    pub(super) fn jump_target(&self, jump: Jump) -> El {
        match jump {
            Jump::Label(label) => self.labels[label.index()],
            Jump::Break(index) => self.loop_exits[index as usize],
        }
    }

    fn new_element(&mut self, kind: Kind, span: Span) -> El {
        self.elements.push(Element {
            kind,
            next: None,
            subs: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            atomic_last: false,
            in_d_step: false,
            has_label: false,
            done: false,
            span,
        });
        El(self.elements.len() as u32 - 1)
    }

    fn open(&mut self) -> SeqId {
        self.sequences.push(Sequence::default());
        SeqId(self.sequences.len() as u32 - 1)
    }

    fn close(&mut self, seq: SeqId) {
        let seq = &mut self.sequences[seq.0 as usize];
        seq.extent = seq.last;
    }

    /// Appends an element. A jump that is itself a marked place gets a step in front that carries the mark.
    fn add(&mut self, el: El, seq: SeqId) {
        if let Kind::Goto(_) = self.el(el).kind
            && self.has_special_label(el)
        {
            let skip = self.new_element(Kind::Basic(skip(self.el(el).span)), self.el(el).span);
            for label in &mut self.labels {
                if *label == el {
                    *label = skip;
                }
            }
            self.el_mut(skip).has_label = true;
            self.el_mut(el).has_label = false;
            self.link(skip, seq);
        }
        self.link(el, seq);
    }

    fn has_special_label(&self, el: El) -> bool {
        self.labels.iter().zip(&self.special).any(|(&at, &special)| at == el && special)
    }

    fn link(&mut self, el: El, seq: SeqId) {
        match self.seq(seq).last {
            Some(last) => self.el_mut(last).next = Some(el),
            None => self.sequences[seq.0 as usize].first = Some(el),
        }
        self.sequences[seq.0 as usize].last = Some(el);
    }

    fn steps(&mut self, steps: &[Step], seq: SeqId) {
        for step in steps {
            let prepared = self.prepare(step, seq);
            self.place(prepared, seq);
        }
    }

    fn sequence(&mut self, steps: &[Step]) -> SeqId {
        let seq = self.open();
        self.steps(steps, seq);
        self.close(seq);
        seq
    }

    /// Lays out what is inside a statement; what comes before it goes to `seq`.
    fn prepare(&mut self, step: &Step, seq: SeqId) -> Prepared {
        let span = step.span;
        let node = match &step.kind {
            StepKind::Basic(basic) => Prepare::Basic(basic.clone()),
            StepKind::Steps(steps) => {
                self.steps(steps, seq);
                Prepare::Nothing
            }
            StepKind::If(branches) => Prepare::If(self.branches(branches)),
            StepKind::Do(branches) => {
                let index = self.enter_loop();
                let options = self.branches(branches);
                self.open_loops.pop();
                Prepare::Do(options, index)
            }
            StepKind::For { var, from, to, body } => self.prepare_for(var, (from, to), body, seq),
            StepKind::ForChan { counter, chan, fields, body } => {
                self.prepare_for_chan(counter, (chan, fields), body, seq)
            }
            StepKind::Select { var, from, to, literal } => {
                return self.prepare_select(step, var, (from, to), *literal, seq);
            }
            StepKind::Break => Prepare::Goto(Jump::Break(*self.open_loops.last().expect("checked: inside a loop"))),
            StepKind::Goto(label) => Prepare::Goto(Jump::Label(*label)),
            StepKind::Else => Prepare::Else,
            StepKind::Atomic(body) => {
                let inner = self.sequence(body);
                self.make_atomic(inner, false);
                Prepare::Atomic(inner)
            }
            StepKind::DStep(body) => {
                let inner = self.sequence(body);
                self.make_atomic(inner, true);
                Prepare::DStep(inner)
            }
            StepKind::Block(body) => Prepare::Block(self.sequence(body)),
            StepKind::Unless(main, escape) => return self.prepare_unless(main, escape, span, seq),
        };
        Prepared { labels: step.labels.clone(), node, span }
    }

    fn enter_loop(&mut self) -> u32 {
        self.loop_exits.push(El(0));
        let index = self.loop_exits.len() as u32 - 1;
        self.open_loops.push(index);
        index
    }

    fn branches(&mut self, branches: &[Vec<Step>]) -> Vec<SeqId> {
        let options: Vec<SeqId> = branches.iter().map(|branch| self.sequence(branch)).collect();
        if !self.is_claim {
            for &option in &options {
                self.prune_skips(option);
            }
        }
        options
    }

    /// In an option, all but the first of a run of unlabelled `skip`s vanish, unless it ends the option.
    fn prune_skips(&mut self, seq: SeqId) {
        let Sequence { first, last, extent } = self.seq(seq);
        let (mut previous, mut at, mut run) = (None, first, 0);
        while let Some(el) = at {
            let element = self.el(el);
            let (next, prints) = (element.next, is_print(&element.kind));
            at = next;
            if element.has_label || !(prints || is_skip(&element.kind)) {
                run = 0;
            } else {
                run += 1;
                let kept = run == 1 || prints || Some(el) == first || Some(el) == last || Some(el) == extent;
                if let (false, Some(previous)) = (kept, previous) {
                    self.el_mut(previous).next = next;
                    self.el_mut(el).done = true;
                    continue;
                }
            }
            previous = Some(el);
        }
    }

    /// `i = a; do :: i <= b -> …; i++ :: else -> break od`.
    fn prepare_for(&mut self, var: &Place, (from, to): (&Expr, &Expr), body: &[Step], seq: SeqId) -> Prepare {
        let index = self.enter_loop();
        self.add_basic(assign(var, from.clone()), var.span, seq);
        let option = self.open();
        let test = compare(BinaryOp::LessEqual, read(var), to.clone());
        self.add_basic(Basic::Condition(test), var.span, option);
        self.finish_for(index, var, body, option)
    }

    /// As [`prepare_for`](Self::prepare_for), with the messages of a channel taken and put back one by one.
    fn prepare_for_chan(
        &mut self,
        counter: &Place,
        (chan, fields): (&Place, &[Place]),
        body: &[Step],
        seq: SeqId,
    ) -> Prepare {
        let index = self.enter_loop();
        let span = counter.span;
        self.add_basic(assign(counter, constant(0, span)), span, seq);
        let option = self.open();
        let len = Expr { kind: ExprKind::Chan(crate::ast::ChanOp::Len, chan.clone()), span };
        self.add_basic(Basic::Condition(compare(BinaryOp::Less, read(counter), len)), span, option);
        let pattern = fields.iter().map(|field| Pattern::Store(Target::Place(field.clone()))).collect();
        self.add_basic(Basic::Receive { chan: chan.clone(), pattern, random: false, keep: false }, span, option);
        let args = fields.iter().map(read).collect();
        self.add_basic(Basic::Send { chan: chan.clone(), args, sorted: false }, span, option);
        self.finish_for(index, counter, body, option)
    }

    fn finish_for(&mut self, index: u32, var: &Place, body: &[Step], option: SeqId) -> Prepare {
        self.steps(body, option);
        self.open_loops.pop();
        self.add_basic(increment(var), var.span, option);
        self.close(option);
        let leave = self.open();
        let el = self.new_element(Kind::Else, var.span);
        self.add(el, leave);
        let el = self.new_element(Kind::Goto(Jump::Break(index)), var.span);
        self.add(el, leave);
        self.close(leave);
        Prepare::Do(vec![leave, option], index)
    }

    fn prepare_select(
        &mut self,
        step: &Step,
        var: &Place,
        (from, to): (&Expr, &Expr),
        literal: Option<(i32, i32)>,
        seq: SeqId,
    ) -> Prepared {
        let span = step.span;
        if let Some((low, high)) = literal.filter(|(low, high)| high.wrapping_sub(*low) <= 32) {
            let option = |value| vec![basic_step(assign(var, constant(value, span)), span)];
            let options: Vec<Vec<Step>> = (low..=high).map(option).collect();
            return Prepared { labels: step.labels.clone(), node: Prepare::If(self.branches(&options)), span };
        }
        // A label sticks to the assignment only where the text is replaced before it is read.
        let labels = if literal.is_some() { step.labels.clone() } else { Vec::new() };
        let first = Prepared { labels, node: Prepare::Basic(assign(var, from.clone())), span };
        self.place(first, seq);
        let index = self.enter_loop();
        self.open_loops.pop();
        let option = self.open();
        let test = compare(BinaryOp::Less, read(var), to.clone());
        self.add_basic(Basic::Condition(test), span, option);
        self.add_basic(increment(var), span, option);
        self.close(option);
        let leave = self.open();
        let el = self.new_element(Kind::Goto(Jump::Break(index)), span);
        self.add(el, leave);
        self.close(leave);
        let labels = if literal.is_some() { Vec::new() } else { step.labels.clone() };
        Prepared { labels, node: Prepare::Do(vec![leave, option], index), span }
    }

    fn prepare_unless(&mut self, main: &Step, escape: &Step, span: Span, seq: SeqId) -> Prepared {
        let main = self.prepare(main, seq);
        let escape = self.prepare(escape, seq);
        let escape = match escape.node {
            Prepare::Block(inner) if escape.labels.is_empty() => inner,
            _ => self.alone(escape),
        };
        let wrap = match main.node {
            Prepare::Block(inner) if main.labels.is_empty() => {
                return Prepared { labels: Vec::new(), node: Prepare::Unless(inner, escape), span };
            }
            Prepare::Block(inner) if !main.labels.is_empty() => (inner, Prepare::Block as fn(SeqId) -> Prepare),
            Prepare::Atomic(inner) if !main.labels.is_empty() => (inner, Prepare::Atomic as fn(SeqId) -> Prepare),
            Prepare::DStep(inner) if !main.labels.is_empty() => (inner, Prepare::DStep as fn(SeqId) -> Prepare),
            _ => {
                let inner = self.alone(main);
                return Prepared { labels: Vec::new(), node: Prepare::Unless(inner, escape), span };
            }
        };
        // A labelled block: the label goes to a block around the whole.
        let (inner, around) = wrap;
        let unless = Prepared { labels: Vec::new(), node: Prepare::Unless(inner, escape), span };
        let whole = self.alone(unless);
        Prepared { labels: main.labels, node: around(whole), span }
    }

    /// A sequence with one statement.
    fn alone(&mut self, prepared: Prepared) -> SeqId {
        let seq = self.open();
        self.place(prepared, seq);
        self.close(seq);
        seq
    }

    fn add_basic(&mut self, basic: Basic, span: Span, seq: SeqId) {
        self.place(Prepared { labels: Vec::new(), node: Prepare::Basic(basic), span }, seq);
    }

    /// Makes a prepared statement an element of `seq`.
    fn place(&mut self, prepared: Prepared, seq: SeqId) {
        let Prepared { labels, node, span } = prepared;
        let kind = match node {
            Prepare::Nothing => return,
            Prepare::If(options) => {
                let head = self.selection(Kind::If, options, span);
                self.set_labels(&labels, head.el);
                self.link(head.el, seq);
                self.link(head.join, seq);
                return;
            }
            Prepare::Do(options, index) => {
                let head = self.selection(Kind::Do, options, span);
                self.set_labels(&labels, head.el);
                self.link(head.join, seq);
                let exit = self.new_element(Kind::LoopExit, span);
                self.loop_exits[index as usize] = exit;
                self.link(head.el, seq);
                self.link(exit, seq);
                return;
            }
            Prepare::Unless(main, escape) => return self.place_unless(main, escape, &labels, span, seq),
            Prepare::Basic(basic) => Kind::Basic(basic),
            Prepare::Else => Kind::Else,
            Prepare::Goto(jump) => Kind::Goto(jump),
            Prepare::Atomic(inner) => Kind::Atomic(inner),
            Prepare::DStep(inner) => Kind::DStep(inner),
            Prepare::Block(inner) => Kind::Block(inner),
        };
        let el = self.new_element(kind, span);
        self.set_labels(&labels, el);
        self.add(el, seq);
    }

    fn set_labels(&mut self, labels: &[LabelId], el: El) {
        for label in labels {
            self.labels[label.index()] = el;
            self.el_mut(el).has_label = true;
        }
    }

    /// A selection and where its options meet; an `else` becomes the last option.
    fn selection(&mut self, kind: Kind, mut options: Vec<SeqId>, span: Span) -> Head {
        let el = self.new_element(kind, span);
        let join = self.new_element(Kind::Join, span);
        let is_else = |builder: &Self, option: SeqId| {
            builder.seq(option).first.is_some_and(|first| matches!(builder.el(first).kind, Kind::Else))
        };
        if let Some(index) = options.iter().position(|&option| is_else(self, option)) {
            let option = options.remove(index);
            options.push(option);
        }
        for &option in &options {
            self.link(join, option);
        }
        self.el_mut(el).subs = options;
        Head { el, join }
    }

    fn place_unless(&mut self, main: SeqId, escape: SeqId, labels: &[LabelId], span: Span, seq: SeqId) {
        let el = self.new_element(Kind::Unless, span);
        let join = self.new_element(Kind::Join, span);
        self.set_labels(labels, el);
        self.link(join, main);
        self.link(join, escape);
        self.el_mut(el).subs = vec![main, escape];
        self.attach_escape(main, escape);
        self.link(el, seq);
        self.link(join, seq);
    }

    /// A jump that another process looks at must be a place of its own.
    fn make_visible(&mut self, el: El) {
        if let Kind::Goto(jump) = self.el(el).kind {
            let (span, next) = (self.el(el).span, self.el(el).next);
            let copy = self.new_element(Kind::Goto(jump), span);
            self.el_mut(copy).next = next;
            let element = self.el_mut(el);
            element.kind = Kind::Basic(skip(span));
            element.next = Some(copy);
        }
    }
}

struct Head {
    el: El,
    join: El,
}

fn is_skip(kind: &Kind) -> bool {
    matches!(kind, Kind::Basic(Basic::Condition(expr)) if matches!(expr.kind, ExprKind::Const(1)))
}

fn is_print(kind: &Kind) -> bool {
    matches!(kind, Kind::Basic(Basic::Printf { .. } | Basic::Printm(_)))
}

fn skip(span: Span) -> Basic {
    Basic::Condition(constant(1, span))
}

fn constant(value: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), span }
}

fn read(place: &Place) -> Expr {
    Expr { kind: ExprKind::Read(place.clone()), span: place.span }
}

fn compare(operator: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

fn assign(var: &Place, value: Expr) -> Basic {
    Basic::Assign(Target::Place(var.clone()), value)
}

fn increment(var: &Place) -> Basic {
    assign(var, compare(BinaryOp::Add, read(var), constant(1, var.span)))
}

fn basic_step(basic: Basic, span: Span) -> Step {
    Step { labels: Vec::new(), kind: StepKind::Basic(basic), span }
}
