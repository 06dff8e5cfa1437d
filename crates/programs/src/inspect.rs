//! What can be said about a program before it is started.
//!
//! Control rests on the dynamic linker putting our library in front of the C library. Programs for which it does not do
//! so, or with a runtime of their own in that place, are told from their file.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use object::{Architecture, Object, ObjectKind, ObjectSection, ObjectSymbol, SymbolKind};

use crate::process::{Failed, Target};

/// Sentences that begin with what the program is.
const REBUILD: &str = "build it with `-fsanitize=thread` and our runtime instead (`burnside runtime DIR`)";

/// Refuses what cannot be controlled, each for its own reason.
///
/// # Errors
///
/// With that reason.
pub(crate) fn program(target: &Target) -> Result<(), Failed> {
    // Programs without a slash are looked up by the system, which then says what is wrong with them.
    let Some(path) = find(Path::new(&target.program)) else { return Ok(()) };
    let Ok(bytes) = fs::read(&path) else { return Ok(()) };
    let refuse = |why: &str| Err(Failed::Unsupported(format!("`{}` {why}", path.display())));
    let no_program = |why: &str| {
        let e = io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        Err(Failed::Start(target.program.clone(), e))
    };
    if bytes.starts_with(b"#!") {
        return no_program("it is a script; name the program that the script runs");
    }
    let Ok(file) = object::File::parse(&*bytes) else { return no_program("it is not an ELF program") };
    if file.architecture() != Architecture::X86_64 {
        return no_program("it is a program for another architecture than x86-64");
    }
    if matches!(file.kind(), ObjectKind::Relocatable | ObjectKind::Core) {
        return no_program("it is a part of a program, or the remains of one, and no program");
    }
    if file.section_by_name(".interp").is_none() {
        return refuse("is linked statically: its calls cannot be taken over; link it dynamically");
    }
    let is_set_id = fs::metadata(&path).is_ok_and(|file| file.mode() & 0o6000 != 0);
    if is_set_id {
        return refuse("changes its user or group when it is started: the system loads no library of ours into it");
    }
    match needed(&file) {
        libraries if libraries.iter().any(|library| library.starts_with("libasan")) => {
            refuse(&format!("is built with the address sanitizer, whose runtime takes over the same calls; {REBUILD}"))
        }
        libraries if libraries.iter().any(|library| library.starts_with("liblsan")) => {
            refuse("is built with the leak sanitizer, whose runtime takes over the same calls; build it without")
        }
        libraries if libraries.iter().any(|library| library.starts_with("libtsan")) => {
            refuse(&format!("is linked to the thread sanitizer's own runtime; {REBUILD}"))
        }
        _ => Ok(()),
    }
}

/// The file of a program.
pub(crate) fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

/// How many variables of a program its threads could share, as far as its table of symbols has them.
pub(crate) fn n_variables(program: &Path) -> Option<usize> {
    let bytes = fs::read(find(program)?).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let is_writable = |symbol: &object::Symbol<'_, '_>| {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        section.and_then(|section| section.name().map(str::to_owned).ok()).is_some_and(|name| {
            name.starts_with(".data") && !name.starts_with(".data.rel.ro") || name.starts_with(".bss")
        })
    };
    // What begins so belongs to the compiler and its start files, or is taken from a library.
    let is_own = |name: &str| !name.starts_with("__") && !name.starts_with("completed.") && !name.contains('@');
    let variables = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0);
    let own = variables.filter(|symbol| symbol.name().is_ok_and(is_own) && is_writable(symbol));
    file.symbols().next().map(|_| own.count())
}

/// The libraries a program names as needed, as far as their names stand in its table of strings.
fn needed(file: &object::File<'_>) -> Vec<String> {
    let Some(strings) = file.section_by_name(".dynstr").and_then(|section| section.data().ok()) else {
        return Vec::new();
    };
    let words = strings.split(|byte| *byte == 0).filter_map(|word| str::from_utf8(word).ok());
    words.filter(|word| word.starts_with("lib") && word.contains(".so")).map(str::to_owned).collect()
}
