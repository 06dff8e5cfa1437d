//! Whole models through the whole library, beside what other tools say of them: the project's own corpus and examples,
//! and, where it is at hand, the shared corpus of models written by others. That models do what their headers say, and
//! the same in every configuration, is tested by `burnside test`.

mod agreement;
mod answer;
mod damage;
mod dialect;
mod files;
mod groups;
mod plain;
mod promela;
mod provers;
mod shared;
mod strategies;
