//! What a model as a whole needs.

use burnside_diag::{Diagnostic, FileId, Span};

use super::Checker;
use crate::codes;

impl Checker<'_> {
    pub(super) fn report_whole_model(&mut self, file: FileId) {
        if self.lost_declarations {
            return;
        }
        let start_of_file = Span::new(file, 0, 0);
        if self.program.starts.is_empty() {
            let finding = Diagnostic::error(codes::NO_STARTSTATE, "the model has no start state", start_of_file)
                .help("add `startstate … end`; without one no state is reachable and every claim would hold");
            self.report(finding);
        }
        if self.program.rules.is_empty() {
            let finding = Diagnostic::warning(codes::NO_RULES, "the model has no rules", start_of_file)
                .help("add `rule … end`; without one only the start states are reachable");
            self.report(finding);
        }
    }
}
