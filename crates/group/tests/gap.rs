//! Comparison with GAP.

use std::io::Write;
use std::process::{Command, Stdio};

use burnside_group::{Group, ImageSearch, Partition, Permutation, Word, minimal_block_systems};
use burnside_testkit::missing;

/// What GAP prints for a script, line by line, or `None` if it is not installed.
fn gap(script: &str) -> Option<Vec<String>> {
    let spawned = Command::new("gap").args(["-q", "-A"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        missing("gap", "`gap` on the PATH (Debian's `gap-core`)");
        return None;
    };
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(script.as_bytes()).expect("GAP reads its script");
    drop(input);
    let output = child.wait_with_output().expect("GAP ends");
    let text = String::from_utf8(output.stdout).expect("GAP prints text");
    Some(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
}

fn in_gap(permutation: &Permutation) -> String {
    permutation.to_string().replace(' ', ",")
}

fn points_in_gap(points: &[usize]) -> String {
    format!("{:?}", points.iter().map(|point| point + 1).collect::<Vec<_>>())
}

fn group_in_gap(group: &Group) -> String {
    let generators: Vec<String> = group.generators().iter().map(in_gap).collect();
    format!("Group([{}], ())", generators.join(", "))
}

/// Groups of degree 6 to 24 of many kinds: powers of random permutations, products, and M24.
fn sample() -> Vec<Group> {
    let mut rng = fastrand::Rng::with_seed(24);
    let mut groups = vec![
        mathieu_24(),
        Group::symmetric(4).wreath_product(&Group::cyclic(5)),
        Group::alternating(5).wreath_product(&Group::dihedral(4)),
        Group::cyclic(3).direct_product(&Group::symmetric(7)).direct_product(&Group::trivial(2)),
    ];
    for _ in 0..120 {
        let degree = rng.usize(6..20);
        let all = Group::symmetric(degree);
        let n_generators = rng.usize(1..4);
        let generators = (0..n_generators).map(|_| all.random(&mut rng).power(rng.i64(1..13))).collect();
        groups.push(Group::new(degree, generators));
    }
    groups
}

/// The Mathieu group on 24 points, by the generators of Conway and Sloane, *Sphere packings, lattices and groups*.
fn mathieu_24() -> Group {
    let generators = [
        "(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)",
        "(3 17 10 7 9)(4 13 14 19 5)(8 18 11 12 23)(15 20 22 21 16)",
        "(1 24)(2 23)(3 12)(4 16)(5 18)(6 10)(7 20)(8 14)(9 21)(11 17)(13 22)(15 19)",
    ];
    Group::new(24, generators.iter().map(|text| Permutation::parse(24, text).expect(text)).collect())
}

#[test]
fn orders_stabilisers_and_elements_agree() {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut script, mut expected) = (String::new(), Vec::new());
    for group in sample() {
        let degree = group.degree();
        let points: Vec<usize> = (0..degree).filter(|_| rng.u32(..3) == 0).collect();
        let keys: Vec<u32> = (0..degree).map(|_| rng.u32(..3)).collect();
        let candidate = Group::symmetric(degree).random(&mut rng);
        let partition = Partition::from_keys(&keys);
        let cells: Vec<String> = partition.cells().iter().map(|cell| points_in_gap(cell)).collect();
        let set = points_in_gap(&points);
        script += &format!("g := {};;\n", group_in_gap(&group));
        script += "Print(Size(g), \"\\n\");\n";
        script += &format!("Print(Size(Stabilizer(g, {set}, OnTuples)), \"\\n\");\n");
        script += &format!("Print(Size(Stabilizer(g, {set}, OnSets)), \"\\n\");\n");
        script += &format!("Print(Size(Stabilizer(g, [{}], OnTuplesSets)), \"\\n\");\n", cells.join(", "));
        script += &format!("Print({} in g, \"\\n\");\n", in_gap(&candidate));
        expected.push(group.order().to_string());
        expected.push(group.pointwise_stabiliser(&points).order().to_string());
        expected.push(group.setwise_stabiliser(&points).order().to_string());
        expected.push(group.partition_stabiliser(&partition).order().to_string());
        expected.push(group.contains(&candidate).to_string());
    }
    if let Some(printed) = gap(&script) {
        assert_eq!(printed, expected);
    }
}

#[test]
fn stabilisers_are_the_same_groups() {
    let mut rng = fastrand::Rng::with_seed(2);
    let (mut script, mut n_checks) = (String::new(), 0);
    for group in sample() {
        let keys: Vec<u64> = (0..group.degree()).map(|_| rng.u64(..2)).collect();
        let ones: Vec<usize> = (0..group.degree()).filter(|&point| keys[point] == 1).collect();
        let found = ImageSearch::new(&group).canonical(&Word(&keys));
        let by_search = Group::new(group.degree(), found.automorphisms);
        script += &format!("g := {};;\n", group_in_gap(&group));
        script += &format!("s := Stabilizer(g, {}, OnSets);;\n", points_in_gap(&ones));
        script += &format!("Print(s = {}, \"\\n\");\n", group_in_gap(&group.setwise_stabiliser(&ones)));
        script += &format!("Print(s = {}, \"\\n\");\n", group_in_gap(&by_search));
        n_checks += 2;
    }
    if let Some(printed) = gap(&script) {
        assert_eq!(printed, vec!["true"; n_checks]);
    }
}

#[test]
fn orbits_and_primitivity_agree() {
    let (mut script, mut expected) = (String::new(), Vec::new());
    for group in sample() {
        let all: Vec<usize> = (0..group.degree()).collect();
        let is_transitive = group.orbits().n_cells() == 1;
        let is_primitive = is_transitive && minimal_block_systems(group.degree(), group.generators(), &all).is_empty();
        let domain = format!("[1..{}]", group.degree());
        script += &format!("g := {};;\n", group_in_gap(&group));
        script += &format!("Print(Length(Orbits(g, {domain})), \"\\n\");\n");
        script += &format!("Print(IsTransitive(g, {domain}) and IsPrimitive(g, {domain}), \"\\n\");\n");
        expected.push(group.orbits().n_cells().to_string());
        expected.push(is_primitive.to_string());
    }
    if let Some(printed) = gap(&script) {
        assert_eq!(printed, expected);
    }
}
