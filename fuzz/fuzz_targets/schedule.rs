//! Any text at all: a schedule in its short form or as a file is refused or read, and what was read is written so that it
//! reads back the same.
#![no_main]

use burnside_stateless::Schedule;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(schedule) = Schedule::from_short(&text) {
        assert_eq!(Schedule::from_short(&schedule.short()), Ok(schedule), "the short form does not round-trip");
    }
    let Ok(schedule) = Schedule::from_file(&text) else { return };
    let again = Schedule::from_file(&schedule.to_file(&[])).expect("what is written can be read");
    assert_eq!((&again.picks, &again.labels), (&schedule.picks, &schedule.labels), "other transitions");
    assert_eq!(again.watched, schedule.watched, "other cells");
});
