//! Where texts come from: a seed gives a text, the same on every machine.

use std::fs;
use std::path::Path;

use burnside_testkit::torture::{self, Class, Knobs};

/// Longer models are not mutated: they would take too long.
const MOST_BYTES: usize = 12_000;

/// Gives texts for seeds.
pub enum Source {
    /// The generator.
    Generator(Knobs),
    /// Mutations of these texts.
    Mutator(Vec<String>),
}

impl Source {
    /// The generator with its own mixture, or with one class of traps in every text.
    pub fn generator(class: Option<Class>) -> Self {
        Self::Generator(class.map_or_else(Knobs::default, Knobs::only))
    }

    /// Mutations of the Murphi models in some folders.
    pub fn mutator(folders: &[impl AsRef<Path>]) -> Result<Self, String> {
        let mut texts = Vec::new();
        for folder in folders {
            collect(folder.as_ref(), &mut texts)?;
        }
        if texts.is_empty() { Err("there is no model to mutate".to_owned()) } else { Ok(Self::Mutator(texts)) }
    }

    /// The text for a seed, and what it is called in reports.
    pub fn text(&self, seed: u64) -> (String, String) {
        match self {
            Self::Generator(knobs) => {
                let made = torture::torture_text(seed, knobs);
                (made.class.name().to_owned(), made.text)
            }
            Self::Mutator(texts) => {
                let at = (seed % texts.len() as u64) as usize;
                ("mutant".to_owned(), torture::mutate_text(seed, &texts[at], texts))
            }
        }
    }
}

/// The models below a folder, in the order of their names.
fn collect(folder: &Path, texts: &mut Vec<String>) -> Result<(), String> {
    let problem = |error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(problem)? {
        paths.push(entry.map_err(problem)?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts)?;
        } else if path.extension().is_some_and(|it| it == "m") {
            let bytes = fs::read(&path).map_err(problem)?;
            if bytes.len() <= MOST_BYTES {
                texts.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(())
}
