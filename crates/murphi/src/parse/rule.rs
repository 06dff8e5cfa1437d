//! Rules, start states, properties, and the groups around them.

use burnside_diag::{Diagnostic, Span};

use super::blocks::Construct;
use super::{Parsed, Parser, Reported};
use crate::ast::{Block, Expr, ExprKind, Property, PropertyKind, Rule, RuleItem};
use crate::codes;
use crate::lex::{Token, unquote};

impl Parser<'_> {
    /// Whether a rule, start state, property or group of them starts here.
    pub(super) fn at_rule_item(&self) -> bool {
        use Token::*;
        match self.peek() {
            Rule | Startstate | Invariant | Assert | Ruleset | Alias => true,
            Ident => {
                let word = ["choose", "cover", "assume", "liveness"].iter().any(|word| self.at_word(word));
                word && !matches!(self.nth(1), Colon | Comma | Assign | Dot | OpenBracket) || self.at_claim()
            }
            _ => false,
        }
    }

    pub(super) fn rule_item(&mut self) -> Parsed<RuleItem> {
        self.nested(|parser| match parser.peek() {
            Token::Rule => parser.rule(),
            Token::Startstate => parser.startstate(),
            Token::Ruleset => parser.ruleset(),
            Token::Alias => parser.alias_rules(),
            Token::Ident if parser.at_word("choose") => parser.choose(),
            Token::Ident if parser.at_claim() => parser.claim().map(RuleItem::Claim),
            _ => parser.property(),
        })
    }

    fn rule(&mut self) -> Parsed<RuleItem> {
        let keyword = self.bump().span;
        let priority = self.priority()?;
        let name = self.optional_text();
        let head = self.since(keyword);
        let guard = self.guard(head);
        let block = self.block(Construct::Rule, name, head)?;
        Ok(RuleItem::Rule(Rule { priority, guard, block }))
    }

    /// A number before the name. `rule 1 = 2 ==>` has none: there the number begins the guard.
    fn priority(&mut self) -> Parsed<Option<Expr>> {
        use Token::*;
        let before_text = matches!(self.peek(), Integer | Hex | Ident) && self.nth(1) == Text;
        let before_rest = matches!(self.peek(), Integer | Hex)
            && matches!(
                self.nth(1),
                Ident | Begin | Var | Const | Type | OpenParen | Bang | Forall | Exists | IsUndefined | True | False
            );
        if before_text || before_rest { Ok(Some(self.primary()?)) } else { Ok(None) }
    }

    /// The condition before `==>`. A rule without one must not begin with what looks like a condition.
    fn guard(&mut self, head: Span) -> Option<Expr> {
        let token = self.peek();
        if token.starts_section() || token.starts_statement() || token.ends_block() || token == Token::Begin {
            return None;
        }
        let start = self.at;
        let guard = match self.expr() {
            Ok(guard) => guard,
            Err(Reported) => {
                self.skip_heading(Token::Arrow);
                self.eat(Token::Arrow);
                return Some(Expr { kind: ExprKind::Error, span: head });
            }
        };
        if self.eat(Token::Arrow) {
            return Some(guard);
        }
        if matches!(self.peek(), Token::Assign | Token::Semicolon) {
            let finding = Diagnostic::error(codes::MISSING_GUARD, "this rule has neither a guard nor `begin`", head)
                .also(guard.span, "the first statement")
                .help("write `begin` before the first statement, or a guard and `==>`");
            self.report(finding);
            self.at = start;
            return None;
        }
        self.expected("`==>` after the guard");
        self.skip_heading(Token::Arrow);
        self.eat(Token::Arrow);
        Some(guard)
    }

    fn startstate(&mut self) -> Parsed<RuleItem> {
        let keyword = self.bump().span;
        let name = self.optional_text();
        let head = self.since(keyword);
        Ok(RuleItem::Start(self.block(Construct::Startstate, name, head)?))
    }

    /// `[declarations begin] statements end`
    fn block(&mut self, construct: Construct, name: Option<String>, head: Span) -> Parsed<Block> {
        let decls = self.local_decls()?;
        if !self.eat(Token::Begin) && !decls.is_empty() {
            self.expected("`begin` after the declarations");
        }
        self.open(construct, head);
        let body = self.statements();
        self.close();
        Ok(Block { name, head, decls, body })
    }

    fn property(&mut self) -> Parsed<RuleItem> {
        let start = self.span();
        let kind = self.property_keyword();
        let (name, condition) = self.named_condition()?;
        Ok(RuleItem::Property(Property { kind, name, condition, span: self.since(start) }))
    }

    pub(super) fn property_keyword(&mut self) -> PropertyKind {
        let span = self.bump().span;
        let kind = match self.slice(span).to_ascii_lowercase().as_str() {
            "assume" => PropertyKind::Assume,
            "cover" => PropertyKind::Cover,
            "liveness" => PropertyKind::Liveness,
            _ => return PropertyKind::Invariant,
        };
        self.rumur_syntax.get_or_insert(span);
        kind
    }

    /// A condition with a text before it (CMurphi's invariants) or behind it (CMurphi's assertions).
    pub(super) fn named_condition(&mut self) -> Parsed<(Option<String>, Expr)> {
        let before = self.optional_text();
        let condition = self.expr()?;
        let after = if before.is_none() { self.optional_text() } else { None };
        Ok((before.or(after), condition))
    }

    pub(super) fn optional_text(&mut self) -> Option<String> {
        let span = self.span();
        self.eat(Token::Text).then(|| unquote(self.slice(span)))
    }

    fn ruleset(&mut self) -> Parsed<RuleItem> {
        let keyword = self.bump().span;
        let quantifiers = self.quantifiers()?;
        let items = self.grouped_rules(Construct::Ruleset, keyword)?;
        Ok(RuleItem::Ruleset { quantifiers, items })
    }

    fn alias_rules(&mut self) -> Parsed<RuleItem> {
        let keyword = self.bump().span;
        let bindings = self.alias_bindings()?;
        let items = self.grouped_rules(Construct::Alias, keyword)?;
        Ok(RuleItem::Alias { bindings, items })
    }

    fn choose(&mut self) -> Parsed<RuleItem> {
        let keyword = self.bump().span;
        let index = self.new_name()?;
        self.expect(Token::Colon, "`:`")?;
        let set = self.designator()?;
        let items = self.grouped_rules(Construct::Choose, keyword)?;
        Ok(RuleItem::Choose { index, set, items })
    }

    /// `do` and the rules up to the `end` of the group.
    fn grouped_rules(&mut self, construct: Construct, keyword: Span) -> Parsed<Vec<RuleItem>> {
        self.do_or_colon()?;
        self.open(construct, keyword);
        let mut items = Vec::new();
        loop {
            if self.eat(Token::Semicolon) {
                continue;
            }
            if !self.at_rule_item() {
                self.close();
                return Ok(items);
            }
            let n_open = self.open.len();
            match self.rule_item() {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    self.abandon_blocks(n_open);
                    self.skip_grouped_rule();
                }
            }
        }
    }

    /// Skips to the next rule of a group or to its end.
    fn skip_grouped_rule(&mut self) {
        self.lost_declarations = true;
        while !self.at_section_or_rule() && !self.peek().ends_block() && self.peek() != Token::Eof {
            self.bump();
        }
    }
}
