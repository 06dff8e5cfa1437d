//! A source file with all its mutants inside, each behind its number.

use std::ops::Range;

use crate::site::{Change, Site};

/// A place with the number of its first mutant.
pub(crate) struct Numbered<'s> {
    pub(crate) site: &'s Site,
    pub(crate) first: u32,
}

/// The new text, and where in it each place is now.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    pub(crate) ranges: Vec<Range<usize>>,
}

/// One change of the text; those at the same byte stand in the order of `rank`.
struct Edit {
    range: Range<usize>,
    text: String,
    rank: (u8, isize),
    opens: Option<usize>,
    closes: Option<usize>,
}

/// Rewrites a file. Lines stay where they are.
pub(crate) fn rewrite(text: &str, sites: &[Numbered<'_>]) -> Rewritten {
    let mut edits: Vec<Edit> = sites.iter().enumerate().flat_map(|(at, it)| edits_of(at, it)).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.rank));
    let mut rewritten = Rewritten { text: String::new(), ranges: vec![0..0; sites.len()] };
    let mut done = 0;
    for edit in edits {
        rewritten.text.push_str(&text[done..edit.range.start]);
        if let Some(at) = edit.opens {
            rewritten.ranges[at].start = rewritten.text.len();
        }
        rewritten.text.push_str(&edit.text);
        if let Some(at) = edit.closes {
            rewritten.ranges[at].end = rewritten.text.len();
        }
        done = edit.range.end;
    }
    rewritten.text.push_str(&text[done..]);
    rewritten
}

fn edits_of(at: usize, Numbered { site, first: n }: &Numbered<'_>) -> Vec<Edit> {
    let s = "burnside_switch";
    let (open, middle, close) = match site.change {
        Change::Compare { call, .. } => (format!("{s}::{call}({n}, &("), "), &(", "))"),
        Change::Connect { .. } => {
            let wanted = format!("; if l__ != {s}::on({n}) {{ ");
            let flipped = format!("; if l__ == {s}::on({n}) {{ ");
            let is_and = site.change == Change::Connect { is_and: true };
            return three(
                at,
                site,
                "({ let l__: bool = ",
                &if is_and { wanted } else { flipped },
                " } else { l__ } })",
            );
        }
        Change::Negation => (format!("{s}::not({n}, "), "", ")"),
        Change::Sum { is_add } => (format!("{s}::{}({n}, ", if is_add { "add" } else { "sub" }), ", ", ")"),
        Change::SumAssign { is_add } => {
            (format!("{s}::{}_assign({n}, &mut (", if is_add { "add" } else { "sub" }), "), ", ")")
        }
        Change::Integer => (format!("{s}::int({n}, "), "", ")"),
        Change::Condition => (format!("{s}::flip({n}, "), "", ")"),
        Change::Guard => (format!("{s}::guard({n}, "), "", ")"),
        Change::Statement => (format!("if !{s}::on({n}) {{ "), "", " }"),
        Change::Return(values) => {
            let returns = values.iter().enumerate();
            let text: String = returns
                .map(|(i, value)| format!(" if {s}::pick({n}, {}) == {} {{ return {value}; }}", values.len(), i + 1))
                .collect();
            let rank = (2, at as isize);
            return vec![Edit { range: site.range.clone(), text, rank, opens: Some(at), closes: Some(at) }];
        }
    };
    three(at, site, &open, middle, close)
}

/// Text before, in place of the operator, and behind. At the same byte what closes comes before what opens; of those that
/// open the outer one comes first, of those that close the inner one. Places are numbered from the outside.
fn three(at: usize, site: &Site, open: &str, middle: &str, close: &str) -> Vec<Edit> {
    let Range { start, end } = site.range;
    let inner = at as isize;
    let mut edits = vec![
        Edit { range: start..start, text: open.to_owned(), rank: (1, inner), opens: Some(at), closes: None },
        Edit { range: end..end, text: close.to_owned(), rank: (0, -inner), opens: None, closes: Some(at) },
    ];
    if let Some(operator) = &site.operator {
        let rank = (2, inner);
        edits.push(Edit { range: operator.clone(), text: middle.to_owned(), rank, opens: None, closes: None });
    }
    edits
}
