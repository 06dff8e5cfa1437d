//! Where the locals of one rule, start state, property or function lie on the evaluator's stack.

use burnside_ir::{Local, LocalMode, Types};

/// Offsets of locals from the base of their frame. A reference local takes one slot, which holds a
/// location, and a slot local one that holds a position.
#[derive(Debug, Clone)]
pub(crate) struct FrameLayout {
    pub(crate) offsets: Vec<u32>,
    pub(crate) size: u32,
}

impl FrameLayout {
    pub(crate) fn new(types: &Types, locals: &[Local]) -> Self {
        let mut size = 0;
        let offsets = locals
            .iter()
            .map(|local| {
                let offset = size;
                size += match local.mode {
                    LocalMode::Owned => types.shape(local.ty).n_slots,
                    LocalMode::Reference | LocalMode::Slot => 1,
                };
                offset
            })
            .collect();
        Self { offsets, size }
    }
}

/// A frame in use: its layout, its locals, and where it starts on the stack.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'m> {
    pub(crate) layout: &'m FrameLayout,
    pub(crate) locals: &'m [Local],
    pub(crate) base: usize,
    /// Where a function leaves its result.
    pub(crate) result: Option<(usize, burnside_ir::TypeId)>,
}

/// A slot in the state or on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    Global(usize),
    Stack(usize),
}

impl Location {
    pub(crate) fn offset(self, by: usize) -> Self {
        match self {
            Self::Global(at) => Self::Global(at + by),
            Self::Stack(at) => Self::Stack(at + by),
        }
    }

    /// The slot before.
    pub(crate) fn before(self) -> Self {
        match self {
            Self::Global(at) => Self::Global(at - 1),
            Self::Stack(at) => Self::Stack(at - 1),
        }
    }

    /// The location as a stack value: globals count up from 0, stack slots down from -1.
    pub(crate) fn to_value(self) -> i64 {
        match self {
            Self::Global(at) => at as i64,
            Self::Stack(at) => -1 - at as i64,
        }
    }

    pub(crate) fn from_value(value: i64) -> Self {
        if value >= 0 { Self::Global(value as usize) } else { Self::Stack((-1 - value) as usize) }
    }
}
