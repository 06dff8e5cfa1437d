//! Texts as lists of tokens: enough of the lexer to change a model without knowing the language.

/// Words that begin something that `end` ends.
const OPENERS: [&str; 12] =
    ["begin", "if", "for", "while", "switch", "alias", "ruleset", "choose", "forall", "exists", "record", "quantify"];

/// The tokens of a text; comments are left out.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        } else if let Some(string) = rest.strip_prefix('"') {
            string.find('"').map_or(rest.len(), |end| end + 2)
        } else {
            length(rest)
        };
        if !rest[..length].trim().is_empty() {
            all.push(rest[..length].to_owned());
        }
        at += length;
    }
    all
}

/// The length of the token, or of the white space, that a text begins with.
fn length(rest: &str) -> usize {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    if rest.starts_with(is_word) {
        return rest.find(|it| !is_word(it)).unwrap_or(rest.len());
    }
    let long = ["==>", ":=", "!=", "<=", ">=", "->", "<<", ">>", "..", "==", "&&", "||"];
    long.iter().find(|it| rest.starts_with(**it)).map_or(first, |it| it.len())
}

/// A text made of tokens, one statement on a line.
pub(super) fn join(tokens: &[String]) -> String {
    let mut text = String::new();
    let heads = ["var", "type", "function", "procedure", "startstate", "ruleset", "rule", "invariant", "cover"];
    for token in tokens {
        if is_one_of(token, &heads) && text.ends_with(' ') {
            text.pop();
            text.push('\n');
        }
        text.push_str(token);
        text.push(if token == ";" || token == "begin" { '\n' } else { ' ' });
    }
    text
}

/// How a token changes the nesting.
pub(super) fn nesting(tokens: &[String], at: usize) -> i32 {
    let word = tokens[at].to_ascii_lowercase();
    if word.starts_with("end") && word.chars().all(|it| it.is_ascii_alphabetic()) {
        return -1;
    }
    // `rule … ==> begin` opens once, at `begin`; the short form opens at the arrow.
    let short_rule =
        word == "==>" && !tokens.get(at + 1).is_some_and(|next| is_one_of(next, &["begin", "var", "type", "const"]));
    i32::from(short_rule || OPENERS.contains(&word.as_str()))
}

pub(super) fn is_one_of(token: &str, words: &[&str]) -> bool {
    words.iter().any(|word| token.eq_ignore_ascii_case(word))
}

/// Pieces of a text that end in a semicolon and are balanced: statements, declarations, rules, properties. The longest
/// come first.
pub(super) fn pieces(tokens: &[String]) -> Vec<std::ops::Range<usize>> {
    let mut all = Vec::new();
    // For each open level, where the piece at hand begins.
    let mut begins = vec![0];
    for at in 0..tokens.len() {
        match nesting(tokens, at) {
            1 => begins.push(at + 1),
            -1 if begins.len() > 1 => {
                begins.pop();
            }
            _ => {}
        }
        let level = begins.len() - 1;
        if tokens[at] == ";" {
            all.push(begins[level]..at + 1);
            begins[level] = at + 1;
        } else if is_one_of(&tokens[at], &["do", "then", "else", "type", "var", "const"]) {
            begins[level] = at + 1;
        }
    }
    all.retain(|piece| !piece.is_empty());
    all.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    all
}
