//! How the process ends.

use std::process::ExitCode;

/// The exit codes scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Holds = 0,
    Violated = 1,
    Inconclusive = 2,
    /// Bad model or command line.
    Invalid = 3,
    /// Internal or environment.
    Failed = 4,
}

impl Exit {
    /// The exit behind a code of the contract.
    pub(crate) fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Holds,
            1 => Self::Violated,
            2 => Self::Inconclusive,
            3 => Self::Invalid,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
