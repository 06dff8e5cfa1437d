#![allow(clippy::print_stdout, missing_docs)]
use burnside_group::*;
use std::time::Instant;
fn time<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let t = Instant::now();
    let r = f();
    println!("{what}: {:?}", t.elapsed());
    r
}
fn both(name: &str, g: Group) {
    let mut rng = fastrand::Rng::with_seed(1);
    let gens: Vec<_> = (0..3).map(|_| g.random(&mut rng)).collect();
    let n = g.degree();
    let r = time(&format!("{name} random, random gens"), || Group::new(n, gens.clone()));
    println!("{}", r.order());
    time(&format!("{name} det, random gens"), || Group::new_deterministic(n, gens.clone()));
}
fn main() {
    both("A20", Group::alternating(20));
    both("S30", Group::symmetric(30));
    both("A10wrA5", Group::alternating(10).wreath_product(&Group::alternating(5)));
    both("A10wrA8", Group::alternating(10).wreath_product(&Group::alternating(8)));
    both("S40", Group::symmetric(40));
}
