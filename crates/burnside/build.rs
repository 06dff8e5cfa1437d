//! Collects the models that show each diagnostic, with what a user sees, for `burnside explain`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the front ends keep them, and how the files end.
const FOLDERS: [(&str, &str); 2] = [("../murphi/tests/golden", "m"), ("../promela/tests/golden", "pml")];

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let mut list = String::from("[\n");
    for (folder, extension) in FOLDERS {
        let folder = here.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        for model in models(&folder, extension) {
            let told = model.with_extension("stderr");
            let code = model.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let (model, told) = (model.display().to_string(), told.display().to_string());
            let _ = writeln!(
                list,
                "Example {{ code: {code:?}, extension: {extension:?}, model: include_str!({model:?}), told: include_str!({told:?}) }},"
            );
        }
    }
    list += "]\n";
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("examples.rs"), list).expect("the list is written");
}

/// The models beside which there is what a user sees, in alphabetical order.
fn models(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_model =
        |path: &PathBuf| path.extension().is_some_and(|it| it == extension) && path.with_extension("stderr").is_file();
    let mut models: Vec<PathBuf> = entries.filter(is_model).collect();
    models.sort();
    models
}
