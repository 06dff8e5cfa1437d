//! The words that options take, and what they stand for.

use burnside_driver::{EngineChoice, Mode, PartialOrderChoice};
use burnside_engine::{AuditMode, DeadlockMode, SearchOrder, StoreMode};
use burnside_view::tell::TraceStyle;
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArg {
    Auto,
    Murphi,
    Promela,
    Ir,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairnessArg {
    None,
    Weak,
    Strong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairUnitArg {
    Process,
    Rule,
    Instance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeadlockArg {
    Off,
    Stuck,
    Stuttering,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    Auto,
    Explicit,
    Adaptive,
    Interpolant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InterpolantArg {
    /// Being known: no reduction.
    Nsr,
    /// Being known up to proved symmetry.
    Rsr,
    /// Being covered by an explanation as it stands.
    Si,
    /// Being covered by an explanation under one renaming.
    Csr,
    /// Being covered by an explanation under some renaming.
    CsrAll,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartialOrderArg {
    /// Take every step.
    Off,
    /// Put steps off where that changes no answer.
    Auto,
    /// The same, and tell where it is not possible, and why.
    On,
}

impl From<PartialOrderArg> for PartialOrderChoice {
    fn from(arg: PartialOrderArg) -> Self {
        match arg {
            PartialOrderArg::Off => Self::Off,
            PartialOrderArg::Auto => Self::Auto,
            PartialOrderArg::On => Self::On,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchArg {
    Bfs,
    Dfs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreArg {
    Exact,
    Compressed,
    Fingerprint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditArg {
    Off,
    Sample,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceArg {
    Diff,
    Full,
    // A column for each process of a Promela model; steps of other models as `diff` has them.
    Chart,
    Off,
}

impl From<DeadlockMode> for DeadlockArg {
    fn from(mode: DeadlockMode) -> Self {
        match mode {
            DeadlockMode::Off => Self::Off,
            DeadlockMode::Stuck => Self::Stuck,
            DeadlockMode::Stuttering => Self::Stuttering,
        }
    }
}

impl From<TraceArg> for TraceStyle {
    fn from(arg: TraceArg) -> Self {
        match arg {
            TraceArg::Diff => Self::Diff,
            TraceArg::Full => Self::Full,
            TraceArg::Chart => Self::Chart,
            TraceArg::Off => Self::Off,
        }
    }
}

impl From<DeadlockArg> for DeadlockMode {
    fn from(arg: DeadlockArg) -> Self {
        match arg {
            DeadlockArg::Off => Self::Off,
            DeadlockArg::Stuck => Self::Stuck,
            DeadlockArg::Stuttering => Self::Stuttering,
        }
    }
}

impl EngineArg {
    /// The engine in the given mode.
    pub(crate) fn choice(self, mode: InterpolantArg) -> EngineChoice {
        match self {
            Self::Auto => EngineChoice::Auto,
            Self::Explicit => EngineChoice::Explicit,
            Self::Adaptive => EngineChoice::Adaptive,
            Self::Interpolant => EngineChoice::Interpolant(mode.into()),
        }
    }
}

impl From<InterpolantArg> for Mode {
    fn from(arg: InterpolantArg) -> Self {
        match arg {
            InterpolantArg::Nsr => Self::None,
            InterpolantArg::Rsr => Self::Rotations,
            InterpolantArg::Si => Self::Plain,
            InterpolantArg::Csr => Self::One,
            InterpolantArg::CsrAll => Self::All,
        }
    }
}

impl From<SearchArg> for SearchOrder {
    fn from(arg: SearchArg) -> Self {
        match arg {
            SearchArg::Bfs => Self::BreadthFirst,
            SearchArg::Dfs => Self::DepthFirst,
        }
    }
}

impl From<AuditArg> for AuditMode {
    fn from(arg: AuditArg) -> Self {
        match arg {
            AuditArg::Off => Self::Off,
            AuditArg::Sample => Self::Sample,
            AuditArg::All => Self::All,
        }
    }
}

impl From<StoreArg> for StoreMode {
    fn from(arg: StoreArg) -> Self {
        match arg {
            StoreArg::Exact => Self::Exact,
            StoreArg::Compressed => Self::Compressed,
            StoreArg::Fingerprint => Self::Fingerprint,
        }
    }
}
