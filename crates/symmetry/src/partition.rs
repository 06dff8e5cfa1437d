//! Ordered partitions of vertices into cells.

use crate::cells::Cells;

/// The vertices in some order, cut into cells. The vertices of a class lie in the class's own stretch, as far as cells
/// were not [given](Partition::reset_to) otherwise.
#[derive(Debug, Clone, Default)]
pub(crate) struct Partition {
    order: Vec<u32>,
    /// For each vertex, where its cell begins.
    cell: Vec<u32>,
    /// For each beginning of a cell, the cell's length.
    len: Vec<u32>,
    n_cells: usize,
}

impl Partition {
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.order.clone_from(&other.order);
        self.cell.clone_from(&other.cell);
        self.len.clone_from(&other.len);
        self.n_cells = other.n_cells;
    }

    /// One cell for each class, given by its first vertex and the end of all.
    pub(crate) fn reset(&mut self, firsts: &[u32]) {
        self.order.clear();
        self.order.extend(0..*firsts.last().expect("not empty"));
        self.cut(firsts);
    }

    /// These cells.
    pub(crate) fn of(cells: &Cells) -> Self {
        let mut partition = Self::default();
        partition.reset_to(cells);
        partition
    }

    /// The given cells, one after another.
    pub(crate) fn reset_to(&mut self, cells: &Cells) {
        self.order.clone_from(&cells.seats);
        self.cut(&cells.firsts);
    }

    /// Makes cells of stretches of the order, given by their beginnings and the end of all.
    fn cut(&mut self, firsts: &[u32]) {
        let n_vertices = self.order.len();
        self.cell.resize(n_vertices, 0);
        self.len.resize(n_vertices, 0);
        self.n_cells = firsts.len() - 1;
        for pair in firsts.windows(2) {
            for &vertex in &self.order[pair[0] as usize..pair[1] as usize] {
                self.cell[vertex as usize] = pair[0];
            }
            self.len[pair[0] as usize] = pair[1] - pair[0];
        }
    }

    /// All vertices, cell by cell.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where the cell of a vertex begins: the same for equivalent vertices of states that are renamed into each other.
    #[inline]
    pub(crate) fn rank(&self, vertex: u32) -> u32 {
        self.cell[vertex as usize]
    }

    /// Whether every cell has one vertex.
    pub(crate) fn is_discrete(&self) -> bool {
        self.n_cells == self.order.len()
    }

    /// The lengths of all cells, in their order.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = u32> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let length = *self.len.get(at)?;
            at += length as usize;
            Some(length)
        })
    }

    /// The cells of more than one vertex.
    pub(crate) fn open_cells(&self) -> impl Iterator<Item = &[u32]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.order.len() {
                let len = self.len[at] as usize;
                at += len;
                if len > 1 {
                    return Some(&self.order[at - len..at]);
                }
            }
            None
        })
    }

    /// Cuts each cell into cells of equal keys, in their order; whether there was something to cut.
    pub(crate) fn split(&mut self, keys: &[u64]) -> bool {
        let n_before = self.n_cells;
        let mut at = 0;
        while at < self.order.len() {
            let len = self.len[at] as usize;
            if len > 1 {
                self.split_cell(at, len, keys);
            }
            at += len;
        }
        self.n_cells > n_before
    }

    fn split_cell(&mut self, at: usize, len: usize, keys: &[u64]) {
        let members = &mut self.order[at..at + len];
        // Cells are small, and often all keys are equal.
        for end in 1..len {
            let vertex = members[end];
            let key = keys[vertex as usize];
            let mut to = end;
            while to > 0 && keys[members[to - 1] as usize] > key {
                members[to] = members[to - 1];
                to -= 1;
            }
            members[to] = vertex;
        }
        let mut begin = at;
        for end in at + 1..=at + len {
            if end < at + len && keys[self.order[end] as usize] == keys[self.order[begin] as usize] {
                continue;
            }
            self.len[begin] = (end - begin) as u32;
            for &vertex in &self.order[begin..end] {
                self.cell[vertex as usize] = begin as u32;
            }
            self.n_cells += usize::from(begin > at);
            begin = end;
        }
    }

    /// Makes a vertex of an open cell a cell of its own, before the rest.
    pub(crate) fn single_out(&mut self, vertex: u32) {
        let begin = self.cell[vertex as usize] as usize;
        let len = self.len[begin] as usize;
        let cell = &mut self.order[begin..begin + len];
        let at = cell.iter().position(|&member| member == vertex).expect("a vertex is in its cell");
        cell.swap(0, at);
        for &member in &self.order[begin + 1..begin + len] {
            self.cell[member as usize] = begin as u32 + 1;
        }
        self.len[begin] = 1;
        self.len[begin + 1] = len as u32 - 1;
        self.n_cells += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_split_by_keys_within_their_classes() {
        let mut partition = Partition::default();
        partition.reset(&[0, 3, 5]);
        assert!(!partition.split(&[7; 5]));
        assert!(partition.split(&[9, 1, 9, 5, 0]));
        assert_eq!(partition.order(), [1, 0, 2, 4, 3]);
        assert_eq!(partition.open_cells().collect::<Vec<_>>(), [&[0, 2]]);
        assert_eq!([0, 1, 2, 3, 4].map(|vertex| partition.rank(vertex)), [1, 0, 1, 4, 3]);
        partition.single_out(2);
        assert!(partition.is_discrete());
        assert_eq!(partition.order(), [1, 2, 0, 4, 3]);
    }
}
