//! Smaller formulas with the same meaning.
//!
//! After Somenzi and Bloem, *Efficient Büchi automata from LTL formulae* (CAV 2000), and Babiak and others, *LTL to Büchi
//! automata translation: fast and more deterministic* (TACAS 2012). A formula is *eventual* if a path satisfies it whenever
//! one of its suffixes does, *universal* if all suffixes satisfy it whenever the path does, *suspendable* if both: then it
//! does not depend on any finite beginning, so it may leave the scope of every temporal operator.

use rustc_hash::FxHashMap;

use super::{Linear, LinearId, Node};

impl Linear {
    /// An equivalent formula, usually smaller, with fewer untils, or with less under each.
    pub fn simplify(&mut self, id: LinearId) -> LinearId {
        let mut id = id;
        loop {
            let simpler = Simplifier { store: self, done: FxHashMap::default() }.simplify(id);
            if simpler == id {
                return id;
            }
            id = simpler;
        }
    }

    /// Whether a path satisfies it whenever one of its suffixes does.
    fn is_eventual(&self, id: LinearId) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::Next(f) => self.is_eventual(*f),
            Node::And(fs) | Node::Or(fs) => fs.iter().all(|&f| self.is_eventual(f)),
            Node::Until(f, g) => *self.node(*f) == Node::True || self.is_eventual(*g),
            // Always of what is eventual is eventual: a suffix satisfies it, hence so does everything before.
            Node::Release(f, g) => self.is_eventual(*g) && (*self.node(*f) == Node::False || self.is_eventual(*f)),
        }
    }

    /// Whether all suffixes satisfy it whenever the path does.
    fn is_universal(&self, id: LinearId) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::Next(f) => self.is_universal(*f),
            Node::And(fs) | Node::Or(fs) => fs.iter().all(|&f| self.is_universal(f)),
            Node::Until(f, g) => self.is_universal(*g) && (*self.node(*f) == Node::True || self.is_universal(*f)),
            Node::Release(f, g) => *self.node(*f) == Node::False || self.is_universal(*g),
        }
    }

    fn is_suspendable(&self, id: LinearId) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// Whether every path of `a` is one of `b`, as far as the shape of the two shows it.
    fn implies(&self, a: LinearId, b: LinearId) -> bool {
        if a == b {
            return true;
        }
        match (self.node(a), self.node(b)) {
            (Node::False, _) | (_, Node::True) => true,
            (Node::Or(parts), _) => parts.iter().all(|&part| self.implies(part, b)),
            (_, Node::And(parts)) => parts.iter().all(|&part| self.implies(a, part)),
            (Node::Next(f), Node::Next(g)) => self.implies(*f, *g),
            (node, other) => self.implies_left(node, b) || self.implies_right(a, node, other),
        }
    }

    /// By what `a` consists of.
    fn implies_left(&self, a: &Node, b: LinearId) -> bool {
        match a {
            Node::And(parts) => parts.iter().any(|&part| self.implies(part, b)),
            // f until g gives f or g now; f release g gives g now.
            Node::Until(f, g) => self.implies(*f, b) && self.implies(*g, b),
            Node::Release(_, g) => self.implies(*g, b),
            _ => false,
        }
    }

    /// By what `b` consists of.
    fn implies_right(&self, a: LinearId, a_node: &Node, b: &Node) -> bool {
        match b {
            Node::Or(parts) => parts.iter().any(|&part| self.implies(a, part)),
            Node::Until(f, g) => {
                self.implies(a, *g)
                    || matches!(a_node, Node::Until(f0, g0) if self.implies(*f0, *f) && self.implies(*g0, *g))
            }
            Node::Release(f, g) => {
                (self.implies(a, *f) && self.implies(a, *g))
                    || matches!(a_node, Node::Release(f0, g0) if self.implies(*f0, *f) && self.implies(*g0, *g))
            }
            _ => false,
        }
    }
}

struct Simplifier<'a> {
    store: &'a mut Linear,
    done: FxHashMap<LinearId, LinearId>,
}

impl Simplifier<'_> {
    fn simplify(&mut self, id: LinearId) -> LinearId {
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let simpler = match self.store.node(id).clone() {
            Node::True | Node::False | Node::Literal(..) => id,
            Node::Next(f) => {
                let f = self.simplify(f);
                self.next(f)
            }
            Node::And(parts) => {
                let parts = parts.iter().map(|&part| self.simplify(part)).collect();
                self.join(parts, true)
            }
            Node::Or(parts) => {
                let parts = parts.iter().map(|&part| self.simplify(part)).collect();
                self.join(parts, false)
            }
            Node::Until(f, g) => {
                let (f, g) = (self.simplify(f), self.simplify(g));
                self.until(f, g)
            }
            Node::Release(f, g) => {
                let (f, g) = (self.simplify(f), self.simplify(g));
                self.release(f, g)
            }
        };
        self.done.insert(id, simpler);
        simpler
    }

    fn next(&mut self, f: LinearId) -> LinearId {
        if self.store.is_suspendable(f) {
            return f;
        }
        self.lift(f, true, &mut |this, rest| this.store.next(rest))
            .or_else(|| self.lift(f, false, &mut |this, rest| this.store.next(rest)))
            .unwrap_or_else(|| self.store.next(f))
    }

    /// Takes the suspendable parts of a conjunction or disjunction out of an operator that is `wrap` of the rest.
    fn lift(
        &mut self,
        f: LinearId,
        all: bool,
        wrap: &mut dyn FnMut(&mut Self, LinearId) -> LinearId,
    ) -> Option<LinearId> {
        let parts = match self.store.node(f) {
            Node::And(parts) if all => parts.clone(),
            Node::Or(parts) if !all => parts.clone(),
            _ => return None,
        };
        let (outside, inside): (Vec<_>, Vec<_>) = parts.iter().partition(|&&part| self.store.is_suspendable(part));
        if outside.is_empty() {
            return None;
        }
        let rest = if all { self.store.and(inside) } else { self.store.or(inside) };
        let wrapped = wrap(self, rest);
        let all_parts = outside.into_iter().chain([wrapped]);
        Some(if all { self.store.and(all_parts) } else { self.store.or(all_parts) })
    }

    fn until(&mut self, f: LinearId, g: LinearId) -> LinearId {
        if self.store.is_eventual(g) || self.store.implies(f, g) {
            return g;
        }
        if let (Node::Next(f), Node::Next(g)) = (self.store.node(f).clone(), self.store.node(g).clone()) {
            let inner = self.until(f, g);
            return self.next(inner);
        }
        if let (Node::True, Node::Next(g)) = (self.store.node(f).clone(), self.store.node(g).clone()) {
            let inner = self.until(f, g);
            return self.next(inner);
        }
        // f until (f until g) is f until g; also with a weaker f inside under `true`.
        if let Node::Until(inner_f, inner_g) = *self.store.node(g)
            && (inner_f == f || (*self.store.node(f) == Node::True && self.store.implies(inner_f, f)))
        {
            return self.until(f, inner_g);
        }
        self.lift(g, true, &mut |this, rest| this.until(f, rest)).unwrap_or_else(|| self.store.until(f, g))
    }

    fn release(&mut self, f: LinearId, g: LinearId) -> LinearId {
        if self.store.is_universal(g) || self.store.implies(g, f) {
            return g;
        }
        if let (Node::Next(f), Node::Next(g)) = (self.store.node(f).clone(), self.store.node(g).clone()) {
            let inner = self.release(f, g);
            return self.next(inner);
        }
        if let (Node::False, Node::Next(g)) = (self.store.node(f).clone(), self.store.node(g).clone()) {
            let inner = self.release(f, g);
            return self.next(inner);
        }
        if let Node::Release(inner_f, inner_g) = *self.store.node(g)
            && (inner_f == f || *self.store.node(f) == Node::False)
        {
            return self.release(f, inner_g);
        }
        self.lift(g, false, &mut |this, rest| this.release(f, rest)).unwrap_or_else(|| self.store.release(f, g))
    }

    /// Conjunction (`all`) or disjunction: parts that others imply go, `G a & G b` is `G (a & b)`, `F a | F b` is `F (a | b)`.
    fn join(&mut self, parts: Vec<LinearId>, all: bool) -> LinearId {
        let joined = if all { self.store.and(parts) } else { self.store.or(parts) };
        let mut parts = match self.store.node(joined) {
            Node::And(parts) if all => parts.to_vec(),
            Node::Or(parts) if !all => parts.to_vec(),
            _ => return joined,
        };
        self.drop_implied(&mut parts, all);
        for depth in 1..=2 {
            parts = self.merge(&parts, all, depth);
        }
        if all { self.store.and(parts) } else { self.store.or(parts) }
    }

    /// Makes the parts that are `G`, or `F G` for depth two, of something one such part of everything; in a disjunction,
    /// those that are `F` or `G F`.
    fn merge(&mut self, parts: &[LinearId], all: bool, depth: usize) -> Vec<LinearId> {
        let (merged, mut rest): (Vec<_>, Vec<_>) =
            parts.iter().partition(|&&part| self.merged_part(part, all, depth).is_some());
        if merged.len() < 2 {
            return parts.to_vec();
        }
        let inner: Vec<_> = merged.iter().filter_map(|&part| self.merged_part(part, all, depth)).collect();
        let mut joined = self.join(inner, all);
        for level in 0..depth {
            joined = if all == (level == 0) {
                let no = self.store.constant(false);
                self.release(no, joined)
            } else {
                let yes = self.store.constant(true);
                self.until(yes, joined)
            };
        }
        rest.push(joined);
        rest
    }

    /// What is under `G` in a conjunction, under `F` in a disjunction; for depth two under `F G` or `G F`.
    fn merged_part(&self, part: LinearId, all: bool, depth: usize) -> Option<LinearId> {
        let inside = match *self.store.node(part) {
            Node::Release(f, g) if all == (depth == 1) && *self.store.node(f) == Node::False => g,
            Node::Until(f, g) if all != (depth == 1) && *self.store.node(f) == Node::True => g,
            _ => return None,
        };
        if depth == 1 { Some(inside) } else { self.merged_part(inside, all, 1) }
    }

    fn drop_implied(&self, parts: &mut Vec<LinearId>, all: bool) {
        let mut at = 0;
        while at < parts.len() {
            let part = parts[at];
            let is_implied = parts.iter().enumerate().any(|(other_at, &other)| {
                let (stronger, weaker) = if all { (other, part) } else { (part, other) };
                other_at != at && self.store.implies(stronger, weaker)
            });
            if is_implied {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::text::parse_words;

    fn simplified(store: &mut Linear, text: &str) -> LinearId {
        let mut number = |p: &String| u32::from(p.as_bytes()[0]);
        let id = store.normal_form(&parse_words(text), true, &mut number).unwrap();
        store.simplify(id)
    }

    fn check(text: &str, expected: &str) {
        let mut store = Linear::new();
        let mut number = |p: &String| u32::from(p.as_bytes()[0]);
        let simple = simplified(&mut store, text);
        let expected = store.normal_form(&parse_words(expected), true, &mut number).unwrap();
        assert_eq!(simple, expected, "{text}");
    }

    #[test]
    fn repeated_operators_collapse() {
        check("F F a", "F a");
        check("G G a", "G a");
        check("G F G a", "F G a");
        check("F G F a", "G F a");
        check("X G F a", "G F a");
        check("a U (a U b)", "a U b");
        check("a U G F b", "G F b");
    }

    #[test]
    fn suspendable_parts_move_out() {
        check("F (a & G F b)", "F a & G F b");
        check("G (a | F G b)", "G a | F G b");
        check("X (a & G F b)", "X a & G F b");
    }

    #[test]
    fn implied_parts_go() {
        check("a & F a", "a");
        check("a | F a", "F a");
        check("G a & F a", "G a");
        check("F a | F b", "F (a | b)");
        check("G a & G b", "G (a & b)");
        check("G F a | G F b", "G F (a | b)");
    }
}
