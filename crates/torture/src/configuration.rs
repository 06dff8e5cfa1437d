//! Every way to run a search.

use std::num::NonZeroUsize;

use burnside_driver::{EngineChoice, Mode, Settings, SymmetryChoice};
use burnside_engine::{SearchOrder, StoreMode};
use burnside_symmetry::Strategy;

/// One way to run a search.
#[derive(Debug, Clone)]
pub struct Configuration {
    /// Its name in reports.
    pub name: String,
    /// What it means, apart from what the question says.
    pub settings: Settings,
}

impl Configuration {
    fn new(name: &str, settings: Settings) -> Self {
        Self { name: name.to_owned(), settings }
    }

    /// Whether the time for one state grows with the order of the group.
    pub(crate) fn tries_permutations(&self) -> bool {
        use Strategy::{Enumerate, First, Flood, Local, Segment};
        matches!(self.settings.symmetry, SymmetryChoice::Use(Enumerate | First | Flood | Local | Segment))
    }

    /// Whether a search may take too long even for a small model: explanations of cycles do.
    pub(crate) fn may_take_long(&self) -> bool {
        matches!(self.settings.engine, EngineChoice::Interpolant(_))
    }

    /// Those that visit every state.
    pub fn plain() -> Vec<Self> {
        let native = Settings { symmetry: SymmetryChoice::Off, ..Settings::default() };
        let interpreted = Settings { native: false, ..native.clone() };
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let (order, store) = (SearchOrder::DepthFirst, StoreMode::Compressed);
        vec![
            Self::new("off", native.clone()),
            Self::new("off-interpreted", interpreted.clone()),
            Self::new("off-interpreted-threads", Settings { threads, ..interpreted.clone() }),
            Self::new("off-interpreted-dfs", Settings { order, ..interpreted }),
            Self::new("off-dfs", Settings { order, ..native.clone() }),
            Self::new("off-threads", Settings { threads, ..native.clone() }),
            Self::new("off-compressed", Settings { store, ..native.clone() }),
            Self::new("off-fingerprint", Settings { store: StoreMode::Fingerprint, ..native }),
        ]
    }

    /// Those in which the checker may find symmetry where none was proved of all rules.
    pub fn searching() -> Vec<Self> {
        let auto = Settings::default();
        let adaptive = Settings { symmetry: SymmetryChoice::Adaptive, ..auto.clone() };
        let cells = Settings { symmetry: SymmetryChoice::Cells, ..auto.clone() };
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let explained = |mode| Settings { engine: EngineChoice::Interpolant(mode), ..auto.clone() };
        vec![
            Self::new("interpolant", explained(Mode::All)),
            Self::new("interpolant-one", explained(Mode::One)),
            Self::new("auto", auto.clone()),
            Self::new("auto-interpreted", Settings { native: false, ..auto.clone() }),
            Self::new("auto-threads", Settings { threads, ..auto }),
            Self::new("adaptive", adaptive.clone()),
            Self::new("adaptive-interpreted", Settings { native: false, ..adaptive.clone() }),
            Self::new("adaptive-threads", Settings { threads, ..adaptive }),
            Self::new("cells", cells.clone()),
            Self::new("cells-interpreted", Settings { native: false, ..cells }),
        ]
    }

    /// Those that make a difference only where symmetry is proved.
    pub fn reduced() -> Vec<Self> {
        let refine = Settings { symmetry: SymmetryChoice::Use(Strategy::Refine), ..Settings::default() };
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let (order, store) = (SearchOrder::DepthFirst, StoreMode::Compressed);
        let mut all = vec![
            Self::new("refine-interpreted", Settings { native: false, ..refine.clone() }),
            Self::new("refine-threads", Settings { threads, ..refine.clone() }),
            Self::new("refine-dfs", Settings { order, ..refine.clone() }),
            Self::new("refine-compressed", Settings { store, ..refine.clone() }),
        ];
        all.extend(Strategy::ALL.map(|strategy| {
            let symmetry = SymmetryChoice::Use(strategy);
            Self::new(strategy.name(), Settings { symmetry, ..refine.clone() })
        }));
        all
    }
}
