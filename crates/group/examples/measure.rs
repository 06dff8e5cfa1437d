#![allow(clippy::print_stdout, missing_docs)]
use burnside_group::*;
use std::time::Instant;
fn time<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let t = Instant::now();
    let r = f();
    println!("{what}: {:?}", t.elapsed());
    r
}
fn main() {
    for n in [20, 40, 80, 150] {
        let g = time(&format!("S{n} known"), || Group::symmetric(n));
        time(&format!("S{n} random"), || Group::new(n, g.generators().to_vec()));
        if n <= 80 {
            time(&format!("S{n} det"), || Group::new_deterministic(n, g.generators().to_vec()));
        }
    }
    for n in [20, 40, 80] {
        let g = time(&format!("A{n} known"), || Group::alternating(n));
        time(&format!("A{n} random"), || Group::new(n, g.generators().to_vec()));
        if n <= 80 {
            time(&format!("A{n} det"), || Group::new_deterministic(n, g.generators().to_vec()));
        }
    }
    let w = time("S10wrS8", || Group::symmetric(10).wreath_product(&Group::symmetric(8)));
    time("S10wrS8 random", || Group::new(80, w.generators().to_vec()));
    time("S10wrS8 det", || Group::new_deterministic(80, w.generators().to_vec()));
    let w = time("A10wrA8", || Group::alternating(10).wreath_product(&Group::alternating(8)));
    time("A10wrA8 random", || Group::new(80, w.generators().to_vec()));
    time("A10wrA8 det", || Group::new_deterministic(80, w.generators().to_vec()));
    time("C1000 ", || Group::cyclic(1000));
    let d = Group::dihedral(1000);
    time("D1000 random", || Group::new(1000, d.generators().to_vec()));
}
