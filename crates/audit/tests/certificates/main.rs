//! Certificates of real searches: accepted as they are, rejected once they no longer prove what they claim.

mod brute;
mod made;
mod own;
mod spoiled;
