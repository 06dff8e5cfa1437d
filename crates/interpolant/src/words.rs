//! Facts and renamings in the model's own words.

use burnside_ir::{BinaryOp, Type, TypeId, UNDEFINED};

use crate::eval::Renaming;
use crate::products::Product;
use crate::setup::Setup;
use crate::term::{AddressId, Node, Term, Terms};

/// Says what terms mean.
pub(crate) struct Words<'a, 'm> {
    pub(crate) setup: &'a Setup<'m>,
    pub(crate) terms: &'a Terms,
}

impl Words<'_, '_> {
    /// The names that a renaming changes, with what they become.
    pub(crate) fn renaming(&self, renaming: &Renaming) -> Vec<(String, String)> {
        let mut changed = Vec::new();
        for (class, images) in renaming.iter().enumerate() {
            for (from, &to) in images.iter().enumerate() {
                if from as u32 != to {
                    changed.push((self.name(class as u32, from as u32), self.name(class as u32, to)));
                }
            }
        }
        changed
    }

    /// A fact as a sentence.
    pub(crate) fn fact(&self, fact: Term) -> String {
        self.say(fact)
    }

    fn name(&self, class: u32, index: u32) -> String {
        let class = &self.setup.names.classes[class as usize];
        self.setup.model().types.value_name(class.ty, class.lo + i64::from(index))
    }

    fn say(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Const(UNDEFINED) => "undefined".to_owned(),
            Node::Const(value) => value.to_string(),
            Node::Name { class, index } => self.name(*class, *index),
            Node::Parameter { lo, hi, .. } => format!("({lo}..{hi})"),
            Node::Load(address) => self.place(*address),
            Node::Sum { products, constant } => self.sum(&products.to_vec(), *constant),
            Node::Apply(BinaryOp::Gt, left, right) => format!("sign({} - {})", self.say(*left), self.say(*right)),
            Node::Apply(op, left, right) => format!("({} {} {})", self.say(*left), operator(*op), self.say(*right)),
            Node::Defined(inner) | Node::Within(inner, ..) => self.say(*inner),
            Node::AtMost { products, bound } => self.relation(&products.to_vec(), "<=", ">=", *bound),
            Node::Equals { products, value } => self.relation(&products.to_vec(), "=", "=", *value),
            Node::Not(inner) => match self.terms.node(*inner) {
                Node::Equals { products, value } => self.relation(&products.to_vec(), "!=", "!=", *value),
                Node::Same(left, right) => format!("{} != {}", self.say(*left), self.say(*right)),
                Node::Load(address) if !self.is_truth(*address) => format!("{} = 0", self.place(*address)),
                _ => format!("!({})", self.say(*inner)),
            },
            Node::All { parts, .. } => self.joined(parts, " & "),
            Node::Any { parts, .. } => self.joined(parts, " | "),
            Node::Choice(condition, yes, no) => {
                format!("({} ? {} : {})", self.say(*condition), self.say(*yes), self.say(*no))
            }
            Node::Same(left, right) => format!("{} = {}", self.say(*left), self.say(*right)),
            Node::Among(inner, lo, hi) => format!("{} in {lo}..{hi}", self.say(*inner)),
            Node::Evaluates(inner) => format!("{} is no fault", self.say(*inner)),
        }
    }

    fn joined(&self, parts: &[Term], between: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|&part| format!("({})", self.say(part))).collect();
        parts.join(between)
    }

    /// `x + y <= 3`, with everything that is taken away on the other side.
    fn relation(&self, products: &[Product], sign: &str, turned: &str, value: i64) -> String {
        let (left, right): (Vec<Product>, Vec<Product>) = products.iter().partition(|&&(_, factor)| factor > 0);
        let right: Vec<Product> = right.into_iter().map(|(term, factor)| (term, -factor)).collect();
        if let ([(term, 1)], []) = (&left[..], &right[..])
            && let Some(name) = self.value_name(*term, value)
        {
            return format!("{} {sign} {name}", self.say(*term));
        }
        if left.is_empty() {
            return format!("{} {turned} {}", self.sum(&right, 0), -value);
        }
        match (right.is_empty(), value) {
            (true, _) => format!("{} {sign} {value}", self.sum(&left, 0)),
            (false, value) => format!("{} {sign} {}", self.sum(&left, 0), self.sum(&right, value)),
        }
    }

    /// A value as the type of what it is compared with calls it.
    fn value_name(&self, term: Term, value: i64) -> Option<String> {
        let term = match self.terms.node(term) {
            Node::Defined(inner) => *inner,
            _ => term,
        };
        let Node::Load(address) = self.terms.node(term) else { return None };
        let ty = self.terms.address(*address).ty;
        let types = &self.setup.model().types;
        types.shape(ty).admits(value).then(|| types.value_name(ty, value))
    }

    fn sum(&self, products: &[Product], constant: i64) -> String {
        let mut text = String::new();
        let runs = self.runs(products);
        for (words, factor) in &runs {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += sign;
            match factor.unsigned_abs() {
                1 => text += words,
                times => text += &format!("{times} * {words}"),
            }
        }
        match constant {
            0 if !text.is_empty() => text,
            _ if text.is_empty() => constant.to_string(),
            _ if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            _ => format!("{text} + {constant}"),
        }
    }

    /// Products in words: what is stored first, then names; many names in a row as their first and last.
    fn runs(&self, products: &[Product]) -> Vec<(String, i64)> {
        let is_name = |product: &&Product| matches!(self.terms.node(product.0), Node::Name { .. });
        let (names, others): (Vec<&Product>, Vec<&Product>) = products.iter().partition(is_name);
        let mut words: Vec<(String, i64)> = others.iter().map(|&&(term, factor)| (self.say(term), factor)).collect();
        let mut names: Vec<(u32, u32, i64)> = names
            .iter()
            .filter_map(|&&(term, factor)| match self.terms.node(term) {
                Node::Name { class, index } => Some((*class, *index, factor)),
                _ => None,
            })
            .collect();
        names.sort_unstable();
        let mut at = 0;
        while at < names.len() {
            let (class, first, factor) = names[at];
            let follows = |step: usize| names.get(at + step) == Some(&(class, first + step as u32, factor));
            let n_names = (1..).take_while(|&step| follows(step)).count() + 1;
            if n_names > 3 {
                let last = first + n_names as u32 - 1;
                words.push((format!("({} + ... + {})", self.name(class, first), self.name(class, last)), factor));
                at += n_names;
            } else {
                words.push((self.name(class, first), factor));
                at += 1;
            }
        }
        words
    }

    fn is_truth(&self, address: AddressId) -> bool {
        matches!(self.setup.model().types.get(self.terms.address(address).ty), Type::Bool)
    }

    /// A place with its indices as terms.
    fn place(&self, address: AddressId) -> String {
        let address = self.terms.address(address);
        let (model, layout) = (self.setup.model(), self.setup.task.layout);
        let globals = (0..).map(burnside_ir::GlobalId).zip(&model.globals);
        let Some((id, global)) = globals.take_while(|(id, _)| layout.global(*id) <= address.offset).last() else {
            return format!("slot {}", address.offset);
        };
        let mut text = global.name.clone();
        let indices: Vec<String> = address.indices.iter().map(|index| self.say(index.term)).collect();
        self.part(global.ty, address.offset - layout.global(id), &indices, &mut text);
        text
    }

    fn part(&self, ty: TypeId, offset: u32, indices: &[String], text: &mut String) {
        let types = &self.setup.model().types;
        match types.get(ty) {
            &Type::Array { element, .. } => {
                if let Some((index, rest)) = indices.split_first() {
                    *text += &format!("[{index}]");
                    self.part(element, offset, rest, text);
                }
            }
            Type::Record { fields } => {
                let mut rest = offset;
                for field in fields {
                    let n_slots = types.shape(field.ty).n_slots;
                    if rest < n_slots {
                        *text += &format!(".{}", field.name);
                        return self.part(field.ty, rest, indices, text);
                    }
                    rest -= n_slots;
                }
            }
            _ => {}
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Implies => "->",
    }
}
