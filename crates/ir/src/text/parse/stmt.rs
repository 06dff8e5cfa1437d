//! Statements.

use super::{Parsed, Parser};
use crate::text::lex::Token;
use crate::{Block, PropertyId, PutItem, Stmt, StmtKind};

impl Parser<'_> {
    /// Statements up to a closing parenthesis, which is left.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let mut block = Vec::new();
        while self.token != Token::Close {
            block.push(self.nested(Self::stmt)?);
        }
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        self.expect(&Token::Open)?;
        let word = self.word()?;
        let span = self.span()?;
        let kind = match word {
            "if" => self.branches()?,
            "call" => return Ok(Stmt { kind: StmtKind::Call { call: self.call()?, result: None }, span }),
            "call-into" => {
                let result = Some(self.local_id()?);
                return Ok(Stmt { kind: StmtKind::Call { call: self.call()?, result }, span });
            }
            "put" => return Ok(Stmt { kind: StmtKind::Put(self.until_close(Self::put_item)?), span }),
            "return" if self.token == Token::Close => StmtKind::Return(None),
            _ => self.simple(word)?,
        };
        self.expect(&Token::Close)?;
        Ok(Stmt { kind, span })
    }

    fn simple(&mut self, word: &str) -> Parsed<StmtKind> {
        Ok(match word {
            "assign" => StmtKind::Assign { target: self.place()?, source: self.operand()? },
            "clear" => StmtKind::Clear(self.place()?),
            "bind" => StmtKind::Bind { local: self.local_id()?, place: self.place()? },
            "while" => StmtKind::While { condition: self.expr()?, body: self.block()? },
            "for" => StmtKind::For { local: self.local_id()?, domain: self.domain()?, body: self.block()? },
            "assert" => StmtKind::Assert { condition: self.expr()?, message: self.string()? },
            "assume" => StmtKind::Assume(self.expr()?),
            "cover" => StmtKind::Cover { property: self.id('p', PropertyId)?, condition: self.expr()? },
            "error" => StmtKind::Error(self.string()?),
            "return" => StmtKind::Return(Some(self.operand()?)),
            "insert" => StmtKind::Insert { multiset: self.place()?, element: self.operand()? },
            "remove" => StmtKind::Remove(self.place()?),
            "remove-where" => {
                StmtKind::RemoveWhere { multiset: self.place()?, local: self.local_id()?, condition: self.expr()? }
            }
            _ => return self.fail(format!("`{word}` is not a statement")),
        })
    }

    fn branches(&mut self) -> Parsed<StmtKind> {
        let mut arms = Vec::new();
        let mut otherwise = Block::new();
        while self.accept(&Token::Open)? {
            match self.word()? {
                "when" => arms.push((self.expr()?, self.block()?)),
                "else" => otherwise = self.block()?,
                word => return self.fail(format!("`{word}` is not a branch")),
            }
            self.expect(&Token::Close)?;
        }
        Ok(StmtKind::If { arms, otherwise })
    }

    fn put_item(&mut self) -> Parsed<PutItem> {
        match self.token {
            Token::Text(_) => self.string().map(PutItem::Text),
            Token::Open => {
                self.advance()?;
                let head = self.word()?;
                if head != "show" {
                    return self.expr_from(head).map(PutItem::Value);
                }
                let place = self.place()?;
                self.expect(&Token::Close)?;
                Ok(PutItem::Place(place))
            }
            _ => self.expr().map(PutItem::Value),
        }
    }
}
