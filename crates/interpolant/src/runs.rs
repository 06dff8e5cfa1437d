//! Short forms of what is kept for many states at a time and is mostly made of runs.
// PERF: with n processes each of these is n entries long where it is written out, and there are n of them: of the states
// on the stack, of the explanations, of the steps of one state. Runs keep memory for the sum of ids linear in n.

use burnside_ir::RuleId;

use crate::eval::Renaming;
use crate::names::Class;

/// Numbers, with equal neighbours taken together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Repeats(Box<[(u32, u32)]>);

impl Repeats {
    pub(crate) fn new(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for number in numbers {
            match runs.last_mut() {
                Some((last, n)) if *last == number => *n += 1,
                _ => runs.push((number, 1)),
            }
        }
        Self(runs.into())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(number, n)| std::iter::repeat_n(number, n as usize))
    }

    /// Memory in use beyond the value itself.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val::<[(u32, u32)]>(&self.0)
    }
}

/// A renaming, with neighbours that become neighbours taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shifts(Box<[Shift]>);

/// So many names in a row become the names from `image` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shift {
    image: u32,
    n_names: u32,
}

impl Shifts {
    pub(crate) fn new(renaming: &Renaming) -> Self {
        let mut shifts: Vec<Shift> = Vec::new();
        for images in renaming {
            let begin = shifts.len();
            for &image in images {
                match shifts[begin..].last_mut() {
                    Some(shift) if shift.image + shift.n_names == image => shift.n_names += 1,
                    _ => shifts.push(Shift { image, n_names: 1 }),
                }
            }
        }
        Self(shifts.into())
    }

    /// The renaming written out.
    pub(crate) fn renaming(&self, classes: &[Class]) -> Renaming {
        let mut images = self.0.iter().flat_map(|shift| shift.image..shift.image + shift.n_names);
        classes.iter().map(|class| images.by_ref().take(class.size as usize).collect()).collect()
    }
}

/// Instances of rules still to be fired; the next one is taken first.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Series>);

/// Instances of one rule that differ in their first parameter alone, which goes up by one each time.
#[derive(Debug)]
struct Series {
    rule: RuleId,
    args: Box<[i64]>,
    n_instances: u32,
}

impl Series {
    fn is_followed_by(&self, rule: RuleId, args: &[i64]) -> bool {
        let next = self.args.first().and_then(|first| first.checked_add(i64::from(self.n_instances)));
        rule == self.rule && next.is_some() && args.first() == next.as_ref() && args[1..] == self.args[1..]
    }
}

impl Pending {
    /// Takes instances in the order in which they are to be fired.
    pub(crate) fn new(instances: Vec<(RuleId, Box<[i64]>)>) -> Self {
        let mut all: Vec<Series> = Vec::new();
        for (rule, args) in instances {
            match all.last_mut() {
                Some(last) if last.is_followed_by(rule, &args) => last.n_instances += 1,
                _ => all.push(Series { rule, args, n_instances: 1 }),
            }
        }
        all.reverse();
        all.shrink_to_fit();
        Self(all)
    }

    pub(crate) fn pop(&mut self) -> Option<(RuleId, Box<[i64]>)> {
        let series = self.0.last_mut()?;
        if series.n_instances == 1 {
            return self.0.pop().map(|last| (last.rule, last.args));
        }
        let next = (series.rule, series.args.clone());
        series.args[0] += 1;
        series.n_instances -= 1;
        Some(next)
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|series| size_of::<Series>() + 8 * series.args.len() + 16).sum::<usize>() as u64
    }
}

#[cfg(test)]
mod tests {
    use burnside_ir::TypeId;

    use super::*;

    #[test]
    fn what_is_repeated_is_written_out_again() {
        let numbers = [1, 1, 1, 2, 1, 3, 3];
        let repeats = Repeats::new(numbers);
        assert_eq!(repeats.0.len(), 4);
        assert!(repeats.iter().eq(numbers));
    }

    #[test]
    fn a_renaming_is_written_out_again() {
        let class = |size| Class { ty: TypeId(0), lo: 1, size };
        let renaming = vec![vec![2, 3, 0, 1], vec![2, 0, 1]];
        let shifts = Shifts::new(&renaming);
        assert_eq!(shifts.0.len(), 4);
        assert_eq!(shifts.renaming(&[class(4), class(3)]), renaming);
    }

    #[test]
    fn instances_come_in_order() {
        let instance = |rule, args: &[i64]| (RuleId(rule), Box::from(args));
        let instances = vec![
            instance(0, &[]),
            instance(1, &[1, 7]),
            instance(1, &[2, 7]),
            instance(1, &[3, 7]),
            instance(1, &[3, 8]),
            instance(2, &[4, 8]),
            instance(2, &[6, 8]),
        ];
        let mut pending = Pending::new(instances.clone());
        assert_eq!(pending.0.len(), 5);
        let popped: Vec<_> = std::iter::from_fn(|| pending.pop()).collect();
        assert_eq!(popped, instances);
    }
}
