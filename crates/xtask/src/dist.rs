//! `cargo xtask dist`: what a user installs: an archive and a Debian package with a static program, completions, manual
//! pages and licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::licences;
use crate::shell::{cargo, must, output, root, target};

/// Shells with completions, and where Debian keeps them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/burnside"),
    ("zsh", "usr/share/zsh/vendor-completions/_burnside"),
    ("fish", "usr/share/fish/vendor_completions.d/burnside.fish"),
];
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// What the editors need, where users find it.
const EDITORS: [&str; 2] = ["vim", "vscode"];
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let binary = match options {
        [] => build()?,
        ["--binary", path] => root().join(path),
        _ => return Err("usage: cargo xtask dist [--binary FILE]".to_owned()),
    };
    let version = env!("CARGO_PKG_VERSION");
    let is_static = is_static(&binary)?;
    println!("{} {}", binary.display(), if is_static { "is static" } else { "needs the system's C library" });
    let dist = target().join("dist");
    let tree = dist.join("tree");
    if dist.exists() {
        fs::remove_dir_all(&dist).map_err(at(&dist))?;
    }
    install(&binary, &tree)?;
    let archive = dist.join(format!("burnside-{version}-{}.tar.gz", std::env::consts::ARCH));
    must(tar(&archive, &tree).args(["--transform", &format!("s,^\\./usr,burnside-{version},"), "-z", "./usr"]))?;
    let package = debian(&tree, &dist, version, is_static)?;
    for file in [&archive, &package] {
        let size = fs::metadata(file).map_err(at(file))?.len();
        println!("{} ({size} bytes)", file.display());
    }
    Ok(())
}

/// A static release build, without symbols.
fn build() -> Result<PathBuf, String> {
    let (musl, gnu) = (triple("musl"), triple("gnu"));
    let installed = output(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let triple = if installed.lines().any(|line| line == musl) { musl } else { gnu };
    println!("building for {triple}");
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--package", "burnside", "--target", &triple]);
    // With a target, these flags do not reach build scripts and macros, which must be dynamic.
    command.env("RUSTFLAGS", "-C target-feature=+crt-static").env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    must(&mut command)?;
    Ok(target().join(triple).join("release/burnside"))
}

/// The target with some C library: musl's, which is meant to be linked statically, or the system's, all of which Debian's
/// `libc6-dev` has for that too.
fn triple(library: &str) -> String {
    format!("{}-unknown-linux-{library}", std::env::consts::ARCH)
}

/// Whether a program needs no library of the system: it names no dynamic linker.
fn is_static(binary: &Path) -> Result<bool, String> {
    let headers = output(Command::new("readelf").args(["--program-headers", "--wide"]).arg(binary))?;
    Ok(!headers.contains("INTERP"))
}

/// Everything at its place below a folder that stands for `/`.
fn install(binary: &Path, tree: &Path) -> Result<(), String> {
    let program = tree.join("usr/bin/burnside");
    write(&program, &fs::read(binary).map_err(at(binary))?)?;
    must(Command::new("chmod").args(["755"]).arg(&program))?;
    for (shell, place) in COMPLETIONS {
        let script = output(Command::new(&program).args(["completions", shell]))?;
        write(&tree.join(place), script.as_bytes())?;
    }
    let manual = tree.join("usr/share/man/man1");
    output(Command::new(&program).arg("man").arg(&manual))?;
    must(Command::new("sh").args(["-c", "gzip -9n ./*.1"]).current_dir(&manual))?;
    for document in DOCUMENTS {
        let text = fs::read(root().join(document)).map_err(at(Path::new(document)))?;
        write(&tree.join("usr/share/doc/burnside").join(document), &text)?;
    }
    write(&tree.join("usr/share/doc/burnside/copyright"), licences::of_everything()?.as_bytes())?;
    for editor in EDITORS {
        let folder = tree.join("usr/share/burnside/editors");
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        must(Command::new("cp").arg("-r").arg(root().join("editors").join(editor)).arg(&folder))?;
    }
    for entry in fs::read_dir(root().join("examples")).map_err(at(Path::new("examples")))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_owned();
        write(&tree.join("usr/share/doc/burnside/examples").join(name), &fs::read(&path).map_err(at(&path))?)?;
    }
    Ok(())
}

/// A Debian package: an `ar` archive of a version, what describes the package, and its files.
fn debian(tree: &Path, dist: &Path, version: &str, is_static: bool) -> Result<PathBuf, String> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let control = dist.join("control");
    let description = "symmetry-first model checker\n Checks models in Murphi and Promela, and C programs, and visits one state\n of each orbit of the symmetry that it proves.";
    let depends = if is_static { "" } else { "Depends: libc6, libgcc-s1\n" };
    let size = output(Command::new("du").args(["--summarize", "--apparent-size", "--block-size=1024"]).arg(tree))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    let text = format!(
        "Package: burnside\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: The Burnside developers <burnside@localhost>\n\
         Section: science\nPriority: optional\nInstalled-Size: {size}\n{depends}Description: {description}\n"
    );
    write(&control.join("control"), text.as_bytes())?;
    let (control_tar, data_tar) = (dist.join("control.tar.gz"), dist.join("data.tar.gz"));
    must(tar(&control_tar, &control).args(["-z", "./control"]))?;
    must(tar(&data_tar, tree).args(["-z", "./usr"]))?;
    let mut package = b"!<arch>\n".to_vec();
    append(&mut package, "debian-binary", b"2.0\n");
    for file in [&control_tar, &data_tar] {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        append(&mut package, name, &fs::read(file).map_err(at(file))?);
        fs::remove_file(file).map_err(at(file))?;
    }
    let path = dist.join(format!("burnside_{version}_{architecture}.deb"));
    write(&path, &package)?;
    Ok(path)
}

/// A member of an `ar` archive: a header of 60 characters, and an even number of bytes.
fn append(archive: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, "100644", bytes.len());
    archive.extend(header.as_bytes());
    archive.extend(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
}

/// A command that packs a folder so that the same files give the same bytes.
fn tar(archive: &Path, folder: &Path) -> Command {
    let mut command = Command::new("tar");
    command.arg("-c").arg("-f").arg(archive).arg("-C").arg(folder);
    command.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]);
    command
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    fs::write(path, bytes).map_err(at(path))
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::words;

    #[test]
    fn members_of_an_archive_have_an_even_size() {
        let mut archive = Vec::new();
        append(&mut archive, "odd", b"abc");
        assert_eq!(archive.len(), 64);
        assert!(archive.starts_with(b"odd             0           0     0     100644  3         `\nabc\n"));
        let mut command = tar(Path::new("a"), Path::new("b"));
        assert!(words(command.arg("c")).contains("--mtime=@0"));
    }
}
