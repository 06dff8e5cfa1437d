//! Constructs that need an `end`, and what to say when it is the wrong one or missing.

use burnside_diag::{Diagnostic, Span};

use super::Parser;
use crate::codes;
use crate::lex::Token;

/// A construct closed by `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Construct {
    Alias,
    Choose,
    Exists,
    For,
    Forall,
    Function,
    If,
    Procedure,
    Record,
    Rule,
    Ruleset,
    Startstate,
    Switch,
    While,
}

/// A construct whose `end` is still to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBlock {
    construct: Construct,
    opener: Span,
}

impl Construct {
    fn word(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Choose => "choose",
            Self::Exists => "exists",
            Self::For => "for",
            Self::Forall => "forall",
            Self::Function => "function",
            Self::If => "if",
            Self::Procedure => "procedure",
            Self::Record => "record",
            Self::Rule => "rule",
            Self::Ruleset => "ruleset",
            Self::Startstate => "startstate",
            Self::Switch => "switch",
            Self::While => "while",
        }
    }
}

impl Token {
    /// Whether this is `end` or one of its longer forms.
    pub(crate) fn ends_block(self) -> bool {
        use Token::*;
        matches!(
            self,
            End | EndAlias
                | EndExists
                | EndFor
                | EndForall
                | EndFunction
                | EndIf
                | EndProcedure
                | EndRecord
                | EndRule
                | EndRuleset
                | EndStartstate
                | EndSwitch
                | EndWhile
        )
    }
}

impl Parser<'_> {
    /// Remembers that `construct`, begun at `opener`, needs an `end`.
    pub(super) fn open(&mut self, construct: Construct, opener: Span) {
        self.open.push(OpenBlock { construct, opener });
    }

    /// Consumes the `end` of the construct opened last. A missing one is reported and assumed to be there.
    pub(super) fn close(&mut self) -> Span {
        let block = self.open.pop().expect("every `close` follows an `open`");
        let closer = self.closer();
        if closer.as_ref().is_some_and(|word| word == "end" || *word == format!("end{}", block.construct.word())) {
            return self.bump().span;
        }
        let word = block.construct.word();
        let belongs_outside = |closer: &str| self.open.iter().any(|outer| closer[3..] == *outer.construct.word());
        match closer {
            Some(found) if !belongs_outside(&found) => {
                let span = self.bump().span;
                let finding =
                    Diagnostic::error(codes::MISMATCHED_END, format!("`{found}` cannot close `{word}`"), span)
                        .also(block.opener, format!("this `{word}` is open"))
                        .help(format!("write `end` or `end{word}`"));
                self.report(finding);
                span
            }
            _ => {
                let finding = self.expected_message(&format!("`end` of this `{word}`"));
                self.report(finding.also(block.opener, format!("this `{word}` is open")));
                self.span()
            }
        }
    }

    /// Forgets constructs opened since there were `n_open` of them: reading gave up inside them.
    pub(super) fn abandon_blocks(&mut self, n_open: usize) {
        self.open.truncate(n_open);
    }

    /// The closing word ahead, in lower case. `endchoose` is an identifier to the lexer, for Rumur's sake.
    fn closer(&self) -> Option<String> {
        let ends = self.peek().ends_block() || self.at_word("endchoose");
        ends.then(|| self.slice(self.span()).to_ascii_lowercase())
    }
}
