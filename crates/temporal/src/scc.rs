//! Strongly connected components, by Tarjan's algorithm without recursion.

/// A number that no node has.
const NONE: u32 = u32::MAX;

/// A graph whose nodes are small numbers, known when they are met.
pub(crate) trait Successors {
    /// Appends the targets of a node's edges; they may be nodes that nobody has met before.
    fn successors(&mut self, node: u32, out: &mut Vec<u32>);
}

impl<F: FnMut(u32, &mut Vec<u32>)> Successors for F {
    fn successors(&mut self, node: u32, out: &mut Vec<u32>) {
        self(node, out);
    }
}

/// A strongly connected set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) nodes: Vec<u32>,
    /// Whether an edge stays inside, so that a path can stay for ever.
    pub(crate) has_cycle: bool,
}

/// The components of what `roots` reach, each after all that it reaches.
pub(crate) fn components(roots: &[u32], graph: impl Successors) -> Vec<Component> {
    let mut found = Vec::new();
    for_each_component(roots, graph, |nodes, has_cycle| found.push(Component { nodes: nodes.to_vec(), has_cycle }));
    found
}

/// Calls `visit` with the nodes of every component of what `roots` reach, each after all that it reaches, and with
/// whether an edge stays inside.
pub(crate) fn for_each_component(roots: &[u32], mut graph: impl Successors, mut visit: impl FnMut(&[u32], bool)) {
    let mut search = Tarjan::default();
    for &root in roots {
        if search.number(root) != NONE {
            continue;
        }
        search.enter(root, &mut graph);
        while let Some((first, has_cycle)) = search.advance(&mut graph) {
            visit(&search.live[first..], has_cycle);
            search.live.truncate(first);
        }
    }
}

/// A node on the path from the root, with its successors on the common stack from `first` on.
struct Frame {
    node: u32,
    first: usize,
    has_loop: bool,
}

#[derive(Default)]
struct Tarjan {
    /// The order in which nodes were met; `NONE` if not met. Nodes of finished components have `done` set.
    numbers: Vec<u32>,
    low: Vec<u32>,
    done: Vec<bool>,
    count: u32,
    live: Vec<u32>,
    path: Vec<Frame>,
    successors: Vec<u32>,
}

impl Tarjan {
    fn number(&mut self, node: u32) -> u32 {
        let at = node as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
            self.low.resize(at + 1, NONE);
            self.done.resize(at + 1, false);
        }
        self.numbers[at]
    }

    fn enter(&mut self, node: u32, graph: &mut impl Successors) {
        self.numbers[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.count += 1;
        self.live.push(node);
        let first = self.successors.len();
        graph.successors(node, &mut self.successors);
        self.path.push(Frame { node, first, has_loop: false });
    }

    /// Goes on to the next finished component: where it begins among the live nodes, which the caller takes off, and whether
    /// an edge stays inside. `None` when the root is finished.
    fn advance(&mut self, graph: &mut impl Successors) -> Option<(usize, bool)> {
        while let Some(frame) = self.path.last_mut() {
            let node = frame.node;
            if self.successors.len() > frame.first {
                let target = self.successors.pop().expect("longer than `first`");
                frame.has_loop |= target == node;
                if self.number(target) == NONE {
                    self.enter(target, graph);
                } else if !self.done[target as usize] {
                    let number = self.numbers[target as usize];
                    self.low[node as usize] = self.low[node as usize].min(number);
                }
                continue;
            }
            let has_loop = frame.has_loop;
            self.path.pop();
            let low = self.low[node as usize];
            if let Some(parent) = self.path.last() {
                let parent = parent.node as usize;
                self.low[parent] = self.low[parent].min(low);
            }
            if low == self.numbers[node as usize] {
                return Some(self.finish(node, has_loop));
            }
        }
        None
    }

    fn finish(&mut self, root: u32, has_loop: bool) -> (usize, bool) {
        let first = self.live.iter().rposition(|&node| node == root).expect("the root is live");
        for &node in &self.live[first..] {
            self.done[node as usize] = true;
        }
        (first, has_loop || self.live.len() - first > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: &[(u32, u32)], expected: &[(&[u32], bool)]) {
        let graph = |node: u32, out: &mut Vec<u32>| {
            out.extend(edges.iter().filter(|&&(from, _)| from == node).map(|&(_, to)| to));
        };
        let mut found: Vec<_> = components(&[0], graph).into_iter().map(|c| (c.nodes, c.has_cycle)).collect();
        found.iter_mut().for_each(|(nodes, _)| nodes.sort_unstable());
        let expected: Vec<_> = expected.iter().map(|(nodes, cycle)| (nodes.to_vec(), *cycle)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn components_come_after_what_they_reach() {
        check(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3)], &[(&[3], true), (&[1, 2], true), (&[0], false)]);
    }

    #[test]
    fn edges_to_finished_components_do_not_join() {
        check(&[(0, 1), (0, 2), (2, 1), (2, 0)], &[(&[1], false), (&[0, 2], true)]);
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let n = 200_000;
        let graph = |node: u32, out: &mut Vec<u32>| out.push((node + 1) % n);
        assert_eq!(components(&[0], graph).len(), 1);
    }
}
