//! What can only be said about the whole model.

use burnside_diag::{Diagnostic, FileId, Span};

use super::Checker;
use crate::codes;

impl Checker {
    pub(super) fn report_whole_model(&mut self, file: FileId) {
        self.order_global_inits();
        self.report_runs();
        self.report_long_messages();
        if self.program.starts.is_empty() && !self.lost_declarations && self.diagnostics.is_empty() {
            let finding = Diagnostic::error(codes::NO_PROCESS, "no process exists at the start", Span::new(file, 0, 0));
            self.report(finding.help("add `init`, or put `active` in front of a `proctype`"));
        }
        let rendezvous = self.program.chan_types.iter().find(|ty| ty.capacity == 0).map(|ty| ty.span);
        if let (Some(priority), Some(rendezvous)) = (self.priority, rendezvous) {
            let finding = Diagnostic::error(
                codes::PRIORITY_RENDEZVOUS,
                "priorities do not go with rendezvous channels",
                priority,
            )
            .also(rendezvous, "a rendezvous channel")
            .help("give the channel a capacity, or model the priorities with `provided`");
            self.report(finding);
        }
        if let (Some(enabled), Some(rendezvous)) = (self.enabled_at, rendezvous) {
            let finding =
                Diagnostic::error(codes::ENABLED_RENDEZVOUS, "`enabled` does not go with rendezvous channels", enabled)
                    .also(rendezvous, "a rendezvous channel")
                    .help("give the channel a capacity, or ask for the condition itself");
            self.report(finding);
        }
    }

    /// SPIN gives globals their first values by type, and only then by the order of the text.
    fn order_global_inits(&mut self) {
        use crate::typed::{Scalar, Type};
        let globals = &mut self.program.globals;
        let rank = |ty: Type| match ty {
            Type::Scalar(Scalar::Unsigned(_)) => 0,
            Type::Scalar(Scalar::Bit | Scalar::Bool) => 1,
            Type::Scalar(Scalar::Byte | Scalar::Pid) => 2,
            Type::Scalar(Scalar::Chan) => 3,
            Type::Scalar(Scalar::Mtype(_)) => 4,
            Type::Scalar(Scalar::Short) => 5,
            Type::Scalar(Scalar::Int) => 6,
            Type::Struct(_) => 7,
        };
        let (vars, slots) = (&globals.vars, &globals.slots);
        globals.inits.sort_by_key(|init| rank(vars[slots[init.slot as usize].var.index()].ty));
    }

    fn report_runs(&mut self) {
        for run in std::mem::take(&mut self.pending_runs) {
            let Some(proc) = self.program.procs.get(run.proc.index()) else { continue };
            let n_params = proc.n_params as usize;
            if run.n_args == n_params {
                continue;
            }
            let message = format!("`{}` has {n_params} parameters, and {} values are given", proc.name, run.n_args);
            let (code, help) = (codes::RUN_ARGUMENTS, "give one value for each parameter");
            // SPIN takes missing ones as zero.
            let finding = if run.n_args > n_params {
                Diagnostic::error(code, message, run.span)
            } else {
                Diagnostic::warning(code, message, run.span)
            };
            let finding = finding.also(proc.span, "declared here").help(help);
            self.report(finding);
        }
    }

    fn report_long_messages(&mut self) {
        let longest = self.program.chan_types.iter().map(|ty| ty.fields.len()).max().unwrap_or(0);
        for (n_fields, span) in std::mem::take(&mut self.sends) {
            if n_fields > longest {
                let message = format!("{n_fields} fields are sent, and no channel has messages of more than {longest}");
                let finding = Diagnostic::error(codes::LONG_MESSAGE, message, span);
                self.report(finding.help("declare a channel with so many fields, or send fewer"));
            }
        }
    }
}
