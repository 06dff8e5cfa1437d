//! A small budget of texts in every configuration, and what the harness itself must notice.

use std::time::Duration;

use burnside_driver::on_large_stack;
use burnside_testkit::torture::Class;
use burnside_torture::{Campaign, Examined, Source, Trouble, examine};

/// Texts of each class; `cargo xtask torture` takes as many as there is time for.
const TEXTS: u64 = 12;

#[test]
fn every_configuration_says_the_same() {
    let reports = on_large_stack(|| {
        let mut reports = Vec::new();
        for class in Class::ALL {
            let mut campaign = Campaign::new(Source::generator(Some(class)));
            let found = campaign.run(0..TEXTS, Duration::from_secs(120));
            reports.extend(found.iter().map(burnside_torture::Found::report));
            if campaign.tally.texts() != TEXTS {
                reports.push(format!("{}: the time was not enough", class.name()));
            }
        }
        reports
    });
    // Campaigns keep panics of what they examine quiet; this one is to be heard.
    drop(std::panic::take_hook());
    let reports = reports.expect("the texts are examined");
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

#[test]
fn a_known_answer_is_compared() {
    let text =
        "-- torture: expect violated\nvar x: boolean; startstate begin x := true; end; rule \"r\" true ==> begin end;";
    let examination = on_large_stack(|| examine(text)).expect("the text is examined");
    assert_eq!(examination.examined, Examined::Holds);
    let troubles: Vec<Trouble> = examination.differences.iter().map(|it| it.trouble).collect();
    assert_eq!(troubles, [Trouble::Expected]);
}

#[test]
fn options_of_a_text_are_used() {
    let text = "var k: 0..5000; startstate begin k := 0; while k < 2000 do k := k + 1; end; end; rule \"r\" true ==> begin end;";
    let examined = |text: &str| on_large_stack(|| examine(text)).expect("the text is examined").examined;
    assert_eq!(examined(text), Examined::Violated);
    assert_eq!(examined(&format!("-- torture: loop-limit 5000\n{text}")), Examined::Holds);
    let dead = "var x: boolean; startstate begin x := true; end; rule \"r\" !x ==> begin end;";
    assert_eq!(examined(dead), Examined::Holds);
    assert_eq!(examined(&format!("-- torture: deadlock stuck\n{dead}")), Examined::Violated);
}
