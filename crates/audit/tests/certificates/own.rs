//! Every `holds` of our own models, under every strategy.

use burnside_audit::{Certificate, Outcome};
use burnside_driver::write_certificate;

use crate::made::{audited, certificate, own_models, strategies, with_room};

#[test]
fn every_certificate_of_our_own_models_is_accepted() {
    with_room(|| {
        let models = own_models();
        assert!(models.len() >= 40, "only {} models hold", models.len());
        let mut n_accepted = 0;
        for subject in &models {
            for (name, symmetry) in strategies() {
                let Some(certificate) = certificate(subject, symmetry) else {
                    panic!("{} does not hold under {name}", subject.name)
                };
                let file = write_certificate(&certificate);
                match audited(&file, &subject.text) {
                    Some(Outcome::Accepted(account)) => {
                        assert!(account.all_images);
                        n_accepted += 1;
                    }
                    other => panic!("{} under {name}: {other:?}", subject.name),
                }
            }
        }
        assert_eq!(n_accepted, models.len() * strategies().len());
    });
}

#[test]
fn a_file_says_what_was_written() {
    with_room(|| {
        for subject in own_models() {
            for (_, symmetry) in strategies().into_iter().take(4) {
                let Some(mut written) = certificate(&subject, symmetry) else { continue };
                let read = Certificate::from_bytes(&write_certificate(&written)).expect("it can be read");
                // States are a set: they come back sorted, their annotations with them.
                let n_words = written.n_words();
                let mut states: Vec<(Vec<u64>, Option<u32>)> = written
                    .states()
                    .enumerate()
                    .map(|(at, state)| (state.iter().rev().copied().collect(), written.annotations.get(at).copied()))
                    .collect();
                states.sort();
                written.states = states.iter().flat_map(|(state, _)| state.iter().rev().copied()).collect();
                assert_eq!(written.states.len() % n_words, 0);
                let annotations: Vec<u32> = states.iter().filter_map(|(_, it)| *it).collect();
                assert_eq!(annotations.len(), written.annotations.len());
                assert_eq!(read.states, written.states, "{}", subject.name);
                written.annotations.clone_from(&read.annotations);
                assert_eq!(read, written, "{}", subject.name);
            }
        }
    });
}
