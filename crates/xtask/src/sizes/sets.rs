//! The number in a model's text that says how large its largest set of identities is, and the text with another one.
//!
//! Text is searched, not parsed: `NAME: scalarset(EXPRESSION)` outside comments, where the expression is a number or
//! has a constant that is declared as a number.

use std::ops::Range;

/// A set of identities whose size stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SizedSet {
    /// The set's name.
    pub(super) name: String,
    /// What its size is written with: a constant's value, or the size itself.
    pub(super) size: u32,
    place: Range<usize>,
}

impl SizedSet {
    /// The set written with the largest number, the first of several.
    pub(super) fn largest(text: &str) -> Option<Self> {
        let code = without_comments(text);
        let sets = words(&code).filter(|word| code[word.clone()].eq_ignore_ascii_case("scalarset"));
        let mut largest: Option<Self> = None;
        for set in sets.filter_map(|keyword| Self::declared(&code, keyword)) {
            if largest.as_ref().is_none_or(|it| set.size > it.size) {
                largest = Some(set);
            }
        }
        largest
    }

    fn declared(code: &str, keyword: Range<usize>) -> Option<Self> {
        let before = code[..keyword.start].trim_end().strip_suffix(':')?.trim_end();
        let name = before[before.rfind(|it: char| !is_word(it)).map_or(0, |at| at + 1)..].to_owned();
        let open = keyword.end + code[keyword.end..].find('(')?;
        let close = open + code[open..].find(')')?;
        let word = words(&code[open..close]).next()?;
        let word = open + word.start..open + word.end;
        let place = if code[word.clone()].parse::<u32>().is_ok() { word } else { constant(code, &code[word])? };
        Some(Self { name, size: code[place.clone()].parse().ok()?, place })
    }

    /// The text with the set so much larger.
    pub(super) fn enlarged(&self, text: &str, by: u32) -> String {
        format!("{}{}{}", &text[..self.place.start], self.size + by, &text[self.place.end..])
    }
}

/// Where the number in `NAME: NUMBER;` is.
fn constant(code: &str, name: &str) -> Option<Range<usize>> {
    words(code).filter(|word| code[word.clone()].eq_ignore_ascii_case(name)).find_map(|word| {
        let value = code[word.end..].trim_start().strip_prefix(':')?.trim_start();
        let start = code.len() - value.len();
        let number = start..start + value.find(|it: char| !is_word(it))?;
        let ends = value[number.len()..].trim_start().starts_with(';');
        (ends && code[number.clone()].parse::<u32>().is_ok()).then_some(number)
    })
}

fn is_word(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// Identifiers and numbers.
fn words(code: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + code[at..].find(is_word)?;
        let end = code[start..].find(|it| !is_word(it)).map_or(code.len(), |length| start + length);
        at = end;
        Some(start..end)
    })
}

/// The text with a space for each byte of a comment.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = ["--", "/*"].iter().filter_map(|mark| rest.find(mark)).min() {
        let end = match rest[begin..].starts_with("--") {
            true => rest[begin..].find('\n'),
            false => rest[begin..].find("*/").map(|length| length + 2),
        };
        let end = end.map_or(rest.len(), |length| begin + length);
        code.push_str(&rest[..begin]);
        code.extend(std::iter::repeat_n(' ', end - begin));
        rest = &rest[end..];
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_behind_a_set_is_changed() {
        let text = "const -- N: 9;\n N : 3; /* N: 4; */ M: 2;\ntype P: Scalarset (N + 1); Q: scalarset(M);\n";
        let set = SizedSet::largest(text).expect("there are two");
        assert_eq!((set.name.as_str(), set.size), ("P", 3));
        assert_eq!(set.enlarged(text, 2), text.replace("N : 3", "N : 5"));
    }

    #[test]
    fn a_size_may_stand_in_the_declaration() {
        let text = "type P: scalarset(3); Q: scalarset(4);";
        let set = SizedSet::largest(text).expect("there are two");
        assert_eq!(set.enlarged(text, 1), "type P: scalarset(3); Q: scalarset(5);");
        assert_eq!(SizedSet::largest("var x: boolean; -- scalarset(3)"), None);
    }
}
