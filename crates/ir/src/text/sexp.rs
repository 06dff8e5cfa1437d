//! Nested lists of atoms, and how they are broken into lines.

/// Lines are broken so that they do not exceed this many characters, where there is a place to break them.
const MAX_COLUMNS: usize = 110;

const INDENT: usize = 2;

/// A piece of text: an atom, which stays on one line, or a list in parentheses.
#[derive(Debug, Clone)]
pub(super) enum Sexp {
    Atom(String),
    List {
        items: Vec<Self>,
        /// Characters of the list on one line.
        width: usize,
        breaking: Breaking,
    },
}

/// When a list goes over several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaking {
    /// When it does not fit into one: its head and the atoms after the head stay on the first line.
    IfLong,
    /// Always: so many items stay on the first line, and each statement or declaration has a line of its own.
    After(usize),
}

impl Sexp {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::broken(items, Breaking::IfLong)
    }

    pub(super) fn broken(items: Vec<Self>, breaking: Breaking) -> Self {
        let width = items.iter().map(|item| item.width() + 1).sum::<usize>() + 1;
        let breaking = match breaking {
            Breaking::IfLong if items.iter().any(Self::must_break) => Breaking::After(n_leading_atoms(&items)),
            _ => breaking,
        };
        Self::List { items, width, breaking }
    }

    fn width(&self) -> usize {
        match self {
            Self::Atom(text) => text.chars().count(),
            Self::List { width, .. } => *width,
        }
    }

    fn must_break(&self) -> bool {
        matches!(self, Self::List { breaking: Breaking::After(_), .. })
    }

    /// On one line.
    pub(super) fn flat(&self) -> String {
        let mut out = String::with_capacity(self.width());
        self.write_flat(&mut out);
        out
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Self::Atom(text) => out.push_str(text),
            Self::List { items, .. } => {
                out.push('(');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(' ');
                    }
                    item.write_flat(out);
                }
                out.push(')');
            }
        }
    }

    /// Over as many lines as it takes, without a final line break.
    pub(super) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(&mut out, 0);
        out
    }

    fn write_pretty(&self, out: &mut String, column: usize) {
        match self {
            Self::List { items, breaking: Breaking::After(n_first), .. } => write_broken(out, items, *n_first, column),
            Self::List { items, width, .. } if column + width > MAX_COLUMNS => {
                write_broken(out, items, n_leading_atoms(items), column);
            }
            _ => self.write_flat(out),
        }
    }
}

/// The head of a list and the atoms that follow it.
fn n_leading_atoms(items: &[Sexp]) -> usize {
    items.iter().take_while(|item| matches!(item, Sexp::Atom(_))).count().max(1)
}

/// Writes a list at column `column`, the first `n_first` items on one line and each later one on a line of its own.
fn write_broken(out: &mut String, items: &[Sexp], n_first: usize, column: usize) {
    out.push('(');
    let mut reached = column + 1;
    for (at, item) in items.iter().enumerate() {
        if at >= n_first {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', column + INDENT));
            reached = column + INDENT;
        } else if at > 0 {
            out.push(' ');
            reached += 1;
        }
        item.write_pretty(out, reached);
        reached += item.width();
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Sexp {
        Sexp::list(words.iter().map(|&word| Sexp::atom(word)).collect())
    }

    #[test]
    fn a_short_list_stays_on_one_line() {
        let nested = Sexp::list(vec![Sexp::atom("assign"), list(&["a", "b"]), Sexp::atom("c")]);
        assert_eq!(nested.pretty(), "(assign (a b) c)");
    }

    #[test]
    fn a_broken_list_keeps_its_head_on_the_first_line() {
        let items = vec![Sexp::atom("do"), Sexp::atom("x"), list(&["a"]), list(&["b"])];
        assert_eq!(Sexp::broken(items, Breaking::After(2)).pretty(), "(do x\n  (a)\n  (b))");
    }

    #[test]
    fn a_long_list_is_broken() {
        let long = "w".repeat(60);
        let nested = Sexp::list(vec![Sexp::atom("and"), list(&[&long]), list(&[&long])]);
        assert_eq!(nested.pretty(), format!("(and\n  ({long})\n  ({long}))"));
    }
}
