//! End to end: runs of the binary on the models beside the tests.

mod audit;
mod claims;
mod command_line;
mod documents;
mod expectations;
mod harness;
mod newcomer;
mod programs;
mod replay;
mod report;
mod resume;
mod schema;
mod stories;
mod terminal;
mod verbs;
