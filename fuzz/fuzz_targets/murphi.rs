//! Any text at all: the Murphi front end gives diagnostics or a model without defects, and never panics.
#![no_main]

use burnside_diag::{FileId, Palette, SourceFile, SourceMap, render};
use burnside_murphi::{Options, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let loaded = load(FileId(0), &text, &Options::default());
    let mut sources = SourceMap::default();
    sources.add(SourceFile::new("fuzz.m", text.as_ref()));
    for diagnostic in &loaded.diagnostics {
        render(diagnostic, &sources, Palette::Plain);
    }
    let has_error = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert_eq!(loaded.model.is_none(), has_error, "a model comes exactly without errors");
    if let Some(model) = loaded.model {
        assert_eq!(burnside_ir::verify(&model), [], "the model has defects");
        let printed = burnside_ir::text::print(&model);
        assert_eq!(burnside_ir::text::parse(&printed).as_ref(), Ok(&model), "the text form does not round-trip");
    }
});
