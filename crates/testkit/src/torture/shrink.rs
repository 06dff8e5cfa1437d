//! Making a text small that shows something.

use std::ops::Range;

use super::token::{join, pieces, tokens};

/// A smaller text for which `shows` is still true. Comments in front that say how the text is run are kept.
pub fn shrink_text(text: &str, mut shows: impl FnMut(&str) -> bool) -> String {
    let marks: String =
        text.lines().filter(|line| line.trim().starts_with("-- torture:")).map(|line| format!("{line}\n")).collect();
    let mut shrinker =
        Shrinker { tokens: tokens(text), shows: |tokens: &[String]| shows(&format!("{marks}{}", join(tokens))) };
    let whole = shrinker.tokens.clone();
    if !(shrinker.shows)(&whole) {
        return text.to_owned();
    }
    loop {
        let before = shrinker.tokens.len();
        shrinker.drop_pieces();
        shrinker.drop_operands();
        shrinker.drop_windows();
        if shrinker.tokens.len() == before {
            return format!("{marks}{}", join(&shrinker.tokens));
        }
    }
}

struct Shrinker<F> {
    tokens: Vec<String>,
    shows: F,
}

impl<F: FnMut(&[String]) -> bool> Shrinker<F> {
    /// Takes a part out, or puts something in its place, if the rest still shows it.
    fn replace(&mut self, range: Range<usize>, with: &[&str]) -> bool {
        let mut candidate = self.tokens.clone();
        candidate.splice(range, with.iter().map(|&it| it.to_owned()));
        let is_good = (self.shows)(&candidate);
        if is_good {
            self.tokens = candidate;
        }
        is_good
    }

    /// Statements, declarations, rules, properties.
    fn drop_pieces(&mut self) {
        let mut number = 0;
        loop {
            let all = pieces(&self.tokens);
            let Some(piece) = all.get(number).cloned() else { return };
            if !self.replace(piece, &[]) {
                number += 1;
            }
        }
    }

    /// What stands in parentheses.
    fn drop_operands(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.tokens[at] == "("
                && let Some(end) = self.closing(at)
            {
                let _ = self.replace(at..end + 1, &["true"]) || self.replace(at..end + 1, &["0"]);
            }
            at += 1;
        }
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Any few tokens.
    fn drop_windows(&mut self) {
        for width in [6, 4, 3, 2, 1] {
            let mut at = 0;
            while at + width <= self.tokens.len() {
                let is_separator = width == 1 && self.tokens[at] == ";";
                if is_separator || !self.replace(at..at + width, &[]) {
                    at += 1;
                }
            }
        }
    }
}
