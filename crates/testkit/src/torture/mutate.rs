//! Changes to a given model, by tokens and statements: many of the outcomes are models again.

use super::token::{is_one_of, join, nesting, pieces, tokens};

/// Words that are no names.
const WORDS: [&str; 46] = [
    "const",
    "type",
    "var",
    "begin",
    "end",
    "if",
    "then",
    "else",
    "elsif",
    "for",
    "do",
    "to",
    "by",
    "while",
    "switch",
    "case",
    "alias",
    "ruleset",
    "rule",
    "startstate",
    "invariant",
    "assert",
    "error",
    "put",
    "return",
    "function",
    "procedure",
    "forall",
    "exists",
    "true",
    "false",
    "undefined",
    "undefine",
    "clear",
    "record",
    "array",
    "of",
    "enum",
    "scalarset",
    "multiset",
    "union",
    "choose",
    "boolean",
    "isundefined",
    "cover",
    "liveness",
];

/// Operators that can stand for each other.
const FAMILIES: [&[&str]; 4] = [&["=", "!="], &["<", "<=", ">", ">="], &["&", "|", "->"], &["+", "-", "*", "%"]];

/// A changed model. `donors` give statements; constants are made small, so that there are few states.
pub fn mutate_text(seed: u64, text: &str, donors: &[String]) -> String {
    let mut mutator = Mutator { rng: fastrand::Rng::with_seed(seed), tokens: tokens(text), fresh: 0 };
    mutator.make_small();
    let n_changes = 1 + mutator.rng.u32(0..4);
    for _ in 0..n_changes {
        mutator.change(donors);
    }
    join(&mutator.tokens)
}

struct Mutator {
    rng: fastrand::Rng,
    tokens: Vec<String>,
    fresh: u32,
}

impl Mutator {
    fn one_of<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.rng.usize(0..from.len())].clone()) }
    }

    /// Where tokens are that satisfy something.
    fn places(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|&at| wanted(&self.tokens[at])).collect()
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.tokens.splice(at..at, tokens(text));
    }

    /// Constants of declarations and sizes of scalarsets, down to two or three.
    fn make_small(&mut self) {
        let is_number = |token: &String| token.bytes().all(|it| it.is_ascii_digit());
        for at in 2..self.tokens.len() {
            let is_constant = self.tokens[at - 1] == ":" && self.tokens.get(at + 1).is_some_and(|next| next == ";");
            let is_size = self.tokens[at - 1] == "(" && is_one_of(&self.tokens[at - 2], &["scalarset"]);
            if (is_constant || is_size) && is_number(&self.tokens[at]) && self.rng.u32(0..4) > 0 {
                let value: u64 = self.tokens[at].parse().unwrap_or(2);
                self.tokens[at] = value.min(2 + self.rng.u64(0..2)).to_string();
            }
        }
    }

    fn change(&mut self, donors: &[String]) {
        match self.rng.u32(0..20) {
            0..3 => self.swap_operator(),
            3 => self.change_number(),
            4..6 => self.rename(),
            6 => self.duplicate_statement(),
            7 => self.delete_statement(),
            8 => self.exchange_statements(),
            9..11 => self.forget(),
            11 => self.wrap_in_loop(),
            12 => self.wrap_in_alias(),
            13..16 => self.call_with_effect(),
            16 => self.change_word(),
            17 => self.shuffle_guard(),
            18 => self.borrow(donors),
            _ => self.change_type(),
        }
    }

    fn swap_operator(&mut self) {
        let places = self.places(|token| FAMILIES.iter().any(|family| family.contains(&token)));
        let Some(at) = self.one_of(&places) else { return };
        let family = FAMILIES.iter().find(|family| family.contains(&self.tokens[at].as_str()));
        if let Some(operator) = family.and_then(|family| self.one_of(family)) {
            operator.clone_into(&mut self.tokens[at]);
        }
    }

    fn change_number(&mut self) {
        let places = self.places(|token| token.bytes().all(|it| it.is_ascii_digit()));
        let Some(at) = self.one_of(&places) else { return };
        let value: i128 = self.tokens[at].parse().unwrap_or(0);
        let new = match self.rng.u32(0..4) {
            0 => 0,
            1 => value + 1,
            2 => (value - 1).max(0),
            _ => 1,
        };
        self.tokens[at] = new.to_string();
    }

    /// Puts another name in the place of a name that is used in the same way.
    fn rename(&mut self) {
        let places = self.places(is_name);
        let Some(at) = self.one_of(&places) else { return };
        let manner = |at: usize| self.tokens.get(at + 1).map(|next| matches!(next.as_str(), "[" | "(" | "." | ":"));
        let others: Vec<String> =
            places.iter().filter(|&&it| manner(it) == manner(at)).map(|&it| self.tokens[it].clone()).collect();
        if let Some(name) = self.one_of(&others) {
            self.tokens[at] = name;
        }
    }

    /// Simple statements: what stands between two semicolons, or a `begin`, and assigns or calls.
    fn statements(&self) -> Vec<std::ops::Range<usize>> {
        let is_simple = |piece: &std::ops::Range<usize>| {
            let tokens = &self.tokens[piece.clone()];
            let before = piece.start.checked_sub(1).map(|at| self.tokens[at].as_str());
            let follows = before.is_some_and(|it| is_one_of(it, &[";", "begin", "then", "do", "else"]));
            let assigns = tokens.iter().any(|token| token == ":=") || tokens.get(1).is_some_and(|token| token == "(");
            follows && assigns && is_name(&tokens[0]) && (piece.clone()).all(|at| nesting(&self.tokens, at) == 0)
        };
        pieces(&self.tokens).into_iter().filter(is_simple).collect()
    }

    fn duplicate_statement(&mut self) {
        let statements = self.statements();
        if let (Some(from), Some(to)) = (self.one_of(&statements), self.one_of(&statements)) {
            let copy = self.tokens[from].to_vec();
            self.tokens.splice(to.end..to.end, copy);
        }
    }

    fn delete_statement(&mut self) {
        let statements = self.statements();
        if let Some(statement) = self.one_of(&statements) {
            self.tokens.drain(statement);
        }
    }

    fn exchange_statements(&mut self) {
        let statements = self.statements();
        let (Some(one), Some(other)) = (self.one_of(&statements), self.one_of(&statements)) else { return };
        let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
        if first.end <= second.start {
            let (a, b) = (self.tokens[first.clone()].to_vec(), self.tokens[second.clone()].to_vec());
            self.tokens.splice(second, a);
            self.tokens.splice(first, b);
        }
    }

    /// The target of an assignment.
    fn target(&self, statement: &std::ops::Range<usize>) -> Option<String> {
        let length = self.tokens[statement.clone()].iter().position(|token| token == ":=")?;
        Some(self.tokens[statement.start..statement.start + length].join(" "))
    }

    /// Undefines what is assigned somewhere, before or after.
    fn forget(&mut self) {
        let statements = self.statements();
        let Some(statement) = self.one_of(&statements) else { return };
        let Some(target) = self.target(&statement) else { return };
        let word = if self.rng.u32(0..3) == 0 { "clear" } else { "undefine" };
        let at = if self.rng.bool() { statement.start } else { statement.end };
        self.insert(at, &format!("{word} {target};"));
    }

    /// The names of types one can loop over.
    fn index_types(&self) -> Vec<String> {
        let is_index = |at: &usize| {
            let next = |n: usize| self.tokens.get(at + n).map(|it| it.to_ascii_lowercase());
            next(1).as_deref() == Some(":")
                && (next(2).is_some_and(|it| it == "scalarset" || it == "enum")
                    // A loop over a long range takes long, and that is all there is to it.
                    || next(3).as_deref() == Some("..") && next(4).is_some_and(|end| end.len() <= 2))
        };
        self.places(is_name).into_iter().filter(is_index).map(|at| self.tokens[at].clone()).collect()
    }

    fn wrap_in_loop(&mut self) {
        let (statements, types) = (self.statements(), self.index_types());
        let (Some(statement), Some(ty)) = (self.one_of(&statements), self.one_of(&types)) else { return };
        self.fresh += 1;
        let name = format!("zz{}", self.fresh);
        self.insert(statement.end, "end;");
        self.insert(statement.start, &format!("for {name} : {ty} do"));
    }

    fn wrap_in_alias(&mut self) {
        let statements = self.statements();
        let Some(statement) = self.one_of(&statements) else { return };
        let Some(target) = self.target(&statement) else { return };
        self.fresh += 1;
        let name = format!("zz{}", self.fresh);
        let text = self.tokens[statement.clone()].join(" ");
        let Some((_, value)) = text.split_once(":=") else { return };
        let new = match self.rng.u32(0..2) {
            0 => format!("alias {name} : {} do {target} := {name}; end;", value.trim().trim_end_matches(';')),
            _ => format!("alias {name} : {target} do {name} := {value} end;"),
        };
        self.tokens.splice(statement, tokens(&new));
    }

    /// Where conditions begin.
    fn conditions(&self) -> Vec<usize> {
        let is_condition = |&at: &usize| {
            let before = &self.tokens[at - 1];
            let named = before.starts_with('"') && at > 1;
            is_one_of(before, &["if", "elsif", "while"])
                || named
                    && is_one_of(&self.tokens[at - 2], &["rule", "invariant"])
                    && !is_one_of(&self.tokens[at], &["begin", "var"])
        };
        (1..self.tokens.len()).filter(is_condition).collect()
    }

    /// A call of a function that assigns something, in front of a condition.
    fn call_with_effect(&mut self) {
        // What a start state assigns can be assigned anywhere.
        let Some(start) = self.places(|token| is_one_of(token, &["startstate"])).first().copied() else { return };
        let constant = |statement: &std::ops::Range<usize>| statement.start > start && statement.len() == 4;
        let assignments: Vec<_> = self.statements().into_iter().filter(constant).collect();
        let Some(assignment) = self.one_of(&assignments) else { return };
        let conditions = self.conditions();
        let Some(condition) = self.one_of(&conditions) else { return };
        self.fresh += 1;
        let name = format!("zf{}", self.fresh);
        let (effect, result) = (self.tokens[assignment].join(" "), if self.rng.bool() { "true" } else { "false" });
        let operator = if result == "true" { "&" } else { "|" };
        self.insert(condition, &format!("{name} ( ) {operator}"));
        let heads = ["procedure", "function", "startstate", "ruleset", "rule", "invariant", "choose", "alias"];
        let first = self.places(|token| is_one_of(token, &heads)).first().copied().unwrap_or(0);
        self.insert(first, &format!("function {name} ( ) : boolean; begin {effect} return {result}; end;"));
    }

    fn change_word(&mut self) {
        let families: [&[&str]; 3] =
            [&["forall", "exists"], &["invariant", "cover", "liveness", "assume"], &["true", "false"]];
        let places = self.places(|token| families.iter().any(|family| is_one_of(token, family)));
        let Some(at) = self.one_of(&places) else { return };
        let family = families.iter().find(|family| is_one_of(&self.tokens[at], family));
        if let Some(word) = family.and_then(|family| self.one_of(family)) {
            word.clone_into(&mut self.tokens[at]);
        }
    }

    /// Another order of the conjuncts of a guard.
    fn shuffle_guard(&mut self) {
        let rules = self.places(|token| token == "==>");
        let Some(arrow) = self.one_of(&rules) else { return };
        let Some(begin) = (0..arrow).rev().find(|&at| is_one_of(&self.tokens[at], &["rule"])) else { return };
        let begin = begin + 1 + usize::from(self.tokens[begin + 1].starts_with('"'));
        let mut parts: Vec<Vec<String>> = vec![Vec::new()];
        let mut depth = 0;
        for at in begin..arrow {
            let token = self.tokens[at].clone();
            depth += i32::from(token == "(") - i32::from(token == ")") + nesting(&self.tokens, at);
            if token == "&" && depth == 0 {
                parts.push(Vec::new());
            } else if let Some(last) = parts.last_mut() {
                last.push(token);
            }
        }
        self.rng.shuffle(&mut parts);
        let guard: Vec<String> = parts.join(&"&".to_owned());
        self.tokens.splice(begin..arrow, guard);
    }

    /// A statement of another model, in case the names fit.
    fn borrow(&mut self, donors: &[String]) {
        let Some(donor) = self.one_of(donors) else { return };
        let other = Self { rng: self.rng.fork(), tokens: tokens(&donor), fresh: 0 };
        let (theirs, ours) = (other.statements(), self.statements());
        if let (Some(from), Some(to)) = (self.one_of(&theirs), self.one_of(&ours)) {
            self.tokens.splice(to.end..to.end, other.tokens[from].to_vec());
        }
    }

    /// A scalarset becomes a range, or a range a scalarset.
    fn change_type(&mut self) {
        let places = self.places(|token| is_one_of(token, &["scalarset"]));
        if let Some(at) = self.one_of(&places)
            && let Some(close) = self.tokens[at..].iter().position(|token| token == ")")
        {
            let size = self.tokens[at + 2..at + close].join(" ");
            self.tokens.splice(at..at + close + 1, tokens(&format!("1 .. {size}")));
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|it: char| it.is_ascii_alphabetic()) && !is_one_of(token, &WORDS) && !token.starts_with("end")
}
