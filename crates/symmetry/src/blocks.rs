//! Vertices of several classes that permutations move together.
//!
//! Where processes have numbers and channels of their own, no permutation moves a process alone: its number goes with it,
//! and its channel. The vertices that move together are a *block*. Of each block one vertex *leads*: it stands in a cell,
//! has all that is known of the block as its own, and the others follow where it goes.
//!
// SOUND: a permutation within a cell of leaders, completed so that followers keep to their leaders, is an element of the
// symmetric group on the blocks, all of which are automorphisms (`cells`).

use burnside_group::mix;

/// What follows what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocks {
    /// The vertices of each block, the leader first; those at equal places correspond in all blocks of a cell.
    blocks: Vec<Vec<u32>>,
    /// For each vertex, the block that it leads.
    led: Vec<Option<u32>>,
    /// For each vertex, whom it follows, and its place in the block; itself and none if it follows nobody.
    membership: Vec<Member>,
}

/// A vertex as part of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) leader: u32,
    pub(crate) place: u32,
}

impl Member {
    /// What a role is when this vertex has it: followers are told apart from their leader.
    #[inline]
    pub(crate) fn role(self, role: u64) -> u64 {
        if self.place == 0 { role } else { mix(role, u64::from(self.place)) }
    }
}

impl Blocks {
    /// Every vertex for itself, but for those in blocks.
    pub(crate) fn new(n_vertices: usize, blocks: Vec<Vec<u32>>) -> Self {
        let mut led = vec![None; n_vertices];
        let mut membership: Vec<Member> =
            (0..n_vertices as u32).map(|vertex| Member { leader: vertex, place: 0 }).collect();
        for (number, block) in (0..).zip(&blocks) {
            led[block[0] as usize] = Some(number);
            for (place, &vertex) in (0..).zip(block) {
                membership[vertex as usize] = Member { leader: block[0], place };
            }
        }
        Self { blocks, led, membership }
    }

    #[inline]
    pub(crate) fn member(&self, vertex: u32) -> Member {
        self.membership[vertex as usize]
    }

    /// Sends all followers where their leaders go.
    #[inline]
    pub(crate) fn complete(&self, images: &mut [u32]) {
        for block in &self.blocks {
            let to = self.led[images[block[0] as usize] as usize].expect("leaders go where leaders were");
            for (&follower, &image) in block.iter().zip(&self.blocks[to as usize]).skip(1) {
                images[follower as usize] = image;
            }
        }
    }

    /// Exchanges what two vertices of a cell, and all who follow them, are mapped to.
    pub(crate) fn swap(&self, images: &mut [u32], one: u32, other: u32) {
        images.swap(one as usize, other as usize);
        if let (Some(one), Some(other)) = (self.led[one as usize], self.led[other as usize]) {
            for (&one, &other) in self.blocks[one as usize].iter().zip(&self.blocks[other as usize]).skip(1) {
                images.swap(one as usize, other as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_go_where_their_leaders_go() {
        let blocks = Blocks::new(7, vec![vec![0, 5], vec![1, 4], vec![2, 3]]);
        let mut images = vec![1, 2, 0, 3, 4, 5, 6];
        blocks.complete(&mut images);
        assert_eq!(images, [1, 2, 0, 5, 3, 4, 6]);
        let mut images: Vec<u32> = (0..7).collect();
        blocks.swap(&mut images, 0, 2);
        assert_eq!(images, [2, 1, 0, 5, 4, 3, 6]);
        assert_eq!(blocks.member(4), Member { leader: 1, place: 1 });
        assert_eq!(blocks.member(6), Member { leader: 6, place: 0 });
    }
}
