//! Permutations that occur again and again, each stored once.

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

/// A permutation of a [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FrameId(u32);

impl FrameId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The permutation that moves nothing.
pub(crate) const IDENTITY: FrameId = FrameId(0);

/// Permutations of the same points, each stored once, with their products remembered.
#[derive(Debug)]
pub(crate) struct Frames {
    permutations: Vec<Permutation>,
    ids: FxHashMap<Permutation, FrameId>,
    products: FxHashMap<(FrameId, FrameId), FrameId>,
    inverses: FxHashMap<FrameId, FrameId>,
}

impl Frames {
    pub(crate) fn new(degree: usize) -> Self {
        let mut frames = Frames {
            permutations: Vec::new(),
            ids: FxHashMap::default(),
            products: FxHashMap::default(),
            inverses: FxHashMap::default(),
        };
        frames.intern(Permutation::identity(degree));
        frames
    }

    pub(crate) fn intern(&mut self, permutation: Permutation) -> FrameId {
        if let Some(&id) = self.ids.get(&permutation) {
            return id;
        }
        let id = FrameId(self.permutations.len() as u32);
        self.permutations.push(permutation.clone());
        self.ids.insert(permutation, id);
        id
    }

    pub(crate) fn get(&self, id: FrameId) -> &Permutation {
        &self.permutations[id.0 as usize]
    }

    /// First `a`, then `b`.
    pub(crate) fn then(&mut self, a: FrameId, b: FrameId) -> FrameId {
        if a == IDENTITY {
            return b;
        }
        if b == IDENTITY {
            return a;
        }
        if let Some(&product) = self.products.get(&(a, b)) {
            return product;
        }
        let product = self.intern(self.get(a).then(self.get(b)));
        self.products.insert((a, b), product);
        product
    }

    pub(crate) fn inverse(&mut self, a: FrameId) -> FrameId {
        if a == IDENTITY {
            return a;
        }
        if let Some(&inverse) = self.inverses.get(&a) {
            return inverse;
        }
        let inverse = self.intern(self.get(a).inverse());
        self.inverses.insert(a, inverse);
        inverse
    }
}
