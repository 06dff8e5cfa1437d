//! Natural numbers of any size, as far as group orders need them: products, exact quotients, decimal text.
//!
//! Not an arithmetic library: there is no subtraction and no general division, because orders are only ever multiplied
//! together and divided by what is known to divide them.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Mul, MulAssign};

const BASE: u64 = 1_000_000_000;

/// A natural number of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Natural {
    /// Digits to the base 10⁹, least significant first; the last one is not zero, so zero has none.
    limbs: Vec<u32>,
}

impl Natural {
    /// The number 1, the order of the trivial group.
    pub fn one() -> Self {
        Natural { limbs: vec![1] }
    }

    /// `n!`, the order of the symmetric group on `n` points.
    pub fn factorial(n: usize) -> Self {
        (2..=n).fold(Self::one(), |mut product, k| {
            product *= k;
            product
        })
    }

    /// This number multiplied `exponent` times with itself.
    pub fn power(&self, exponent: usize) -> Self {
        (0..exponent).fold(Self::one(), |product, _| &product * self)
    }

    /// This number divided by `divisor`, if that leaves no remainder.
    pub fn exact_quotient(&self, divisor: usize) -> Option<Self> {
        let divisor = divisor as u64;
        if divisor == 0 {
            return None;
        }
        let mut remainder = 0;
        let mut limbs = self.limbs.clone();
        for limb in limbs.iter_mut().rev() {
            let value = u128::from(remainder) * u128::from(BASE) + u128::from(*limb);
            *limb = (value / u128::from(divisor)) as u32;
            remainder = (value % u128::from(divisor)) as u64;
        }
        (remainder == 0).then(|| Self::trimmed(limbs))
    }

    /// The number as a machine integer, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        self.limbs
            .iter()
            .rev()
            .try_fold(0u128, |value, &limb| value.checked_mul(u128::from(BASE))?.checked_add(u128::from(limb)))
    }

    fn trimmed(mut limbs: Vec<u32>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Natural { limbs }
    }
}

impl From<u128> for Natural {
    fn from(mut value: u128) -> Self {
        let mut limbs = Vec::new();
        while value > 0 {
            limbs.push((value % u128::from(BASE)) as u32);
            value /= u128::from(BASE);
        }
        Natural { limbs }
    }
}

impl MulAssign<usize> for Natural {
    fn mul_assign(&mut self, factor: usize) {
        let Ok(factor) = u32::try_from(factor) else {
            *self = &*self * &Natural::from(factor as u128);
            return;
        };
        // A limb times a factor of 32 bits, with what is carried, fits into 64.
        let mut carry = 0;
        for limb in &mut self.limbs {
            let value = u64::from(*limb) * u64::from(factor) + carry;
            *limb = (value % BASE) as u32;
            carry = value / BASE;
        }
        while carry > 0 {
            self.limbs.push((carry % BASE) as u32);
            carry /= BASE;
        }
        if factor == 0 {
            self.limbs.clear();
        }
    }
}

impl Mul for &Natural {
    type Output = Natural;

    fn mul(self, other: &Natural) -> Natural {
        let mut limbs = vec![0u32; self.limbs.len() + other.limbs.len()];
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            for (j, limb) in limbs[i..].iter_mut().enumerate() {
                let b = other.limbs.get(j).copied().unwrap_or(0);
                let value = u64::from(a) * u64::from(b) + u64::from(*limb) + carry;
                *limb = (value % BASE) as u32;
                carry = value / BASE;
            }
        }
        Natural::trimmed(limbs)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.limbs.len().cmp(&other.limbs.len()).then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = String::new();
        for (i, limb) in self.limbs.iter().rev().enumerate() {
            digits += &if i == 0 { limb.to_string() } else { format!("{limb:09}") };
        }
        f.pad_integral(true, "", if digits.is_empty() { "0" } else { &digits })
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_machine_arithmetic() {
        let samples = [0u128, 1, 7, 999_999_999, 1_000_000_000, 1_000_000_001, 123_456_789_012_345_678];
        for a in samples {
            assert_eq!(Natural::from(a).to_u128(), Some(a));
            assert_eq!(Natural::from(a).to_string(), a.to_string());
            for b in samples {
                let product = &Natural::from(a) * &Natural::from(b);
                assert_eq!(product.to_u128(), Some(a * b));
                let mut scaled = Natural::from(a);
                scaled *= b as usize;
                assert_eq!(scaled, product);
                assert_eq!(Natural::from(a).cmp(&Natural::from(b)), a.cmp(&b));
                if b > 0 {
                    assert_eq!(product.exact_quotient(b as usize), Some(Natural::from(a)));
                }
            }
        }
    }

    #[test]
    fn factorials_print_exactly() {
        assert_eq!(Natural::factorial(0), Natural::one());
        assert_eq!(Natural::factorial(20).to_string(), "2432902008176640000");
        assert_eq!(Natural::factorial(34).to_u128(), Some(295_232_799_039_604_140_847_618_609_643_520_000_000));
        assert_eq!(Natural::factorial(35).to_u128(), None);
        assert_eq!(
            Natural::factorial(80).to_string(),
            "71569457046263802294811533723186532165584657342365752577109445058227039255480148842668944867280814080000000000000000000"
        );
    }

    #[test]
    fn a_quotient_with_remainder_is_none() {
        assert_eq!(Natural::from(10).exact_quotient(3), None);
        assert_eq!(Natural::from(10).exact_quotient(0), None);
        assert_eq!(Natural::from(2).power(100).to_string(), "1267650600228229401496703205376");
    }
}
