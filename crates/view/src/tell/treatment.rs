//! How rules, start states and properties treat identities: which of them they leave alike, and which lines tell the
//! others apart.

use burnside_adaptive::Families;
use burnside_diag::{SourceMap, Span};
use burnside_ir::{Local, Model, Type, TypeId};
use serde_json::{Value, json};

use crate::quantity::counted;
use crate::report;

/// How many names, groups, cells or causes are shown if nobody asks for all of them.
const MOST_SHOWN: usize = 6;

/// Causes longer than this are cut.
const MOST_CHARS: usize = 60;

/// What is known of a model's identities, ready to be told.
pub struct Treatment<'a> {
    /// The model.
    pub model: &'a Model,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
    /// Which instances leave which identities alike.
    pub families: &'a Families,
}

/// A rule, start state or property that tells identities apart.
struct Part<'a> {
    kind: &'static str,
    name: &'a str,
    span: Span,
    groups: Vec<Group<'a>>,
    causes: Vec<Span>,
}

/// For each parameter, a cell in which it lies.
type Place = Vec<Vec<usize>>;

/// Some instances, and the cells of points that they leave alike.
struct Group<'a> {
    /// The names of parameters, and the choices of cells in which they may lie; nothing if all instances are meant.
    places: Option<(Vec<&'a str>, Vec<Place>)>,
    cells: Vec<Vec<usize>>,
}

impl<'a> Treatment<'a> {
    /// A few lines; nothing for models without identities.
    pub fn text(&self, all: bool) -> Option<String> {
        let classes = self.families.identities.classes().iter();
        let classes: Vec<String> =
            classes.map(|class| format!("the {} values of `{}`", class.size, self.class_name(&class.types))).collect();
        if classes.is_empty() {
            return None;
        }
        let (parts, n_alike) = self.parts();
        if parts.is_empty() {
            return Some("all rules, start states and properties leave all identities alike\n".to_owned());
        }
        let words = [("rule", "rules"), ("start state", "start states"), ("property", "properties")];
        let alike = n_alike.into_iter().zip(words).filter(|(n, _)| *n > 0);
        let alike: Vec<String> = alike.map(|(n, (one, many))| counted(n, one, many)).collect();
        let mut lines = vec![match &alike[..] {
            [] => format!("{} are told apart by all rules and properties", join(&classes)),
            _ => format!("{} are alike for {}; told apart by", join(&classes), join(&alike)),
        }];
        let mut told: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for part in &parts {
            let (name, story) = (format!("{} \"{}\"", part.kind, part.name), self.story(part, all));
            match told.iter_mut().find(|(_, known)| *known == story) {
                Some((names, _)) => names.push(name),
                None => told.push((vec![name], story)),
            }
        }
        for (names, story) in told {
            lines.push(format!("  {}", join(&shorten(names, all))));
            lines.extend(story.into_iter().map(|line| format!("    {line}")));
        }
        Some(lines.join("\n") + "\n")
    }

    /// The same with everything, for programs.
    pub fn json(&self) -> Value {
        let (parts, _) = self.parts();
        let parts = parts.iter().map(|part| {
            let (line, column) = report::place(part.span, self.sources);
            let groups = part.groups.iter().map(|group| {
                let places = group.places.iter().flat_map(|(names, places)| {
                    places.iter().map(move |place| {
                        let cells = names.iter().zip(place);
                        cells.map(|(name, cell)| ((*name).to_owned(), json!(self.members(cell)))).collect::<Value>()
                    })
                });
                let cells: Vec<Vec<String>> = group.cells.iter().map(|cell| self.members(cell)).collect();
                json!({ "parameters": places.collect::<Vec<_>>(), "cells": cells })
            });
            let causes = part.causes.iter().map(|&cause| {
                let (line, column) = report::place(cause, self.sources);
                json!({ "line": line, "column": column, "text": self.words(cause) })
            });
            json!({
                "kind": part.kind, "name": part.name, "line": line, "column": column,
                "groups": groups.collect::<Vec<_>>(), "broken_by": causes.collect::<Vec<_>>(),
            })
        });
        parts.collect()
    }

    /// Everything that tells identities apart, and how many rules, start states and properties do not.
    fn parts(&self) -> (Vec<Part<'a>>, [u64; 3]) {
        let (model, families) = (self.model, self.families);
        let whole = burnside_analysis::coarsest(&families.identities);
        let mut parts = Vec::new();
        let mut n_alike = [0; 3];
        let rules = model.rules.iter().map(|it| ("rule", &it.name, it.span, &it.locals));
        let starts = model.starts.iter().map(|it| ("start state", &it.name, it.span, &it.locals));
        let sources = rules.zip(&families.rules).chain(starts.zip(&families.starts));
        for ((kind, name, span, locals), family) in sources {
            if family.groups.iter().all(|group| group.partition == whole) {
                n_alike[usize::from(kind != "rule")] += 1;
                continue;
            }
            let groups = family.groups.iter().map(|group| {
                let names = family.params.iter().map(|param| local_name(locals, param.local.index())).collect();
                let cells = family.whole.cells();
                let place = |place: &Vec<usize>| place.iter().map(|&cell| cells[cell].clone()).collect();
                let places: Vec<Place> = group.places().iter().map(place).collect();
                let places = (family.groups.len() > 1).then_some((names, places));
                Group { places, cells: group.partition.cells() }
            });
            parts.push(Part { kind, name, span, groups: groups.collect(), causes: family.causes.clone() });
        }
        for (property, family) in model.properties.iter().zip(&families.properties) {
            if family.whole == whole {
                n_alike[2] += 1;
                continue;
            }
            let groups = vec![Group { places: None, cells: family.whole.cells() }];
            let (name, span) = (&property.name, property.span);
            parts.push(Part { kind: "property", name, span, groups, causes: family.causes.clone() });
        }
        (parts, n_alike)
    }

    /// The cells of each group, and the causes.
    fn story(&self, part: &Part<'_>, all: bool) -> Vec<String> {
        let groups = part.groups.iter().map(|group| {
            let cells = self.cells(&group.cells, all);
            match &group.places {
                Some((names, places)) => format!("with {}: {cells}", self.places(names, places, all)),
                None => cells,
            }
        });
        let mut lines = shorten(groups.collect(), all);
        let causes = part.causes.iter();
        let causes: Vec<String> =
            causes.map(|&cause| format!("`{}` at {}", self.words(cause), self.sources.locate(cause))).collect();
        match &causes[..] {
            [] => lines.push("because rules have priorities, and others tell identities apart".to_owned()),
            _ => lines.extend(shorten(causes, all).into_iter().map(|cause| format!("because of {cause}"))),
        }
        lines
    }

    /// Where parameters lie: `p in {1, 2}`, or `(p, q) in {1}×{2, 3}`.
    fn places(&self, names: &[&str], places: &[Place], all: bool) -> String {
        if let [name] = names {
            let mut points: Vec<usize> = places.iter().flatten().flatten().copied().collect();
            points.sort_unstable();
            return format!("{name} in {}", self.cell(&points));
        }
        let product = |place: &Place| {
            let cells: Vec<String> = place.iter().map(|cell| self.cell(cell)).collect();
            cells.join("×")
        };
        let products = shorten(places.iter().map(product).collect(), all);
        format!("({}) in {}", names.join(", "), join(&products))
    }

    /// The cells of the classes that are split.
    fn cells(&self, cells: &[Vec<usize>], all: bool) -> String {
        let identities = &self.families.identities;
        let classes = identities.classes().iter().enumerate().filter_map(|(number, class)| {
            let own: Vec<&Vec<usize>> = cells.iter().filter(|cell| identities.class_of(cell[0]) == number).collect();
            let shown = match own.len() {
                1 => return None,
                n if n == class.size && n > MOST_SHOWN && !all => "each by itself".to_owned(),
                _ => shorten(own.into_iter().map(|cell| self.cell(cell)).collect(), all).join(" "),
            };
            let is_only = identities.classes().len() == 1;
            Some(if is_only { shown } else { format!("`{}` {shown}", self.class_name(&class.types)) })
        });
        let classes: Vec<String> = classes.collect();
        if classes.is_empty() { "all alike".to_owned() } else { classes.join(", ") }
    }

    /// A cell, three or more in a row as a range.
    fn cell(&self, points: &[usize]) -> String {
        let runs = points.chunk_by(|&one, &next| next == one + 1).flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{}..{}", self.short_name(*first), self.short_name(*last))],
            _ => run.iter().map(|&point| self.short_name(point)).collect(),
        });
        format!("{{{}}}", runs.collect::<Vec<_>>().join(", "))
    }

    fn members(&self, points: &[usize]) -> Vec<String> {
        let member = |&point: &usize| {
            let (ty, value) = self.value(point);
            self.model.types.value_name(ty, value)
        };
        points.iter().map(member).collect()
    }

    /// What a member is called where its class is known.
    fn short_name(&self, point: usize) -> String {
        let (ty, value) = self.value(point);
        match self.model.types.get(ty) {
            Type::Id(_) => (value + 1).to_string(),
            _ => self.model.types.value_name(ty, value),
        }
    }

    fn value(&self, point: usize) -> (TypeId, i64) {
        let identities = &self.families.identities;
        let class = &identities.classes()[identities.class_of(point)];
        let ty = self.named(&class.types);
        (ty, self.model.types.shape(ty).lo + (point - class.first) as i64)
    }

    fn class_name(&self, types: &[TypeId]) -> String {
        self.model.types.type_name(self.named(types))
    }

    fn named(&self, types: &[TypeId]) -> TypeId {
        let named = types.iter().find(|&&ty| self.model.types.def(ty).name.is_some());
        *named.unwrap_or(&types[0])
    }

    /// The text of a span, on one line.
    fn words(&self, span: Span) -> String {
        let text = self.sources.get(span.file).map_or("", |file| file.slice(span));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // A span begins with its first operand, inside the parentheses that may be around it.
        let n_unopened = words.matches(')').count().saturating_sub(words.matches('(').count());
        let words = "(".repeat(n_unopened) + &words;
        match words.char_indices().nth(MOST_CHARS) {
            Some((end, _)) => format!("{}…", words[..end].trim_end()),
            None => words,
        }
    }
}

fn local_name(locals: &[Local], number: usize) -> &str {
    &locals[number].name
}

/// The first few, and how many more there are.
fn shorten(mut items: Vec<String>, all: bool) -> Vec<String> {
    if !all && items.len() > MOST_SHOWN + 1 {
        let n_more = items.len() - MOST_SHOWN;
        items.truncate(MOST_SHOWN);
        items.push(format!("{n_more} more (`-v` shows them)"));
    }
    items
}

/// `a`, `a and b`, `a, b and c`.
fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
