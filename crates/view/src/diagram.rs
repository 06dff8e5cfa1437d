//! The static channel diagram of a Promela model, for Graphviz and as a drawing in a page.

use std::fmt::Write as _;

use burnside_driver::Diagram;

use crate::escaped;

/// Pixels between two rows, of a box, and from the left.
const ROW: usize = 44;
const BOX: [usize; 2] = [190, 28];
const CHANNELS_AT: usize = 420;

/// The diagram in Graphviz's language.
pub fn dot(diagram: &Diagram) -> String {
    let mut text = "digraph channels {\n  rankdir=LR;\n".to_owned();
    for (number, process) in diagram.processes.iter().enumerate() {
        let style = if diagram.open.contains(&number) { ", style=dashed" } else { "" };
        let _ = writeln!(text, "  p{number} [shape=box, label=\"{}\"{style}];", quoted(process));
    }
    for (number, channel) in diagram.channels.iter().enumerate() {
        let _ =
            writeln!(text, "  c{number} [shape=ellipse, label=\"{} [{}]\"];", quoted(&channel.name), channel.capacity);
    }
    for it in &diagram.uses {
        let _ = match it.sends {
            true => writeln!(text, "  p{} -> c{};", it.process, it.channel),
            false => writeln!(text, "  c{} -> p{};", it.channel, it.process),
        };
    }
    text + "}\n"
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A page with the diagram, if there is one, and what was found in words. Nothing else is loaded.
pub fn page(model: &str, diagram: Option<&Diagram>, sections: &[String]) -> String {
    let drawing = diagram.filter(|it| !it.processes.is_empty()).map_or_else(String::new, drawing);
    let sections: String = sections.iter().map(|text| format!("<pre>{}</pre>\n", escaped(text))).collect();
    let title = escaped(model);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Symmetry of {title}</title>\n\
         <style>body {{ font-family: sans-serif; margin: 2em }} pre {{ overflow-x: auto }} \
         svg {{ max-width: 100%; height: auto }} h1 {{ overflow-wrap: anywhere }}\n\
         .channel {{ fill: #eef }} .process {{ fill: #fff }} .open {{ stroke-dasharray: 4 }}</style></head>\n\
         <body><h1>Symmetry of {title}</h1>\n{drawing}{sections}</body></html>\n"
    )
}

/// Processes on the left, channels on the right, and an arrow for each use.
fn drawing(diagram: &Diagram) -> String {
    let n_rows = diagram.processes.len().max(diagram.channels.len());
    let middle = |row: usize| row * ROW + ROW / 2;
    let mut svg = format!(
        "<h2>Static channel diagram</h2>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" \
         viewBox=\"0 0 {0} {1}\" stroke=\"#333\" font-size=\"13\">\n<defs><marker id=\"to\" markerWidth=\"9\" \
         markerHeight=\"9\" refX=\"8\" refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
        CHANNELS_AT + BOX[0] + 10,
        n_rows * ROW + 10
    );
    for it in &diagram.uses {
        let process = (BOX[0] + 5, middle(it.process));
        let channel = (CHANNELS_AT, middle(it.channel));
        let (from, to) = if it.sends { (process, channel) } else { (channel, process) };
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" marker-end=\"url(#to)\"/>",
            from.0, from.1, to.0, to.1
        );
    }
    for (row, process) in diagram.processes.iter().enumerate() {
        let class = if diagram.open.contains(&row) { "process open" } else { "process" };
        svg += &labelled(class, (5, middle(row)), process);
    }
    for (row, channel) in diagram.channels.iter().enumerate() {
        svg += &labelled("channel", (CHANNELS_AT, middle(row)), &format!("{} [{}]", channel.name, channel.capacity));
    }
    let open = match diagram.open.is_empty() {
        true => "",
        false => "<p>Processes drawn with dashes also use channels named by a variable that changes.</p>\n",
    };
    svg + "</svg>\n" + open
}

fn labelled(class: &str, (x, middle): (usize, usize), text: &str) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\n\
         <text x=\"{}\" y=\"{}\" stroke=\"none\">{}</text>\n",
        middle - BOX[1] / 2,
        BOX[0],
        BOX[1],
        x + 8,
        middle + 5,
        escaped(text)
    )
}

#[cfg(test)]
mod tests {
    use burnside_driver::{Language, LoadOptions, load};

    use super::*;

    fn diagram() -> Diagram {
        let text = "chan box = [2] of { byte }; active proctype P() { box!1 } active proctype Q() { byte x; box?x }";
        let options = LoadOptions { diagram: true, ..LoadOptions::default() };
        load("m.pml", text, Language::Promela, &options).diagram.expect("it was asked for")
    }

    #[test]
    fn senders_point_at_channels_and_channels_at_receivers() {
        let text = dot(&diagram());
        for line in
            ["p0 [shape=box, label=\"P(0)\"];", "c0 [shape=ellipse, label=\"box [2]\"];", "p0 -> c0;", "c0 -> p1;"]
        {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn a_page_has_the_drawing_and_the_words() {
        let page = page("m.pml", Some(&diagram()), &["1 < 2".to_owned()]);
        assert_eq!(page.matches("<line ").count(), 2);
        assert!(page.contains("<pre>1 &lt; 2</pre>") && page.contains("box [2]"));
        assert!(!page.contains("http:") || page.matches("http:").count() == 1, "nothing is loaded: {page}");
    }
}
