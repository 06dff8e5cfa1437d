//! `burnside man`: a manual page for the program and for each verb, from the same descriptions as `--help`.

use std::fmt::Write as _;
use std::fs;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::{Cli, ManArgs};
use crate::exit::Exit;
use crate::output::{words, write_text};
use crate::terminal::Terminal;

pub(crate) fn run(args: &ManArgs, terminal: &mut Terminal) -> Exit {
    if let Err(error) = fs::create_dir_all(&args.directory) {
        Terminal::alarm(&format!("cannot write to `{}`: {}", args.directory.display(), words(&error)));
        return Exit::Failed;
    }
    for (name, page) in pages() {
        let path = args.directory.join(format!("{name}.1"));
        if let Err(problem) = write_text(&path, &page) {
            Terminal::alarm(&problem);
            return Exit::Failed;
        }
        terminal.say(&path.display().to_string());
    }
    Exit::Holds
}

/// All pages with their names.
fn pages() -> Vec<(String, String)> {
    let mut program = Cli::command();
    program.build();
    let verbs: Vec<Command> = program.get_subcommands().filter(|it| it.get_name() != "help").cloned().collect();
    let mut pages = vec![("burnside".to_owned(), page("burnside", &program, &verbs))];
    for verb in &verbs {
        let name = format!("burnside-{}", verb.get_name());
        let text = page(&name, verb, &[]);
        pages.push((name, text));
    }
    pages
}

fn page(name: &str, command: &Command, verbs: &[Command]) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut out = format!(
        ".TH {} 1 \"\" \"Burnside {}\" \"User commands\"\n.SH NAME\n{} \\- {}\n",
        name.to_uppercase(),
        env!("CARGO_PKG_VERSION"),
        escaped(name),
        escaped(about.trim_end_matches('.'))
    );
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).lines().map(str::trim);
    let _ = writeln!(out, ".SH SYNOPSIS\n.nf\n{}\n.fi", escaped(&usage.collect::<Vec<_>>().join("\n")));
    if let Some(long) = command.get_long_about() {
        let _ = writeln!(out, ".SH DESCRIPTION\n{}", escaped(&long.to_string()));
    }
    let shown = |arg: &&Arg| !arg.is_hide_set();
    section(&mut out, "ARGUMENTS", command.get_positionals().filter(shown));
    section(&mut out, "OPTIONS", command.get_opts().chain(command.get_arguments().filter(is_flag)).filter(shown));
    if !verbs.is_empty() {
        out += ".SH VERBS\n";
        for verb in verbs {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, ".TP\n.B {}\n{}", escaped(verb.get_name()), escaped(&about));
        }
    }
    if let Some(after) = command.get_after_long_help() {
        let _ = writeln!(out, ".SH NOTES\n.nf\n{}\n.fi", escaped(after.to_string().trim_end()));
    }
    out
}

fn is_flag(arg: &&Arg) -> bool {
    !arg.is_positional() && !arg.get_action().takes_values()
}

fn section<'a>(out: &mut String, title: &str, args: impl Iterator<Item = &'a Arg>) {
    let mut args = args.peekable();
    if args.peek().is_none() {
        return;
    }
    let _ = writeln!(out, ".SH {title}");
    for arg in args {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        let mut forms: Vec<String> = short.into_iter().chain(long).collect();
        if forms.is_empty() {
            forms.push(arg.get_id().to_string().to_uppercase());
        } else if arg.get_action().takes_values() {
            let value = arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
            forms.iter_mut().for_each(|form| *form += &format!(" {value}"));
        }
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let stop = if help.is_empty() || help.ends_with('.') { "" } else { "." };
        let _ = writeln!(out, ".TP\n.B {}\n{}{stop}", escaped(&forms.join(", ")), escaped(&help));
        let values = arg.get_possible_values();
        let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        if !values.is_empty() && arg.get_action().takes_values() {
            let _ = writeln!(out, "One of {}.", escaped(&values.join(", ")));
        }
    }
}

/// A text that the formatter does not take for commands.
fn escaped(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_and_every_option_has_its_place() {
        let pages = pages();
        let mut program = Cli::command();
        program.build();
        for verb in program.get_subcommands().filter(|it| it.get_name() != "help") {
            let name = format!("burnside-{}", verb.get_name());
            let (_, page) = pages.iter().find(|(it, _)| *it == name).unwrap_or_else(|| panic!("{name} is missing"));
            for long in verb.get_arguments().filter(|it| !it.is_hide_set()).filter_map(Arg::get_long) {
                assert!(page.contains(&escaped(&format!("--{long}"))), "{name}: --{long} is missing");
            }
        }
    }

    #[test]
    fn no_line_of_text_is_a_command() {
        assert_eq!(escaped(".x\n'y\na-b\\c"), "\\&.x\n\\&'y\na\\-b\\ec");
    }
}
