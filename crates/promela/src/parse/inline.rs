//! Inlines: their definitions, and calls as a second reading of the body with arguments for parameters.

use std::rc::Rc;

use burnside_diag::{Diagnostic, Span};

use super::{Call, Parsed, Parser, Reported, join};
use crate::ast::{Name, StepKind, VarRef};
use crate::codes;
use crate::lex::{Lexeme, Token};

/// Most tokens read in inline calls: nested inlines can double at each level.
const MAX_EXPANDED: usize = 2_000_000;

/// A definition, kept as tokens.
pub(super) struct InlineDef {
    params: Vec<Rc<str>>,
    /// The body with its braces.
    body: Rc<[Lexeme]>,
    span: Span,
}

impl Parser {
    pub(super) fn inline_definition(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name_called("the name of the inline")?;
        self.expect(Token::OpenParen, "`(`")?;
        let mut params = Vec::new();
        while self.peek() != Token::CloseParen {
            params.push(self.name_called("a parameter or `)`")?.text.into());
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseParen, "`)`")?;
        if self.peek() != Token::OpenBrace {
            return Err(self.expected("`{`"));
        }
        let start = self.at;
        self.skip_braces();
        if self.tokens[self.at - 1].token != Token::CloseBrace {
            let finding =
                Diagnostic::error(codes::SYNTAX, format!("the inline `{}` has no `}}`", name.text), name.span);
            self.report(finding.help("close its body"));
            return Err(Reported);
        }
        let body = self.tokens[start..self.at].into();
        if let Some(earlier) = self.inlines.get(&name.text) {
            let finding = Diagnostic::error(
                codes::DUPLICATE_NAME,
                format!("the inline `{}` is defined twice", name.text),
                name.span,
            )
            .also(earlier.span, "first defined here")
            .help("rename one of them");
            self.report(finding);
        }
        self.inlines.insert(name.text.clone(), InlineDef { params, body, span: name.span });
        Ok(())
    }

    /// Whether a call starts here.
    pub(super) fn at_inline_call(&self) -> bool {
        self.peek() == Token::Name && self.nth(1) == Token::OpenParen && self.inlines.contains_key(&*self.lexeme().text)
    }

    /// A call, from its name on; `return` inside assigns to `result`.
    pub(super) fn inline_call(&mut self, result: Option<VarRef>) -> Parsed<StepKind> {
        let name = self.name()?;
        let args = self.inline_args()?;
        let def = &self.inlines[&name.text];
        let (definition, body, params) = (def.span, Rc::clone(&def.body), def.params.clone());
        if self.calls.iter().any(|call| call.name.text == name.text) {
            let finding = Diagnostic::error(
                codes::RECURSIVE_INLINE,
                format!("the inline `{}` calls itself", name.text),
                name.span,
            )
            .also(definition, "defined here")
            .help("an inline is text put in place of its call; use a loop or a process");
            self.report(finding);
            return Err(Reported);
        }
        if args.len() != params.len() {
            let message =
                format!("the inline `{}` takes {} arguments, and {} are given", name.text, params.len(), args.len());
            let finding = Diagnostic::error(codes::INLINE_ARGUMENTS, message, name.span)
                .also(definition, "defined here")
                .help("give one argument for each parameter");
            self.report(finding);
            return Err(Reported);
        }
        let expanded = expanded(&body, &params, &args, name.span);
        self.n_expanded += expanded.len();
        if self.n_expanded > MAX_EXPANDED {
            let message = format!("calls of inlines have grown beyond {MAX_EXPANDED} tokens");
            let finding = Diagnostic::error(codes::EXPANSION_TOO_LARGE, message, name.span);
            self.report(finding.help("look for inlines that call each other more than once"));
            self.gave_up = true;
            self.at = self.tokens.len() - 1;
            return Err(Reported);
        }
        self.read_body(expanded, name, definition, result)
    }

    fn read_body(
        &mut self,
        tokens: Vec<Lexeme>,
        name: Name,
        definition: Span,
        result: Option<VarRef>,
    ) -> Parsed<StepKind> {
        let text = tokens.first().zip(tokens.iter().rev().nth(1)).map(|(open, close)| join(open.place, close.place));
        let outer_text = std::mem::replace(&mut self.inline_text, text);
        let outer_tokens = std::mem::replace(&mut self.tokens, tokens);
        let outer_at = std::mem::replace(&mut self.at, 0);
        self.calls.push(Call { name: name.clone(), result });
        let body = self.nested(|parser| {
            let open = parser.bump().span;
            let body = parser.sequence(open);
            parser.expect(Token::CloseBrace, "`}`")?;
            Ok(body)
        });
        self.calls.pop();
        self.inline_text = outer_text;
        self.tokens = outer_tokens;
        self.at = if self.gave_up { self.tokens.len() - 1 } else { outer_at };
        Ok(StepKind::Inline { name, definition, body: body? })
    }

    /// The tokens of each argument.
    fn inline_args(&mut self) -> Parsed<Vec<Vec<Lexeme>>> {
        self.bump();
        let mut args = vec![Vec::new()];
        let mut depth = 0_u32;
        loop {
            let lexeme = self.lexeme().clone();
            match lexeme.token {
                Token::Eof | Token::Semi => return Err(self.expected("`)`")),
                Token::CloseParen if depth == 0 => break,
                Token::Comma if depth == 0 => {
                    args.push(Vec::new());
                    self.bump();
                    continue;
                }
                Token::OpenParen | Token::OpenBracket => depth += 1,
                Token::CloseParen | Token::CloseBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            args.last_mut().expect("never empty").push(lexeme);
            self.bump();
        }
        self.bump();
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        Ok(args)
    }
}

/// The body with arguments for parameters, closed by `Eof`.
fn expanded(body: &[Lexeme], params: &[Rc<str>], args: &[Vec<Lexeme>], site: Span) -> Vec<Lexeme> {
    let mut out = Vec::with_capacity(body.len() + 1);
    for lexeme in body {
        let param = (lexeme.token == Token::Name).then(|| params.iter().position(|param| *param == lexeme.text));
        match param.flatten() {
            Some(index) => out.extend(args[index].iter().map(|arg| Lexeme { place: lexeme.place, ..arg.clone() })),
            None => out.push(lexeme.clone()),
        }
    }
    out.push(Lexeme { token: Token::Eof, span: site, place: site, text: "".into(), implied: false });
    out
}
