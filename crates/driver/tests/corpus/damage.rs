//! Damaged models: cut off at any byte they give diagnostics or a model, and never a panic.

use std::thread;

use burnside_driver::{Language, LoadOptions, load};

use crate::files::{models_in, root};
use burnside_testkit::shared_corpus;

/// How many places each model is cut at, unless `BURNSIDE_CUT_ALL` is set, which means everywhere.
const N_CUTS: usize = 16;

fn cut_everywhere(models: &[(String, String)]) {
    let all = std::env::var_os("BURNSIDE_CUT_ALL").is_some();
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..n_threads {
            let share = models.iter().enumerate().skip(first).step_by(n_threads);
            // Texts nest, so reading them needs room on the stack, as in the shell.
            let work = move || share.for_each(|(seed, (name, text))| cut(name, text, seed, all));
            thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work).expect("threads can be started");
        }
    });
}

/// Reads every beginning of a text, or some of them.
fn cut(name: &str, text: &str, seed: usize, all: bool) {
    let stride = if all { 1 } else { (text.len() / N_CUTS).max(1) };
    for at in (seed % stride..text.len()).step_by(stride).filter(|&at| text.is_char_boundary(at)) {
        load(name, &text[..at], Language::Murphi, &LoadOptions::default());
    }
}

#[test]
fn own_models_cut_off_anywhere_do_not_panic() {
    for folder in ["corpus/murphi", "corpus/regress", "examples"] {
        cut_everywhere(&models_in(&root().join(folder)));
    }
}

#[test]
fn shared_models_cut_off_anywhere_do_not_panic() {
    let Some(corpus) = shared_corpus() else { return };
    for folder in ["murphi/models", "murphi-dialect", "symmetry-traps"] {
        cut_everywhere(&models_in(&corpus.join(folder)));
    }
}
