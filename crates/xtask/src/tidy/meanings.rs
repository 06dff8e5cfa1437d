//! One place for each meaning: what decides a question is written in its home and nowhere else.

use super::File;

/// A question that one place answers.
struct Meaning {
    /// How code that answers it looks.
    sign: &'static str,
    /// The files, or beginnings of their paths, where it may stand.
    homes: &'static [&'static str],
    /// What to use elsewhere.
    instead: &'static str,
}

const MEANINGS: &[Meaning] = &[
    Meaning {
        sign: "DeadlockMode::Stuttering =>",
        homes: &[
            "crates/step/src/question.rs",
            "crates/burnside/src/",
            "crates/view/src/",
            "crates/driver/src/certify.rs",
        ],
        instead: "whether a step leads out of a deadlock: `DeadlockMode::is_way_on`",
    },
    Meaning {
        sign: "Self::Stuttering => !",
        homes: &["crates/step/src/question.rs"],
        instead: "whether a step leads out of a deadlock: `DeadlockMode::is_way_on`",
    },
    Meaning {
        sign: "Compiled::new(",
        homes: &["crates/step/src/native.rs", "crates/jit/"],
        instead: "native code or the interpreter: `step::Code`",
    },
    Meaning {
        sign: "Compiled::windowed(",
        homes: &["crates/step/src/native.rs", "crates/jit/"],
        instead: "native code or the interpreter: `step::Code`",
    },
    Meaning {
        sign: "n_representatives * ",
        homes: &["crates/engine/src/pays.rs"],
        instead: "whether a reduction pays: `engine::pays`",
    },
    Meaning {
        sign: "Verdict::Holds(Evidence::",
        homes: &["crates/engine/src/", "crates/explicit/src/", "crates/adaptive/src/", "crates/interpolant/src/"],
        instead: "what is known of a property: `Report::answers`, which engines make",
    },
];

/// Tests decide such questions on their own, to compare.
fn is_product(file: &File) -> bool {
    let is_test = ["/tests/", "/tests.rs", "/testing/", "/examples/"].iter().any(|it| file.path.contains(it));
    let beside = ["testkit", "torture", "mutants", "xtask"];
    file.is_rust() && !is_test && file.crate_name().is_some_and(|name| !beside.contains(&name))
}

pub(super) fn check(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_product(file)) {
        let text = file.text.split("#[cfg(test)]").next().unwrap_or(&file.text);
        for (line, number) in text.lines().zip(1..) {
            findings.extend(decided_elsewhere(&file.path, line).map(|it| format!("{}:{number}: {it}", file.path)));
        }
    }
    findings
}

fn decided_elsewhere(path: &str, line: &str) -> Option<String> {
    let meaning =
        MEANINGS.iter().find(|it| line.contains(it.sign) && !it.homes.iter().any(|home| path.starts_with(home)))?;
    Some(format!("`{}` answers what is answered in one place; use {}", meaning.sign, meaning.instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_answer_is_found() {
        let line = "            DeadlockMode::Stuttering => !leads_on,";
        assert!(decided_elsewhere("crates/explicit/src/ledger.rs", line).is_some());
        assert!(decided_elsewhere("crates/step/src/question.rs", line).is_none());
        assert!(decided_elsewhere("crates/explicit/src/ledger.rs", "let x = 1;").is_none());
    }

    #[test]
    fn tests_may_answer_on_their_own() {
        let file = |path: &str| File { path: path.to_owned(), text: "Compiled::new(model)".to_owned() };
        assert_eq!(check(&[file("crates/explicit/src/engine.rs")]).len(), 1);
        assert_eq!(check(&[file("crates/explicit/src/engine/tests.rs"), file("crates/jit/src/code.rs")]), [""; 0]);
    }
}
