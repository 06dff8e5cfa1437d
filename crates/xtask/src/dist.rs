//! `cargo xtask dist`: what a user installs: a folder, an archive and a Debian package with the program, completions,
//! manual pages and licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{cargo, must, output, root, target};

/// Shells with completions, and where Debian keeps them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/burnside"),
    ("zsh", "usr/share/zsh/vendor-completions/_burnside"),
    ("fish", "usr/share/fish/vendor_completions.d/burnside.fish"),
];
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// Linked so that it needs no library of the system, if the target is there.
const MUSL: &str = "x86_64-unknown-linux-musl";

pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let binary = match options {
        [] => build()?,
        ["--binary", path] => root().join(path),
        _ => return Err("usage: cargo xtask dist [--binary FILE]".to_owned()),
    };
    let version = env!("CARGO_PKG_VERSION");
    let dist = target().join("dist");
    let tree = dist.join("tree");
    if dist.exists() {
        fs::remove_dir_all(&dist).map_err(at(&dist))?;
    }
    install(&binary, &tree)?;
    let archive = dist.join(format!("burnside-{version}-{}.tar.gz", std::env::consts::ARCH));
    must(tar(&archive, &tree).args(["--transform", &format!("s,^\\./usr,burnside-{version},"), "-z", "./usr"]))?;
    let package = debian(&tree, &dist, version)?;
    for file in [&archive, &package] {
        let size = fs::metadata(file).map_err(at(file))?.len();
        println!("{} ({size} bytes)", file.display());
    }
    Ok(())
}

/// A release build, for a target without system libraries where that is installed.
fn build() -> Result<PathBuf, String> {
    let installed = output(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--package", "burnside"]);
    if installed.lines().any(|line| line == MUSL) {
        must(command.args(["--target", MUSL]))?;
        return Ok(target().join(MUSL).join("release/burnside"));
    }
    println!("the target {MUSL} is not installed, so the program needs the system's C library");
    must(&mut command)?;
    Ok(target().join("release/burnside"))
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
    for entry in fs::read_dir(root().join("examples")).map_err(at(Path::new("examples")))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_owned();
        write(&tree.join("usr/share/doc/burnside/examples").join(name), &fs::read(&path).map_err(at(&path))?)?;
    }
    Ok(())
}

/// A Debian package: an `ar` archive of a version, what describes the package, and its files.
fn debian(tree: &Path, dist: &Path, version: &str) -> Result<PathBuf, String> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let control = dist.join("control");
    let description = "symmetry-first model checker\n Checks models in Murphi and Promela, and C programs, and visits one state\n of each orbit of the symmetry that it proves.";
    let text = format!(
        "Package: burnside\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: The Burnside developers <burnside@localhost>\n\
         Section: science\nPriority: optional\nDescription: {description}\n"
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
