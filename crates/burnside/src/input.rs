//! Files in and out.

use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use burnside_audit::{Certificate, Digest, digest};
use burnside_diag::{Code, Diagnostic, Span};
use burnside_driver::{ClaimSource, Language, LoadOptions, Loaded, load_with, printable};

use crate::args::{Definition, LanguageArg, ModelArgs};
use crate::output::{is_stdout, words};

const BAD_DEFINITION: Code = Code("bad-definition");
const BAD_OPTION: Code = Code("bad-option");
const UNREADABLE: Code = Code("unreadable-file");
const UNKNOWN_LANGUAGE: Code = Code("unknown-language");

/// A model and what it is called.
pub(crate) struct Input {
    /// As given on the command line, or `<stdin>`.
    pub(crate) name: String,
    /// How its text is read, if that is known.
    pub(crate) language: Option<Language>,
    /// The hash of its text, if it could be read.
    pub(crate) text: Option<Digest>,
    pub(crate) loaded: Loaded,
}

/// Reads and prepares the model the arguments name. Whatever goes wrong is among its diagnostics.
pub(crate) fn read_model(args: &ModelArgs) -> Input {
    read_model_for(args, &[])
}

/// The same, with the static channel diagram of a Promela model.
pub(crate) fn read_model_and_diagram(args: &ModelArgs) -> Input {
    read(args, |options| options.diagram = true)
}

/// What the model is called in messages.
pub(crate) fn model_name(args: &ModelArgs) -> String {
    match args.model.as_os_str() == "-" {
        true => "<stdin>".to_owned(),
        false => printable(&args.model.display().to_string()).into_owned(),
    }
}

/// The same, with the properties that alone are to be checked.
pub(crate) fn read_model_for(args: &ModelArgs, asked: &[String]) -> Input {
    read(args, |options| options.asked = asked.to_vec())
}

fn read(args: &ModelArgs, wish: impl FnOnce(&mut LoadOptions)) -> Input {
    let name = model_name(args);
    let language = find_language(args);
    let text = match &language {
        Ok(_) => read_text(&args.model, "the model").map(Some),
        Err(_) => Ok(None),
    };
    let hash = text.as_ref().ok().and_then(|text| text.as_ref()).map(|text| digest(text.as_bytes()));
    let (language, loaded) = match (language, text) {
        (Ok(language), Ok(Some(text))) => (Some(language), load_model(args, wish, (&name, &text, language))),
        (Err(diagnostic), _) => (None, refused(*diagnostic)),
        (Ok(language), Err(diagnostic)) => (Some(language), refused(*diagnostic)),
        (Ok(_), Ok(None)) => unreachable!("a text is read whenever its language is known"),
    };
    Input { name, language, text: hash, loaded }
}

fn load_model(
    args: &ModelArgs,
    wish: impl FnOnce(&mut LoadOptions),
    (name, text, language): (&str, &str, Language),
) -> Loaded {
    if let Some(twice) = given_twice(&args.define) {
        return refused(twice);
    }
    let is_number = |it: &&Definition| it.number().is_none();
    if let Some(wrong) = args.define.iter().find(is_number).filter(|_| language != Language::Promela) {
        let message = match &wrong.value {
            Some(value) => format!("`{value}` is not an integer, and `-D` gives it to the constant `{}`", wrong.name),
            None => format!("`-D {wrong}` gives `{}` no value", wrong.name),
        };
        return refused(Diagnostic::error(BAD_DEFINITION, message, Span::NOWHERE).help("write it like `-D NAME=3`"));
    }
    let promela_only = [
        ("--claims", args.claims),
        ("--acceptance", args.acceptance),
        ("--nonprogress", args.nonprogress),
        ("--ignore-assertions", args.ignore_assertions),
        ("--slim", args.slim),
        ("--promises", args.promises),
    ];
    if let Some((option, _)) = promela_only.iter().find(|(_, is_given)| *is_given && language != Language::Promela) {
        let message = format!("`{option}` is about Promela models alone");
        return refused(Diagnostic::error(BAD_OPTION, message, Span::NOWHERE).help("leave it out"));
    }
    let own = args.model.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut finder = |name: &str, quoted: bool, from: &str| find_included(name, quoted, from, &own, &args.include);
    match load_options(args) {
        Ok(mut options) => {
            wish(&mut options);
            load_with(name, text, language, &options, &mut finder)
        }
        Err(diagnostic) => refused(*diagnostic),
    }
}

/// How the model's text is read, if that is known.
pub(crate) fn language(args: &ModelArgs) -> Option<Language> {
    find_language(args).ok()
}

fn find_language(args: &ModelArgs) -> Result<Language, Box<Diagnostic>> {
    match args.language {
        LanguageArg::Murphi => Ok(Language::Murphi),
        LanguageArg::Promela => Ok(Language::Promela),
        LanguageArg::Ir => Ok(Language::Ir),
        LanguageArg::Auto if args.model.as_os_str() == "-" => Ok(Language::Murphi),
        LanguageArg::Auto if args.model.is_dir() => Err(directory(&args.model)),
        LanguageArg::Auto => language_of(&args.model),
    }
}

/// A name that has two values: which one is meant cannot be known.
fn given_twice(definitions: &[Definition]) -> Option<Diagnostic> {
    let is_again = |(at, it): &(usize, &Definition)| definitions[..*at].iter().any(|earlier| earlier.name == it.name);
    let (_, again) = definitions.iter().enumerate().find(is_again)?;
    let values = definitions.iter().filter(|it| it.name == again.name).map(|it| format!("`-D {it}`"));
    let message = format!("`{}` is given twice: {}", again.name, values.collect::<Vec<_>>().join(", "));
    Some(Diagnostic::error(BAD_DEFINITION, message, Span::NOWHERE).help("leave one of them out"))
}

/// A folder where a model is needed.
fn directory(path: &Path) -> Box<Diagnostic> {
    let message = format!("`{}` is a directory, not a model", path.display());
    let help = "name one model; `burnside test` checks all models of a folder that say what is expected of them";
    Box::new(Diagnostic::error(UNREADABLE, message, Span::NOWHERE).help(help))
}

/// Reads what a model includes, from below the model's own folder or one that the command line names: nothing else on the
/// machine is a model's business.
fn find_included(
    name: &str,
    quoted: bool,
    from: &str,
    own: &Path,
    folders: &[PathBuf],
) -> Result<(String, String), String> {
    let climbs = Path::new(name).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
    if climbs {
        return Err("only files below the model's own folder, or one given by `-I`, can be included".to_owned());
    }
    let beside = Path::new(from).parent().filter(|_| quoted).map(Path::to_path_buf);
    let candidates = beside.into_iter().chain([own.to_path_buf()]).chain(folders.iter().cloned());
    for folder in candidates {
        let path = folder.join(name);
        if path.is_file() {
            let text = read_text(&path, "the included file").map_err(|problem| problem.message)?;
            return Ok((path.display().to_string(), text));
        }
    }
    Err("there is no such file below the model's own folder, or in one given by `-I`".to_owned())
}

/// How the model is read, with the formulas of files.
fn load_options(args: &ModelArgs) -> Result<LoadOptions, Box<Diagnostic>> {
    let mut options = args.load_options();
    for path in &args.properties {
        let text = read_text(path, "the properties")?;
        options.claims.push(ClaimSource { name: path.display().to_string(), text, kind: None });
    }
    Ok(options)
}

/// Reads a text; `-` means standard input. Bytes that are not UTF-8, as old comments have, become `U+FFFD`.
pub(crate) fn read_text(path: &Path, what: &str) -> Result<String, Box<Diagnostic>> {
    Ok(match String::from_utf8(read_bytes(path, what)?) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Reads a file; `-` means standard input.
pub(crate) fn read_bytes(path: &Path, what: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.map_err(|error| {
        let message = format!("cannot read {what} `{}`: {}", path.display(), words(&error));
        Box::new(Diagnostic::error(UNREADABLE, message, Span::NOWHERE))
    })
}

/// Makes room for a certificate: one that is there is removed, so that an old one is never taken for a new one. Any
/// other file is left alone.
pub(crate) fn clear_certificate(path: &Path) -> Result<(), String> {
    let mut begin = [0; Certificate::MAGIC.len()];
    if is_stdout(path) {
        return Err("a certificate is a binary file and does not go to standard output".to_owned());
    }
    let is_certificate = match std::fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("cannot write `{}`: {}", path.display(), words(&error))),
        Ok(mut file) => file.read_exact(&mut begin).is_ok() && begin == *Certificate::MAGIC.as_bytes(),
    };
    if !is_certificate {
        return Err(format!("`{}` exists and is not a certificate; it is left as it is", path.display()));
    }
    std::fs::remove_file(path).map_err(|error| format!("cannot replace `{}`: {}", path.display(), words(&error)))
}

fn language_of(path: &Path) -> Result<Language, Box<Diagnostic>> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    Language::of_extension(extension).ok_or_else(|| {
        let message = match extension {
            "" => format!("the name `{}` does not tell the model's language", path.display()),
            _ => format!("no language is known for the extension `.{extension}` of `{}`", path.display()),
        };
        let known: Vec<String> = Language::ALL
            .iter()
            .flat_map(|language| language.extensions().iter().map(move |it| format!("`.{it}` ({})", language.name())))
            .collect();
        let help = format!("use one of the extensions {}, or say `--language`", known.join(", "));
        Box::new(Diagnostic::error(UNKNOWN_LANGUAGE, message, Span::NOWHERE).help(help))
    })
}

fn refused(diagnostic: Diagnostic) -> Loaded {
    Loaded {
        sources: Default::default(),
        diagnostics: vec![diagnostic],
        prepared: None,
        statements: Vec::new(),
        diagram: None,
    }
}
