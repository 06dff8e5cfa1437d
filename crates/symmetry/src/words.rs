//! Groups in words.

use std::fmt;

use burnside_group::{Permutation, Structure};
use burnside_ir::Model;

use crate::joint::Joint;

impl Joint {
    /// What group it is, with its order.
    pub fn words(&self) -> String {
        Words(&self.structure).to_string()
    }

    /// A permutation as cycles of members. Members of several classes are told apart by the class's name.
    pub fn cycles(&self, model: &Model, permutation: &Permutation) -> String {
        let member = |&point: &usize| {
            let (class, number) = self.place(point);
            let ty = class.named_type(model);
            let value = model.types.value_name(ty, model.types.shape(ty).lo + number as i64);
            if self.classes.len() > 1 { format!("{}.{value}", class.name) } else { value }
        };
        let cycle = |cycle: &Vec<usize>| format!("({})", cycle.iter().map(member).collect::<Vec<_>>().join(" "));
        permutation.cycles().iter().filter(|cycle| cycle.len() > 1).map(cycle).collect()
    }
}

struct Words<'a>(&'a Structure);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.0.order();
        match self.0 {
            Structure::Trivial => f.write_str("the identity alone"),
            Structure::Symmetric(points) => write!(f, "all permutations of {} members, order {order}", points.len()),
            Structure::Alternating(points) => {
                write!(f, "all even permutations of {} members, order {order}", points.len())
            }
            Structure::Cyclic(_) => write!(f, "cyclic of order {order} (rotations of a ring)"),
            Structure::Dihedral(_) => write!(f, "dihedral of order {order} (rotations and reflections of a ring)"),
            Structure::Disjoint(factors) => {
                f.write_str("direct product of ")?;
                list(f, factors)?;
                write!(f, "; order {order}")
            }
            Structure::Wreath { blocks, inner, outer } if **inner == Structure::Trivial => {
                write!(f, "{} blocks of {} members, moved as wholes: {}", blocks.len(), blocks[0].len(), Words(outer))
            }
            Structure::Wreath { blocks, inner, outer } => write!(
                f,
                "wreath product, order {order}: within each of {} blocks {}; of the blocks {}",
                blocks.len(),
                Words(inner),
                Words(outer)
            ),
            Structure::General { points, .. } => {
                write!(f, "automorphisms of a graph of {} members, order {order}", points.len())
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, factors: &[Structure]) -> fmt::Result {
    for (at, factor) in factors.iter().enumerate() {
        let before = match at {
            0 => "",
            _ if at + 1 == factors.len() => " and ",
            _ => ", ",
        };
        write!(f, "{before}{}", Words(factor))?;
    }
    Ok(())
}
