//! Sends and receives.

use burnside_diag::{Diagnostic, Span};

use super::Checker;
use super::places::Referent;
use crate::ast::{self, RecvArg};
use crate::codes;
use crate::typed::{Basic, Builtin, Expr, ExprKind, Pattern, Place, Target};

impl Checker {
    pub(super) fn send(&mut self, chan: &ast::VarRef, args: &[ast::Expr], sorted: bool, span: Span) -> Option<Basic> {
        let (chan, args) = (self.channel(chan), self.arguments(args));
        let (chan, args) = (chan?, args?);
        self.sends.push((args.len(), span));
        self.check_message(&chan, args.len(), span);
        Some(Basic::Send { chan, args, sorted })
    }

    pub(super) fn receive(
        &mut self,
        chan: &ast::VarRef,
        args: &[RecvArg],
        (random, keep): (bool, bool),
        span: Span,
    ) -> Option<Basic> {
        let (chan, pattern) = (self.channel(chan), self.pattern(args));
        let (chan, pattern) = (chan?, pattern?);
        self.check_message(&chan, pattern.len(), span);
        self.check_repeated(&pattern);
        Some(Basic::Receive { chan, pattern, random, keep })
    }

    /// A warning where the number of fields cannot be right; whether it is depends on the channel at run time.
    pub(super) fn check_message(&mut self, chan: &Place, n_fields: usize, span: Span) {
        let Some(ty) = chan.chan else { return };
        let ty = &self.program.chan_types[ty.index()];
        if ty.fields.len() != n_fields {
            let message = format!("{n_fields} fields, and the messages of this channel have {}", ty.fields.len());
            let finding = Diagnostic::warning(codes::MESSAGE_FIELDS, message, span).also(ty.span, "declared here");
            self.report(finding.help("it is an error when it is executed; give one value for each field"));
        }
    }

    pub(super) fn pattern(&mut self, args: &[RecvArg]) -> Option<Vec<Pattern>> {
        let mut out = Some(Vec::new());
        for arg in args {
            let fields = match arg {
                RecvArg::Value(expr) => self.value(expr).map(|value| vec![Pattern::Match(value)]),
                RecvArg::Var(var) => self.pattern_var(var),
            };
            match (fields, &mut out) {
                (Some(fields), Some(out)) => out.extend(fields),
                _ => out = None,
            }
        }
        out
    }

    fn pattern_var(&mut self, var: &ast::VarRef) -> Option<Vec<Pattern>> {
        let store = |place| Pattern::Store(Target::Place(place));
        Some(match self.referent(var)? {
            Referent::Place(place) => vec![store(place)],
            Referent::Whole(places) => places.into_iter().map(store).collect(),
            Referent::Const(_, value) => {
                vec![Pattern::Match(Expr { kind: ExprKind::Const(value), span: var.span })]
            }
            Referent::Discard => vec![Pattern::Store(Target::Discard)],
            Referent::Builtin(Builtin::Pid) => {
                let finding = Diagnostic::warning(
                    codes::RECEIVE_INTO_PID,
                    "this receive gives the process another number; it does not compare with `_pid`",
                    var.span,
                );
                self.report(finding.help("write `eval(_pid)` to receive only messages with the own number"));
                vec![Pattern::Store(Target::Pid)]
            }
            Referent::Builtin(Builtin::Priority) => vec![Pattern::Store(Target::Priority)],
            Referent::Builtin(_) => {
                let message = format!("`{}` cannot be assigned to", var.parts[0].name.text);
                let finding = Diagnostic::error(codes::NOT_ASSIGNABLE, message, var.span);
                self.report(finding.help("use a variable of your own, or `eval(…)` to compare"));
                return None;
            }
        })
    }

    /// One variable cannot take two fields of a message.
    fn check_repeated(&mut self, pattern: &[Pattern]) {
        let places: Vec<&Place> = pattern
            .iter()
            .filter_map(|field| match field {
                Pattern::Store(Target::Place(place)) => Some(place),
                _ => None,
            })
            .collect();
        for (index, later) in places.iter().enumerate() {
            let same = |earlier: &&&Place| {
                earlier.scope == later.scope
                    && earlier.slot == later.slot
                    && earlier.indices.is_empty()
                    && later.indices.is_empty()
            };
            if let Some(earlier) = places[..index].iter().find(same) {
                let finding = Diagnostic::error(
                    codes::REPEATED_FIELD,
                    "one variable takes two fields of the message",
                    later.span,
                )
                .also(earlier.span, "it takes this one, too")
                .help("use another variable, or `_` to drop a field");
                self.report(finding);
                return;
            }
        }
    }
}
