//! `burnside new`: a small model to begin with, with what is expected of it.

use std::path::{Path, PathBuf};

use crate::args::{NewArgs, NewLanguage};
use crate::command::typed;
use crate::exit::Exit;
use crate::output::write_new;
use crate::terminal::Terminal;

const MURPHI: &str = include_str!("new/model.m");
const PROMELA: &str = include_str!("new/model.pml");
const MURPHI_EXTENSIONS: [&str; 2] = ["m", "murphi"];
const PROMELA_EXTENSIONS: [&str; 3] = ["pml", "prom", "promela"];

pub(crate) fn run(args: &NewArgs, terminal: &mut Terminal) -> Exit {
    let language = args.language.unwrap_or_else(|| language_of(&args.name));
    let (text, path) = match language {
        NewLanguage::Murphi => (MURPHI, named(&args.name, &MURPHI_EXTENSIONS)),
        NewLanguage::Promela => (PROMELA, named(&args.name, &PROMELA_EXTENSIONS)),
    };
    if let Err(problem) = write_new(&path, text) {
        Terminal::alarm(&problem);
        return Exit::Failed;
    }
    let path = typed(path.as_os_str());
    terminal.say(&format!(
        "wrote {path}; try `burnside check {path}`, `burnside test {path}` and `burnside simulate {path}`"
    ));
    Exit::Holds
}

/// The language that a file's name tells.
fn language_of(name: &Path) -> NewLanguage {
    let is_promela = name.extension().is_some_and(|it| PROMELA_EXTENSIONS.iter().any(|known| it == *known));
    if is_promela { NewLanguage::Promela } else { NewLanguage::Murphi }
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
        assert_eq!(language_of(Path::new("lock.pml")), NewLanguage::Promela);
        assert_eq!(language_of(Path::new("lock.m")), NewLanguage::Murphi);
    }
}
