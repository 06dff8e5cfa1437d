//! Symmetries a program may have, as permutations of its threads and objects.

use crate::op::{ObjId, ThreadId};

/// One interchangeable part of a program: a thread (or none) and the objects that belong to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Member {
    /// The threads of this part, in corresponding order in every member.
    pub threads: Vec<ThreadId>,
    /// The objects of this part, in corresponding order in every member.
    pub objects: Vec<ObjId>,
}

/// A family of symmetries over members of equal shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// How the members may be permuted.
    pub shape: Shape,
    /// What is permuted.
    pub members: Vec<Member>,
}

/// Which permutations of the members are symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Any two members may be exchanged.
    Interchange,
    /// The members form a ring that may be rotated.
    Ring,
}
