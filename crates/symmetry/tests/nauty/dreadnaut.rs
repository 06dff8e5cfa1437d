//! Talks to `dreadnaut`, the program through which nauty is used by hand.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use burnside_testkit::missing;

use crate::graph::Graph;

/// What nauty says of a coloured graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Equal for graphs that can be renamed into each other and for no others.
    pub(crate) form: String,
    /// The number of automorphisms.
    pub(crate) n_automorphisms: u128,
}

/// Stands between answers.
const MARK: &str = "====";

/// The answers for some graphs, or `None` if the program is not installed.
pub(crate) fn ask(graphs: &[Graph]) -> Option<Vec<Answer>> {
    let spawned = Command::new("dreadnaut").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        missing("dreadnaut", "`dreadnaut` on the PATH (Debian's `nauty`)");
        return None;
    };
    // Sparse graphs, no automorphisms listed, no line breaks, a canonical labelling wanted.
    let mut script = String::from("As -a -m l=0 c\n");
    graphs.iter().for_each(|graph| question(graph, &mut script));
    script.push_str("q\n");
    let mut input = child.stdin.take().expect("stdin is piped");
    let writer = thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("dreadnaut ends");
    writer.join().expect("the writer does not panic").expect("dreadnaut reads its script");
    let text = String::from_utf8(output.stdout).expect("dreadnaut prints text");
    let answers: Vec<Answer> = text.split(MARK).zip(graphs).map(|(said, graph)| answer(said, graph)).collect();
    assert_eq!(answers.len(), graphs.len(), "one answer for each graph");
    Some(answers)
}

fn question(graph: &Graph, script: &mut String) {
    let neighbours = graph.neighbours();
    let lists = neighbours.iter().enumerate().filter(|(_, neighbours)| !neighbours.is_empty());
    let lists: Vec<String> = lists.map(|(vertex, neighbours)| format!("{vertex}:{}", words(neighbours))).collect();
    let cells: Vec<String> = graph.cells().values().map(|cell| words(cell)).collect();
    let (n, lists, cells) = (neighbours.len(), lists.join(";\n"), cells.join("|"));
    let _ = writeln!(script, "n={n} g {lists}.\nf=[{cells}]\nx b \"{MARK}\"");
}

fn words(vertices: &[usize]) -> String {
    vertices.iter().map(|vertex| format!(" {vertex}")).collect()
}

/// The canonical graph has its vertices in the order of the cells, so with the colours and sizes of those it says all.
fn answer(said: &str, graph: &Graph) -> Answer {
    let size = said.split("grpsize=").nth(1).and_then(|rest| rest.split(';').next()).expect("a group has a size");
    let n_automorphisms = size.parse().unwrap_or_else(|_| panic!("`{size}` is no exact number"));
    let mut form = String::new();
    for (colour, cell) in graph.cells() {
        let _ = writeln!(form, "{}: {colour}", cell.len());
    }
    for line in said.lines().filter(|line| line.contains(" :")) {
        let _ = writeln!(form, "{}", line.trim());
    }
    Answer { form, n_automorphisms }
}
