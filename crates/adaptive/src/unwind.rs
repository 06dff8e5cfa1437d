//! Splits an orbit by a finer partition.
//!
// SOUND: let R be finer than P. The orbit of a state under ⟨P⟩ is the union of the orbits under ⟨R⟩ of its images under
// ⟨P⟩. Two such images have the same orbit under ⟨R⟩ if each cell of R gets equally many of each group of twins: they
// differ by a permutation within R and one among twins, which leaves the state alone. So one image for each way to
// distribute the groups of twins of each cell of P among the cells of R inside it covers the orbit (Wahl, section 8:
// buckets). Different distributions may still have the same orbit in models with linked slots; that costs time only.

use burnside_symmetry::{Arranger, Cells};

/// A cell that is split: what is in it, twins together, and the cells it is split into.
struct Split<'a> {
    buckets: Vec<Vec<u32>>,
    rooms: Vec<&'a [u32]>,
}

/// Cells, and the finer ones that they are split into: its rooms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refinement<'a> {
    pub(crate) coarse: &'a Cells,
    pub(crate) fine: &'a Cells,
}

/// A point and the point it must come to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pin {
    pub(crate) point: u32,
    pub(crate) to: u32,
}

/// What restricts the images that are wanted.
pub(crate) struct Wanted<'a> {
    pub(crate) pinned: Option<Pin>,
    /// Whether a point may come to a room, given by its first point; the same for twins.
    pub(crate) allows: &'a dyn Fn(u32, u32) -> bool,
}

impl Wanted<'_> {
    /// All images.
    pub(crate) const ALL: Wanted<'static> = Wanted { pinned: None, allows: &|_, _| true };
}

/// Gives `emit` permutations whose images of the state cover its orbit.
pub(crate) fn unwind(
    arranger: &mut Arranger<'_>,
    state: &[u64],
    refinement: Refinement<'_>,
    wanted: &Wanted<'_>,
    emit: &mut dyn FnMut(&[u32]),
) {
    let rooms: Vec<&[u32]> = refinement.fine.iter().collect();
    let n_points = rooms.iter().map(|room| room.len()).sum();
    let mut images: Vec<u32> = (0..n_points as u32).collect();
    let mut splits = Vec::new();
    let mut room_of = vec![0; n_points];
    for (number, room) in rooms.iter().enumerate() {
        room.iter().for_each(|&point| room_of[point as usize] = number);
    }
    for cell in refinement.coarse.iter() {
        let mut inside: Vec<usize> = cell.iter().map(|&point| room_of[point as usize]).collect();
        inside.sort_unstable();
        inside.dedup();
        if inside.len() > 1 {
            let rooms = inside.into_iter().map(|room| rooms[room]).collect();
            splits.push(Split { buckets: arranger.twins(state, cell), rooms });
        }
    }
    let mut walk = Walk { wanted, images: &mut images, emit };
    walk.splits(&splits);
}

struct Walk<'a, 'w> {
    wanted: &'a Wanted<'w>,
    images: &'a mut Vec<u32>,
    emit: &'a mut dyn FnMut(&[u32]),
}

impl Walk<'_, '_> {
    fn splits(&mut self, splits: &[Split<'_>]) {
        let Some((split, rest)) = splits.split_first() else {
            (self.emit)(self.images);
            return;
        };
        // The places left in each room, first ones first, and the members left in each bucket.
        let mut places: Vec<Vec<u32>> = split.rooms.iter().map(|room| room.to_vec()).collect();
        let mut buckets = split.buckets.clone();
        if let Some(Pin { point, to }) = self.wanted.pinned
            && let Some(bucket) = buckets.iter_mut().find(|bucket| bucket.contains(&point))
        {
            bucket.retain(|&member| member != point);
            places.iter_mut().for_each(|room| room.retain(|&place| place != to));
            self.images[point as usize] = to;
        }
        buckets.retain(|bucket| !bucket.is_empty());
        self.buckets(&buckets, split, &mut places, rest);
    }

    fn buckets(&mut self, buckets: &[Vec<u32>], split: &Split<'_>, places: &mut [Vec<u32>], rest: &[Split<'_>]) {
        match buckets.split_first() {
            None => self.splits(rest),
            Some((bucket, others)) => self.rooms(bucket, 0, &Ahead { others, split, rest }, places),
        }
    }

    /// Puts some members of a bucket into the room with this number, and the others into later ones.
    fn rooms(&mut self, bucket: &[u32], number: usize, ahead: &Ahead<'_>, places: &mut [Vec<u32>]) {
        if bucket.is_empty() {
            return self.buckets(ahead.others, ahead.split, places, ahead.rest);
        }
        debug_assert!(number < places.len(), "later rooms have places for what is left");
        let allows = |room: usize| (self.wanted.allows)(bucket[0], ahead.split.rooms[room][0]);
        let most = if allows(number) { bucket.len().min(places[number].len()) } else { 0 };
        // Those that find no place in later rooms must come here.
        let later: usize = (number + 1..places.len()).filter(|&room| allows(room)).map(|room| places[room].len()).sum();
        for n in bucket.len().saturating_sub(later)..=most {
            let room = &mut places[number];
            let taken = room.split_off(room.len() - n);
            for (&point, &place) in bucket.iter().zip(&taken) {
                self.images[point as usize] = place;
            }
            self.rooms(&bucket[n..], number + 1, ahead, places);
            places[number].extend(taken);
        }
    }
}

/// What is still to be distributed behind a bucket.
struct Ahead<'a> {
    others: &'a [Vec<u32>],
    split: &'a Split<'a>,
    rest: &'a [Split<'a>],
}
