//! Numbers of rule instances, by the parameters that go through all values of a type or through a constant range.
//!
//! The numbers are those of a mixed radix, the last parameter changing fastest. Other parameters have no part in it:
//! what they go through depends on the state.

use burnside_interp::StepBuffer;
use burnside_ir::{Binder, Domain, Model};

/// What a parameter contributes to the number of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digit {
    /// The least value.
    pub lo: i64,
    /// How many values there are.
    pub radix: i64,
}

/// For each parameter, in order, what it contributes.
pub fn digits(model: &Model, binders: &[Binder]) -> Vec<Option<Digit>> {
    let params = binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain, .. } => Some(digit(model, domain)),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    params.collect()
}

/// What a parameter that goes through a domain contributes.
pub fn digit(model: &Model, domain: &Domain) -> Option<Digit> {
    let (lo, hi) = match domain {
        Domain::Type(ty) => (model.types.shape(*ty).lo, model.types.shape(*ty).hi),
        Domain::Range { from, to, .. } => {
            let (from, to) = (from.as_const()?, to.as_const()?);
            (from.min(to), from.max(to))
        }
        Domain::Slots(_) => return None,
    };
    Some(Digit { lo, radix: hi.checked_sub(lo)?.checked_add(1)? })
}

/// How many numbers there are, if they can be counted.
pub fn count(digits: &[Option<Digit>]) -> Option<u64> {
    digits.iter().flatten().try_fold(1_u64, |product, digit| product.checked_mul(digit.radix as u64))
}

/// Whether every number fits the place of a weight.
pub fn fit(model: &Model, binders: &[Binder]) -> bool {
    count(&digits(model, binders)).is_some_and(|n_numbers| n_numbers <= StepBuffer::MOST_WEIGHT)
}

/// The parameters of the instance with a number; zero for those that have no part in it.
pub fn args(digits: &[Option<Digit>], number: u64) -> Vec<i64> {
    let mut rest = number as i64;
    let mut args = vec![0; digits.len()];
    for (arg, digit) in args.iter_mut().zip(digits).rev() {
        if let Some(Digit { lo, radix }) = digit {
            *arg = lo + rest % radix;
            rest /= radix;
        }
    }
    args
}

/// The number of the instance with these parameters; those that have no part in it may be missing.
pub fn number(digits: &[Option<Digit>], args: &[i64]) -> u64 {
    let known = digits.iter().zip(args).filter_map(|(digit, arg)| Some(((*digit)?, arg)));
    known.fold(0, |number, (Digit { lo, radix }, arg)| number * radix as u64 + (arg - lo) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_tells_the_parameters() {
        let digits = [Some(Digit { lo: 1, radix: 3 }), None, Some(Digit { lo: -2, radix: 5 })];
        assert_eq!(args(&digits, 0), [1, 0, -2]);
        assert_eq!(args(&digits, 2 * 5 + 4), [3, 0, 2]);
        assert_eq!(number(&digits, &[3, 9, 2]), 2 * 5 + 4);
    }
}
