//! Sorts, types, variables, functions, start states, rules and properties.

use burnside_diag::Span;

use super::{Parsed, Parser};
use crate::text::lex::Token;
use crate::{
    Binder, Block, Expr, Field, Function, Global, GlobalId, Local, LocalId, LocalMode, Owner, Property, Rule, Sort,
    SortId, StartState, Type, TypeId,
};

/// The parts of a declaration with locals. A part that is given twice counts as given the second time.
#[derive(Default)]
struct Sections {
    n_params: Option<u32>,
    result: Option<TypeId>,
    priority: Option<i64>,
    owners: Vec<Owner>,
    binders: Vec<Binder>,
    /// The guard of a rule or the condition of a property.
    condition: Option<Expr>,
    action: Option<Block>,
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn model(&mut self) -> Parsed<()> {
        self.expect(&Token::Open)?;
        self.expect(&Token::Word("model"))?;
        self.until_close(Self::declaration)?;
        self.expect(&Token::End)
    }

    fn declaration(&mut self) -> Parsed<()> {
        self.expect(&Token::Open)?;
        let Token::Word(word) = self.token else { return self.unexpected("a declaration") };
        let declare = match word {
            "sort" => Self::sort,
            "type" => Self::type_def,
            "global" => Self::global,
            "function" => Self::function,
            "start" => Self::start,
            "rule" => Self::rule,
            "property" => Self::property,
            "claim" => Self::claim,
            "automaton" => Self::automaton,
            _ => return self.unexpected("a declaration"),
        };
        self.advance()?;
        let span = self.span()?;
        declare(self, span)?;
        self.expect(&Token::Close)
    }

    fn sort(&mut self, span: Span) -> Parsed<()> {
        let n_sorts = self.model.types.sorts().len();
        self.declared('s', n_sorts)?;
        let name = self.string()?;
        let kind = self.worded("a kind of sort")?;
        let size = self.count()?;
        self.model.types.add_sort(Sort { name, size, kind, span });
        Ok(())
    }

    fn type_def(&mut self, span: Span) -> Parsed<()> {
        let n_types = self.model.types.iter().len();
        self.declared('t', n_types)?;
        let name = if matches!(self.token, Token::Text(_)) { Some(self.string()?) } else { None };
        let ty = self.structure()?;
        self.model.types.add(name, ty, span);
        Ok(())
    }

    fn structure(&mut self) -> Parsed<Type> {
        if self.accept(&Token::Word("bool"))? {
            return Ok(Type::Bool);
        }
        if self.accept(&Token::Word("int"))? {
            return Ok(Type::Int);
        }
        self.expect(&Token::Open)?;
        let ty = match self.word()? {
            "range" => Type::Range { lo: self.int()?, hi: self.int()? },
            "enum" => return Ok(Type::Enum { members: self.until_close(Self::string)? }),
            "id" => Type::Id(self.earlier_sort()?),
            "union" => return Ok(Type::Union { members: self.until_close(Self::earlier_type)? }),
            "array" => Type::Array { index: self.earlier_type()?, element: self.earlier_type()? },
            "record" => return Ok(Type::Record { fields: self.until_close(Self::field)? }),
            "multiset" => Type::Multiset { capacity: self.count()?, element: self.earlier_type()? },
            _ => return self.unexpected("the structure of a type before this"),
        };
        self.expect(&Token::Close)?;
        Ok(ty)
    }

    /// A sort that has been declared, because the shape of a type depends on it.
    fn earlier_sort(&mut self) -> Parsed<SortId> {
        let n_sorts = self.model.types.sorts().len();
        if self.peek_id('s').is_some_and(|at| at as usize >= n_sorts) {
            return self.fail("this sort is not declared yet");
        }
        self.id('s', SortId)
    }

    /// A type that has been declared, because the shape of a type depends on its parts.
    fn earlier_type(&mut self) -> Parsed<TypeId> {
        let n_types = self.model.types.iter().len();
        if self.peek_id('t').is_some_and(|at| at as usize >= n_types) {
            return self.fail("this type is not declared yet");
        }
        self.ty()
    }

    fn field(&mut self) -> Parsed<Field> {
        self.expect(&Token::Open)?;
        let field = Field { name: self.string()?, ty: self.earlier_type()? };
        self.expect(&Token::Close)?;
        Ok(field)
    }

    fn global(&mut self, span: Span) -> Parsed<()> {
        self.declared('g', self.model.globals.len())?;
        let global = Global { name: self.string()?, ty: self.ty()?, span };
        self.model.globals.push(global);
        Ok(())
    }

    fn function(&mut self, span: Span) -> Parsed<()> {
        self.declared('f', self.model.functions.len())?;
        let name = self.string()?;
        let sections = self.sections(&["local", "params", "result", "do"])?;
        let n_params = self.required(sections.n_params, "params")?;
        let body = self.required(sections.action, "do")?;
        let locals = std::mem::take(&mut self.locals);
        self.model.functions.push(Function { name, locals, n_params, result: sections.result, body, span });
        Ok(())
    }

    fn start(&mut self, span: Span) -> Parsed<()> {
        self.declared('i', self.model.starts.len())?;
        let name = self.string()?;
        let sections = self.sections(&["local", "param", "value", "ref", "do"])?;
        let action = self.required(sections.action, "do")?;
        let locals = std::mem::take(&mut self.locals);
        self.model.starts.push(StartState { name, binders: sections.binders, locals, action, span });
        Ok(())
    }

    fn rule(&mut self, span: Span) -> Parsed<()> {
        self.declared('r', self.model.rules.len())?;
        let name = self.string()?;
        let sections = self.sections(&["priority", "by", "local", "param", "value", "ref", "guard", "do"])?;
        let guard = self.required(sections.condition, "guard")?;
        let action = self.required(sections.action, "do")?;
        let (priority, owners) = (sections.priority.unwrap_or(0), sections.owners);
        let locals = std::mem::take(&mut self.locals);
        self.model.rules.push(Rule { name, binders: sections.binders, locals, guard, action, priority, owners, span });
        Ok(())
    }

    fn property(&mut self, span: Span) -> Parsed<()> {
        self.declared('p', self.model.properties.len())?;
        let name = self.string()?;
        let kind = self.worded("a kind of property")?;
        let sections = self.sections(&["local", "param", "value", "ref", "condition"])?;
        let condition = self.required(sections.condition, "condition")?;
        let locals = std::mem::take(&mut self.locals);
        self.model.properties.push(Property { name, kind, binders: sections.binders, locals, condition, span });
        Ok(())
    }

    /// The lists in a declaration with locals; `locals` takes the locals among them.
    fn sections(&mut self, allowed: &[&str]) -> Parsed<Sections> {
        let mut sections = Sections::default();
        while self.accept(&Token::Open)? {
            let Token::Word(word) = self.token else { return self.unexpected("a section") };
            if !allowed.contains(&word) {
                return self.unexpected(&format!("one of {}", allowed.join(", ")));
            }
            self.advance()?;
            match word {
                "local" => self.local()?,
                "params" => sections.n_params = Some(self.count()?),
                "result" => sections.result = Some(self.ty()?),
                "priority" => sections.priority = Some(self.int()?),
                "by" => sections.owners.push(self.owner()?),
                "guard" | "condition" => sections.condition = Some(self.expr()?),
                "do" => sections.action = Some(self.block()?),
                _ => sections.binders.push(self.binder(word)?),
            }
            self.expect(&Token::Close)?;
        }
        Ok(sections)
    }

    fn owner(&mut self) -> Parsed<Owner> {
        let global = self.id('g', GlobalId)?;
        let member = match self.peek_id('l') {
            Some(_) => Some(self.id('l', LocalId)?),
            None => None,
        };
        Ok(Owner { global, member })
    }

    fn required<T>(&self, section: Option<T>, word: &str) -> Parsed<T> {
        section.map_or_else(|| self.fail(format!("the list `({word} …)` is missing")), Ok)
    }

    fn local(&mut self) -> Parsed<()> {
        let span = self.span()?;
        self.declared('l', self.locals.len())?;
        let name = self.string()?;
        let ty = self.ty()?;
        let mode = if self.accept(&Token::Word("ref"))? {
            LocalMode::Reference
        } else if self.accept(&Token::Word("slot"))? {
            LocalMode::Slot
        } else {
            LocalMode::Owned
        };
        self.locals.push(Local { name, ty, mode, span });
        Ok(())
    }

    fn binder(&mut self, word: &str) -> Parsed<Binder> {
        let local = self.local_id()?;
        Ok(match word {
            "param" => Binder::Param { local, domain: self.domain()? },
            "value" => Binder::Value { local, source: self.operand()? },
            _ => Binder::Reference { local, place: self.place()? },
        })
    }
}
