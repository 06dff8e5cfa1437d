//! `torture`: see `cargo xtask torture`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is run by people, who want to read")]

use std::fs;
use std::io::Write as _;
use std::process::{self, ExitCode};

use burnside_driver::on_large_stack;
use burnside_torture::{Options, Role, examine, processor_time, supervise, work};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = Options::parse(&words, "target/torture".into()).and_then(|options| match options.role {
        Role::Answerer => answer_files(&options),
        _ if !options.files.is_empty() => examine_files(&options),
        Role::Supervisor => run(&options),
        Role::Worker => work(&options),
        Role::Printer => print(&options),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let summary = supervise(options)?;
    print!("{summary}");
    if summary.has_found() { Err(format!("see {}", options.out.display())) } else { Ok(()) }
}

fn print(options: &Options) -> Result<(), String> {
    let source = options.source()?;
    for seed in options.seeds.clone() {
        let (class, text) = source.text(seed);
        println!("-- seed {seed}, class {class}\n{text}");
    }
    Ok(())
}

fn examine_files(options: &Options) -> Result<(), String> {
    let mut bad = 0;
    for path in &options.files {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let examination = on_large_stack(|| examine(&text)).map_err(|failure| failure.to_string())?;
        let (codes, wrong) = (examination.codes.join(" "), &examination.wrong);
        println!("{}: {:?} {codes}{wrong}", path.display(), examination.examined);
        for difference in &examination.differences {
            println!("  {difference}");
        }
        bad += usize::from(!examination.differences.is_empty());
    }
    if bad == 0 { Ok(()) } else { Err(format!("{bad} models with differences")) }
}

/// Lines of fields between tabs: a file is begun, and what came out. Whoever reads them knows what a process died of.
fn answer_files(options: &Options) -> Result<(), String> {
    for path in &options.files {
        say(&format!("begin\t{}", path.display()))?;
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let begun = processor_time(process::id()).unwrap_or_default();
        let examination = on_large_stack(|| examine(&text)).map_err(|failure| failure.to_string())?;
        let taken = processor_time(process::id()).unwrap_or_default() - begun;
        let mut fields = vec![format!("done\t{}\t{}", path.display(), taken.as_millis())];
        fields.extend(examination.differences.iter().map(|it| format!("! {}", one_line(&it.to_string()))));
        fields.push(format!("examined {:?} {}", examination.examined, examination.codes.join(" ")));
        fields.extend(examination.answers.iter().map(|it| one_line(it)));
        say(&fields.join("\t"))?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
