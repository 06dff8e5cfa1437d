//! Whole models through the whole library, in every configuration: the project's own corpus and examples, and, where
//! it is at hand, the shared corpus of models written by others.

mod agreement;
mod answer;
mod compare;
mod damage;
mod dialect;
mod files;
mod groups;
mod own;
mod plain;
mod promela;
mod provers;
mod shared;
mod strategies;
