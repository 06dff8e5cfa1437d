//! Any text at all: reading the IR's text form gives a problem or a model that prints and reads back the same, and the
//! verifier looks at whatever was read without a panic.
#![no_main]

use burnside_ir::{text, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = text::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(text::parse(&text::print(&model)).as_ref(), Ok(&model), "the text form does not round-trip");
    verify(&model);
});
