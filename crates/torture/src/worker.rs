//! The process that examines texts. It says on standard output what it is about to do, so that whoever watches knows
//! which text it died of.

use std::fs;
use std::io::Write as _;

use burnside_driver::on_large_stack;

use crate::{Campaign, Found, Options};

/// Examines texts until there are no more seeds, or nobody listens.
pub fn work(options: &Options) -> Result<(), String> {
    let source = options.source()?;
    fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    on_large_stack(|| {
        let mut campaign = Campaign::new(source);
        for seed in options.seeds.clone() {
            say(&format!("begin {seed}"))?;
            let (examination, found) = campaign.try_seed(seed);
            let kind = match &found {
                None => "-".to_owned(),
                Some(found) => {
                    keep(options, found)?;
                    let first = &found.differences[0];
                    format!("{} {} {}", found.class, first.trouble.name(), first.configuration)
                }
            };
            let (examined, symmetric) = (examination.examined, u8::from(examination.symmetric));
            say(&format!("done {seed} {examined:?} {symmetric} {} {kind}", examination.searches))?;
            if options.first && found.is_some() {
                break;
            }
        }
        Ok(())
    })
    .map_err(|failure| failure.to_string())?
}

fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn keep(options: &Options, found: &Found) -> Result<(), String> {
    let first = &found.differences[0];
    let name = format!("{}-{}-{}-{}", found.class, first.trouble.name(), first.configuration, found.seed);
    let path = options.out.join(format!("{name}.m"));
    let problem = |error| format!("{}: {error}", path.display());
    fs::write(&path, found.report()).map_err(problem)?;
    if found.shrunk.is_some() {
        fs::write(options.out.join(format!("{name}.whole")), &found.text).map_err(problem)?;
    }
    Ok(())
}
