//! The text form of permutations: disjoint cycles such as `(1 3 2)(4 5)`.
//!
//! Text counts points from 1, as the papers and GAP do; everywhere else they count from 0. The identity is `()`. When
//! read, points may be separated by spaces or commas, and cycles of one point are allowed.

use std::fmt;

use crate::Permutation;

/// Why a text is not a permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CycleError {
    /// A character that cannot stand where it does, or the end of the text within a cycle; counted in bytes.
    Unexpected {
        /// Where in the text.
        offset: usize,
    },
    /// A point that is not among `1..=n`.
    OutOfRange {
        /// The point as written.
        point: usize,
    },
    /// A point in two places.
    Repeated {
        /// The point as written.
        point: usize,
    },
}

impl fmt::Display for CycleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CycleError::Unexpected { offset } => write!(f, "expected cycles such as `(1 3 2)(4 5)` at offset {offset}"),
            CycleError::OutOfRange { point } => write!(f, "point `{point}` is not a point of this degree"),
            CycleError::Repeated { point } => write!(f, "point `{point}` occurs twice"),
        }
    }
}

impl std::error::Error for CycleError {}

impl Permutation {
    /// Reads a product of disjoint cycles of the points `1..=degree`.
    pub fn parse(degree: usize, text: &str) -> Result<Self, CycleError> {
        let mut parser = Parser { text: text.as_bytes(), offset: 0, taken: vec![false; degree] };
        let mut cycles = Vec::new();
        while parser.skip_blanks() {
            cycles.push(parser.cycle()?);
        }
        Ok(Self::from_cycles(degree, &cycles.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = self.cycles();
        if cycles.is_empty() {
            return f.write_str("()");
        }
        for cycle in cycles {
            let points: Vec<String> = cycle.iter().map(|point| (point + 1).to_string()).collect();
            write!(f, "({})", points.join(" "))?;
        }
        Ok(())
    }
}

struct Parser<'a> {
    text: &'a [u8],
    offset: usize,
    taken: Vec<bool>,
}

impl Parser<'_> {
    /// Moves to the next byte that is no blank; whether there is one.
    fn skip_blanks(&mut self) -> bool {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.offset += 1;
        }
        self.offset < self.text.len()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.offset).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(byte);
        self.offset += usize::from(found);
        found
    }

    fn cycle(&mut self) -> Result<Vec<usize>, CycleError> {
        if !self.accept(b'(') {
            return Err(CycleError::Unexpected { offset: self.offset });
        }
        let mut cycle = Vec::new();
        while !self.accept(b')') {
            if !cycle.is_empty() {
                self.accept(b',');
            }
            cycle.push(self.point()?);
        }
        Ok(cycle)
    }

    fn point(&mut self) -> Result<usize, CycleError> {
        self.skip_blanks();
        let start = self.offset;
        let mut point = 0usize;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            point = point.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.offset += 1;
        }
        if self.offset == start {
            return Err(CycleError::Unexpected { offset: start });
        }
        let index = point.wrapping_sub(1);
        let taken = self.taken.get_mut(index).ok_or(CycleError::OutOfRange { point })?;
        if std::mem::replace(taken, true) { Err(CycleError::Repeated { point }) } else { Ok(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        assert_eq!(Permutation::parse(6, text).expect(text).to_string(), printed);
    }

    #[test]
    fn cycles_are_read_and_printed_from_their_least_point() {
        check("(1 3 2)", "(1 3 2)");
        check("(3 2 1)(6 5)", "(1 3 2)(5 6)");
        check(" ( 3,2,1 ) (4)\n", "(1 3 2)");
        check("()", "()");
        check("", "()");
    }

    #[test]
    fn what_is_no_permutation_is_refused() {
        let error = |text| Permutation::parse(6, text).expect_err(text);
        assert_eq!(error("(1 7)"), CycleError::OutOfRange { point: 7 });
        assert_eq!(error("(0 1)"), CycleError::OutOfRange { point: 0 });
        assert_eq!(error("(1 2)(2 3)"), CycleError::Repeated { point: 2 });
        assert_eq!(error("(1 2"), CycleError::Unexpected { offset: 4 });
        assert_eq!(error("1 2"), CycleError::Unexpected { offset: 0 });
        assert_eq!(error("(1 x)"), CycleError::Unexpected { offset: 3 });
        assert_eq!(error("(,1)"), CycleError::Unexpected { offset: 1 });
    }
}
