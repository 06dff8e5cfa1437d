//! Sums of products, kept short: names that follow each other and have the same factor are one entry.

use crate::term::Term;

/// A product of a number and a term, as part of a sum.
pub(crate) type Product = (Term, i64);

/// Terms with numbers in a row, all with the same factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Run {
    first: Term,
    n_terms: u32,
    factor: i64,
}

/// Products in the order of their terms.
// PERF: a fact of the sum of 500 ids mentions up to 500 names; with one entry for each, the facts of all states together
// take memory that grows with the square of the number of names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Products(Box<[Run]>);

impl Products {
    /// Takes sorted products.
    pub(crate) fn new(products: &[Product]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for &(term, factor) in products {
            match runs.last_mut() {
                Some(run) if run.factor == factor && run.first.0 + run.n_terms == term.0 => run.n_terms += 1,
                _ => runs.push(Run { first: term, n_terms: 1, factor }),
            }
        }
        Self(runs.into())
    }

    /// The products one by one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Product> + '_ {
        self.0.iter().flat_map(|run| (0..run.n_terms).map(|at| (Term(run.first.0 + at), run.factor)))
    }

    pub(crate) fn to_vec(&self) -> Vec<Product> {
        self.iter().collect()
    }

    /// Memory in use beyond the value itself.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val::<[Run]>(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_in_a_row_with_one_factor_take_one_entry() {
        let long: Vec<Product> = (5..500).map(|at| (Term(at), 1)).collect();
        let products = Products::new(&long);
        assert_eq!(products.to_vec(), long);
        assert_eq!(products.0.len(), 1);
    }

    #[test]
    fn gaps_and_factors_are_kept() {
        let mixed = [(Term(1), 1), (Term(2), 2), (Term(3), 2), (Term(5), 2), (Term(6), -1)];
        let products = Products::new(&mixed);
        assert_eq!(products.to_vec(), mixed);
        assert_eq!(products.0.len(), 4);
    }
}
