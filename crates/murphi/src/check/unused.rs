//! Things declared and never mentioned, where that costs something: a state variable makes every state larger, a
//! ruleset parameter makes copies of a rule that differ in nothing.

use std::collections::HashSet;

use burnside_diag::Diagnostic;
use burnside_ir::GlobalId;

use super::Checker;
use super::scope::Symbol;
use crate::codes;
use crate::typed::{Role, VarId};

/// Which variables some expression names.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    globals: HashSet<GlobalId>,
    locals: HashSet<VarId>,
}

impl Mentions {
    pub(super) fn mention(&mut self, symbol: Symbol) {
        match symbol {
            Symbol::Global(global) => {
                self.globals.insert(global);
            }
            Symbol::Local(var) => {
                self.locals.insert(var);
            }
            _ => {}
        }
    }
}

impl Checker<'_> {
    pub(super) fn report_unused(&mut self) {
        // A wrong model may lack the very parts that mention them.
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let globals = (0..).map(GlobalId).zip(&self.program.globals);
        let unused_globals = globals.filter(|(id, _)| !self.mentions.globals.contains(id)).map(|(_, global)| {
            let message = format!("nothing uses the variable `{}`", global.name);
            Diagnostic::warning(codes::UNUSED_VARIABLE, message, global.span).help("remove it to make states smaller")
        });
        let locals = (0..).map(VarId).zip(&self.program.locals);
        let unused_params = locals
            .filter(|(id, local)| local.role == Role::RuleParam && !self.mentions.locals.contains(id))
            .map(|(_, local)| {
                let message = format!("nothing uses the ruleset parameter `{}`", local.name);
                Diagnostic::warning(codes::UNUSED_PARAMETER, message, local.span)
                    .help("remove it; its rules are the same for every value")
            });
        let findings: Vec<_> = unused_globals.chain(unused_params).collect();
        self.diagnostics.extend(findings);
    }
}
