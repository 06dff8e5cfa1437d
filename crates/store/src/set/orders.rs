//! Every order of events between owners and readers of a set, as `loom` finds them.

use super::*;
use crate::{Compressed, Exact};

/// Two owners insert a state each and tell its number; a reader restores whatever it has heard of.
fn read_while_inserting<C: Codec + 'static>() {
    let mut orders = loom::model::Builder::new();
    // Errors in the order of memory accesses show with few changes of thread; all of them would take hours.
    orders.preemption_bound = Some(2);
    orders.check(|| {
        let config = Config { n_bits: 33, n_shards: 2, limit: None };
        let (set, shards) = Set::<C>::open(config).expect("memory");
        let told = Arc::new(loom::sync::Mutex::new(Vec::new()));
        let owners = shards.into_iter().zip([[5_u64], [1 << 32]]).map(|(mut shard, state)| {
            let told = Arc::clone(&told);
            loom::thread::spawn(move || {
                let hash = hash(&state);
                let insertion = shard.insert(&Request { state: &state, hash, parent: None });
                let Insertion::New(id) = insertion else { panic!("{insertion:?}") };
                told.lock().expect("no panic").push((state, id));
                assert_eq!(shard.find(&state, hash), Some(id));
            })
        });
        let owners: Vec<_> = owners.collect();
        let heard = told.lock().expect("no panic").clone();
        for (state, id) in heard {
            let mut restored = [0];
            set.read(id, &mut restored);
            assert_eq!((restored, set.parent(id)), (state, None));
        }
        owners.into_iter().for_each(|owner| owner.join().expect("no panic"));
    });
}

#[test]
fn exact_states_can_be_read_while_others_are_inserted() {
    read_while_inserting::<Exact>();
}

#[test]
fn compressed_states_can_be_read_while_others_are_inserted() {
    read_while_inserting::<Compressed>();
}
