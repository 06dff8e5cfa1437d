//! Findings for other programs: SARIF for code scanning, and annotations for GitHub's build logs.

use burnside_diag::{Diagnostic, Severity, SourceMap};
use serde_json::{Value, json};

/// Everything that was said, as a SARIF 2.1.0 log.
pub fn sarif(diagnostics: &[Diagnostic], sources: &SourceMap, model: &str) -> Value {
    let mut codes: Vec<&str> = diagnostics.iter().map(|it| it.code.0).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| json!({ "id": code }));
    let results = diagnostics.iter().map(|diagnostic| {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let text = match &diagnostic.help {
            Some(help) => format!("{}\nhelp: {help}", diagnostic.message),
            None => diagnostic.message.clone(),
        };
        json!({
            "ruleId": diagnostic.code.0,
            "level": level,
            "message": { "text": text },
            "locations": [{ "physicalLocation": location(diagnostic, sources, model) }],
        })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Burnside",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// Where it is; a finding without a place is one about the model.
fn location(diagnostic: &Diagnostic, sources: &SourceMap, model: &str) -> Value {
    let span = diagnostic.primary.span;
    match (sources.get(span.file), sources.position(span)) {
        (Some(file), Some(start)) => {
            let end = file.position(span.end);
            let end_column = if end == start { end.column + 1 } else { end.column };
            json!({
                "artifactLocation": { "uri": file.name() },
                "region": {
                    "startLine": start.line, "startColumn": start.column,
                    "endLine": end.line, "endColumn": end_column,
                },
            })
        }
        _ => json!({ "artifactLocation": { "uri": model } }),
    }
}

/// Everything that was said, as commands that GitHub's runner shows beside the lines.
pub fn github(diagnostics: &[Diagnostic], sources: &SourceMap, model: &str) -> String {
    let line = |diagnostic: &Diagnostic| {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let span = diagnostic.primary.span;
        let file = sources.get(span.file).map_or(model, |file| file.name());
        let place = sources.position(span).map(|at| format!(",line={},col={}", at.line, at.column)).unwrap_or_default();
        let (file, title, message) = (escaped_property(file), diagnostic.code.0, escaped(&diagnostic.message));
        format!("::{command} file={file}{place},title={title}::{message}\n")
    };
    diagnostics.iter().map(line).collect()
}

/// As the runner wants its commands.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use burnside_diag::{Code, SourceFile, Span};

    use super::*;

    fn found() -> (Vec<Diagnostic>, SourceMap) {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("a:b.m", "var\n  x: 5;\n"));
        let placed = Diagnostic::error(Code("syntax"), "100% wrong", Span::new(file, 6, 7)).help("mend it");
        let nowhere = Diagnostic::note(Code("vacuous"), "says little", Span::NOWHERE);
        (vec![placed, nowhere], sources)
    }

    #[test]
    fn places_are_those_of_the_text() {
        let (diagnostics, sources) = found();
        let log = sarif(&diagnostics, &sources, "m.m");
        let result = &log["runs"][0]["results"][0];
        let region = json!({ "startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 4 });
        assert_eq!(result["locations"][0]["physicalLocation"]["region"], region);
        assert_eq!((&result["level"], &result["ruleId"]), (&"error".into(), &"syntax".into()));
        let other = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"];
        assert_eq!(other, &json!({ "artifactLocation": { "uri": "m.m" } }));
    }

    #[test]
    fn annotations_are_escaped() {
        let (diagnostics, sources) = found();
        let expected = "::error file=a%3Ab.m,line=2,col=3,title=syntax::100%25 wrong\n\
                        ::notice file=m.m,title=vacuous::says little\n";
        assert_eq!(github(&diagnostics, &sources, "m.m"), expected);
    }
}
