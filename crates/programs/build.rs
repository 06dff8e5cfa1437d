//! Builds the library that goes into tested programs, for `include_bytes!`.
//!
//! Burnside is one binary, so the library (`burnside-preload`, a `cdylib`) is
//! part of it. Cargo cannot yet make one crate's shared library an input of
//! another on the stable channel, so this script calls cargo once more. The
//! inner call has a target directory of its own (the outer one is locked),
//! uses the same lock file and never the network: everything it needs is a
//! dependency of this crate too and is therefore already there.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate has a parent");
    for input in ["preload", "wire", "stateless"] {
        println!("cargo::rerun-if-changed={}", crates.join(input).display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let built = build(&crates.join("preload/Cargo.toml"), &out.join("preload"));
    std::fs::copy(&built, out.join("libburnside.so")).unwrap_or_else(|e| panic!("{}: {e}", built.display()));
}

/// Builds the library and answers where it is.
fn build(manifest: &Path, target: &Path) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo
        .args(["rustc", "--release", "--offline", "--locked", "--lib", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        // The C compiler is told this name when a program is linked to the
        // library, and the dynamic linker then knows it is already loaded.
        .args(["--", "-Clink-arg=-Wl,-soname,libburnside.so"])
        // Exceptions of the program pass through some of our frames, and leave them as they should.
        .env("CARGO_PROFILE_RELEASE_PANIC", "unwind")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "none")
        .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    // Settings of the outer call that would change or wrap the inner one.
    for name in [
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
        "CARGO_MAKEFLAGS",
        "MAKEFLAGS",
    ] {
        cargo.env_remove(name);
    }
    let status = cargo.status().expect("cargo can be started");
    assert!(status.success(), "the library for tested programs does not build");
    target.join("release/libburnside_preload.so")
}
