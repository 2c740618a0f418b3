//! Makes a failing program small: all smaller programs that one step gives are tried in one crate, the smallest that
//! fails in the same way is kept, until none does.

use std::io;
use std::time::{Duration, Instant};

use hunt::random::Random;

use crate::batch::{Candidate, Verdict, Workshop};
use crate::tree::{Node, Part, Sort, Ty, tree};

/// How many programs are tried at once.
const AT_ONCE: usize = 24;

/// The smallest program found within the time that fails as `verdict` says.
pub(crate) fn shrink(
    shop: &Workshop,
    seed: u64,
    program: Node,
    verdict: &Verdict,
    limit: Duration,
) -> io::Result<Node> {
    let start = Instant::now();
    let mut best = program;
    let mut random = Random::new(seed);
    for _ in 0..60 {
        let mut candidates: Vec<Node> = Vec::new();
        for percent in [75, 50, 50, 25, 25, 15] {
            let thinned = thin(&best, &mut random, percent);
            if thinned.weight() < best.weight() {
                candidates.push(thinned);
            }
        }
        step(&best, &best, &mut candidates);
        candidates.retain(|c| c.weight() < best.weight() && is_closed(&best, c));
        candidates.sort_by_key(Node::weight);
        candidates.dedup_by_key(|c| c.print(crate::tree::Numbers::Plain));
        let mut found = None;
        for chunk in candidates.chunks(AT_ONCE) {
            if start.elapsed() > limit {
                return Ok(best);
            }
            let texts: Vec<Candidate> = chunk.iter().map(|c| Candidate::new(seed, c)).collect();
            found = shop.like(&texts, verdict)?.map(|i| chunk[i].clone());
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(smaller) => best = smaller,
            None => break,
        }
    }
    Ok(best)
}

/// Nothing that was declared before is missing now where it is used.
fn is_closed(before: &Node, after: &Node) -> bool {
    let (declared, defs) = (before.defs(), after.defs());
    after
        .uses()
        .iter()
        .all(|name| defs.contains(name) || !declared.contains(name))
}

/// Without some of its statements and items.
fn thin(node: &Node, random: &mut Random, percent: usize) -> Node {
    let parts = node
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Node(n) if n.sort == Sort::Stmt && random.chance(percent) => None,
            Part::Node(n) => Some(Part::Node(thin(n, random, percent))),
            other => Some(other.clone()),
        })
        .collect();
    Node {
        sort: node.sort.clone(),
        parts,
        size: node.size,
    }
}

/// All programs that one change of `root` gives.
fn step(root: &Node, node: &Node, out: &mut Vec<Node>) {
    let mut path = Vec::new();
    walk(root, node, &mut path, out);
}

fn walk(root: &Node, node: &Node, path: &mut Vec<usize>, out: &mut Vec<Node>) {
    for (i, part) in node.parts.iter().enumerate() {
        let Part::Node(child) = part else { continue };
        path.push(i);
        for replacement in replacements(child) {
            out.push(replaced(root, path, &replacement));
        }
        walk(root, child, path, out);
        path.pop();
    }
}

/// What may stand in place of a node: nothing, parts of it, a leaf.
fn replacements(node: &Node) -> Vec<Vec<Node>> {
    let mut out = Vec::new();
    match &node.sort {
        Sort::Item => out.push(Vec::new()),
        Sort::Stmt => {
            out.push(Vec::new());
            let mut inner = Vec::new();
            collect(node, &mut |n| n.sort == Sort::Block, &mut inner);
            for block in inner {
                let statements = block.parts.iter().filter_map(|p| match p {
                    Part::Node(n) => Some(n.clone()),
                    _ => None,
                });
                out.push(statements.collect());
            }
        }
        Sort::Expr(ty) => {
            match ty {
                Ty::Float => out.push(vec![Node::number(0.5)]),
                Ty::Int => out.push(vec![tree!(node.sort.clone(), "1")]),
                Ty::Bool => {
                    out.push(vec![tree!(node.sort.clone(), "true")]);
                    out.push(vec![tree!(node.sort.clone(), "false")]);
                }
                Ty::Option => {
                    out.push(vec![tree!(node.sort.clone(), "Some($)", Node::number(0.5))]);
                }
                _ => {}
            }
            let mut inner = Vec::new();
            collect(node, &mut |n| n.sort == node.sort, &mut inner);
            out.extend(inner.into_iter().take(6).map(|n| vec![n]));
        }
        Sort::Block | Sort::Fixed => {}
    }
    out
}

/// Outermost nodes below that are wanted.
fn collect(node: &Node, wanted: &mut dyn FnMut(&Node) -> bool, out: &mut Vec<Node>) {
    for part in &node.parts {
        if let Part::Node(n) = part {
            if wanted(n) {
                out.push(n.clone());
            } else {
                collect(n, wanted, out);
            }
        }
    }
}

/// The tree with other nodes in one place.
fn replaced(node: &Node, path: &[usize], with: &[Node]) -> Node {
    let mut parts = node.parts.clone();
    if let [last] = path {
        parts.splice(*last..=*last, with.iter().cloned().map(Part::Node));
    } else if let Part::Node(child) = &node.parts[path[0]] {
        parts[path[0]] = Part::Node(replaced(child, &path[1..], with));
    }
    Node {
        sort: node.sort.clone(),
        parts,
        size: node.size,
    }
}
