//! Results as JUnit XML, which every build server reads.

use std::fmt::Write as _;

use super::trial::{Outcome, Trial};

pub(super) fn document(trials: &[Trial]) -> String {
    let n_failed = trials.iter().filter(|trial| trial.failure().is_some()).count();
    let n_skipped = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Skipped(_))).count();
    let seconds: f64 = trials.iter().map(|trial| trial.time.as_secs_f64()).sum();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"burnside\" tests=\"{}\" failures=\"{n_failed}\" skipped=\"{n_skipped}\" time=\"{seconds:.3}\">\n",
        trials.len()
    );
    for trial in trials {
        let (name, seconds) = (escape(&trial.case.to_string()), trial.time.as_secs_f64());
        let _ = write!(text, "  <testcase classname=\"burnside\" name=\"{name}\" time=\"{seconds:.3}\"");
        let _ = match &trial.outcome {
            Outcome::Passed => writeln!(text, "/>"),
            Outcome::Failed(why) => writeln!(text, ">\n    <failure>{}</failure>\n  </testcase>", escape(why)),
            Outcome::Skipped(why) => writeln!(text, ">\n    <skipped message=\"{}\"/>\n  </testcase>", escape(why)),
        };
    }
    text + "</testsuite>\n"
}

/// A text in an element or attribute; what XML has no character for is shown as a question mark.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            control if control.is_control() => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn texts_stay_inside_their_element() {
        assert_eq!(escape("a < \"b\" & \u{1b}[c]\n"), "a &lt; &quot;b&quot; &amp; ?[c]\n");
    }
}
