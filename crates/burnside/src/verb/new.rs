//! `burnside new`: a small model to begin with, with what is expected of it.

use std::path::{Path, PathBuf};

use crate::args::{NewArgs, NewLanguage};
use crate::exit::Exit;
use crate::output::write_new;
use crate::terminal::Terminal;

const MURPHI: &str = include_str!("new/model.m");
const PROMELA: &str = include_str!("new/model.pml");

pub(crate) fn run(args: &NewArgs, terminal: &mut Terminal) -> Exit {
    let (text, path) = match args.language {
        NewLanguage::Murphi => (MURPHI, named(&args.name, &["m", "murphi"])),
        NewLanguage::Promela => (PROMELA, named(&args.name, &["pml", "prom", "promela"])),
    };
    if let Err(problem) = write_new(&path, text) {
        Terminal::alarm(&problem);
        return Exit::Failed;
    }
    let path = path.display();
    terminal.say(&format!(
        "wrote {path}; try `burnside check {path}`, `burnside test {path}` and `burnside simulate {path}`"
    ));
    Exit::Holds
}

/// The path with an extension that tells the language.
fn named(name: &Path, extensions: &[&str]) -> PathBuf {
    let has_one = name.extension().is_some_and(|it| extensions.iter().any(|known| it == *known));
    let mut path = name.as_os_str().to_owned();
    if !has_one {
        path.push(".");
        path.push(extensions[0]);
    }
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_added_where_there_is_none() {
        assert_eq!(named(Path::new("a/lock"), &["m", "murphi"]), Path::new("a/lock.m"));
        assert_eq!(named(Path::new("lock.murphi"), &["m", "murphi"]), Path::new("lock.murphi"));
        assert_eq!(named(Path::new("v1.2"), &["m", "murphi"]), Path::new("v1.2.m"));
    }
}
