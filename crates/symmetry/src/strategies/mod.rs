//! Canonicalisers other than `refine`, one file each with the paper it comes from. They are what others use, kept to be
//! compared with.
//!
//! What they share: [`Renamer`] applies permutations to packed states, [`Stabilisers`] lists those that keep a
//! partition, [`keys`] and [`signature`] are hashes that do not depend on names.

mod enumerate;
mod first;
mod flood;
mod keys;
mod local;
mod marker;
mod renamer;
mod segment;
mod signature;
mod sort;
mod stabilisers;

pub(crate) use enumerate::Enumerator;
pub(crate) use first::{FirstMet, Representatives};
pub(crate) use flood::{Flooded, Flooder};
pub(crate) use local::Climber;
pub(crate) use marker::{Marked, Marker};
pub(crate) use segment::Segmenter;
pub(crate) use sort::Sorter;

use keys::Keys;
pub(crate) use renamer::Renamer;
use signature::Signature;
use stabilisers::Stabilisers;
