//! One small model per diagnostic code, beside the text a user sees. `UPDATE_GOLDEN=1` rewrites the texts.

use std::fs;
use std::path::{Path, PathBuf};

use burnside_diag::{FileId, Palette, SourceFile, SourceMap, render};
use burnside_promela::{CODES, Include, Labels, Loaded, Options, load};

fn golden_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn no_includes(_: Include<'_>) -> Result<(FileId, String), String> {
    Err("there is no such file".to_owned())
}

/// Reads a model; a comment on its first line may ask for a check of labels or promises.
fn load_text(file: FileId, text: &str) -> Loaded {
    let asks = |option: &str| text.lines().next().is_some_and(|line| line.starts_with("//") && line.contains(option));
    let labels = Labels { acceptance: asks("--acceptance"), non_progress: asks("--nonprogress") };
    load(file, text, &Options { labels, promises: asks("--promises"), ..Options::default() }, &mut no_includes)
}

/// The codes produced, and all diagnostics as a user sees them.
fn produced(name: &str, text: &str) -> (Vec<&'static str>, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    let loaded = load_text(file, text);
    let has_error = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert_eq!(loaded.model.is_none(), has_error, "{name}: a model comes exactly without errors");
    let codes = loaded.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect();
    let rendered = loaded.diagnostics.iter().map(|diagnostic| render(diagnostic, &sources, Palette::Plain));
    (codes, rendered.collect::<Vec<_>>().join("\n"))
}

#[test]
fn every_code_has_a_golden_model_that_produces_it() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut problems = Vec::new();
    for (code, _) in CODES {
        let name = format!("{}.pml", code.0);
        let Ok(text) = fs::read_to_string(golden_dir().join(&name)) else {
            problems.push(format!("{name} is missing"));
            continue;
        };
        let (codes, shown) = produced(&name, &text);
        if !codes.contains(&code.0) {
            problems.push(format!("{name} does not produce its code, but {codes:?}"));
        }
        let expected_path = golden_dir().join(format!("{}.stderr", code.0));
        if update {
            fs::write(&expected_path, &shown).expect("the golden folder is writable");
        } else if fs::read_to_string(&expected_path).unwrap_or_default() != shown {
            problems.push(format!("{name} gives another text:\n{shown}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_golden_file_belongs_to_a_code() {
    for entry in fs::read_dir(golden_dir()).expect("the golden folder exists") {
        let path = entry.expect("the golden folder is readable").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("golden files have names");
        assert!(CODES.iter().any(|(code, _)| code.0 == stem), "{} belongs to no code", path.display());
    }
}

#[test]
fn codes_are_unique_and_explained() {
    for (at, (code, explanation)) in CODES.iter().enumerate() {
        assert!(CODES[..at].iter().all(|(earlier, _)| earlier != code), "{} is listed twice", code.0);
        assert!(!explanation.is_empty() && !explanation.ends_with('.'), "{}", code.0);
    }
}

/// Every diagnostic says what to do about it.
#[test]
fn every_error_has_a_remedy_or_a_label() {
    for (code, _) in CODES {
        let text = fs::read_to_string(golden_dir().join(format!("{}.pml", code.0))).expect("checked elsewhere");
        for diagnostic in &load_text(FileId(0), &text).diagnostics {
            let explained = diagnostic.help.is_some() || !diagnostic.primary.text.is_empty();
            assert!(explained, "{}: {}", diagnostic.code.0, diagnostic.message);
        }
    }
}
