//! Facts about macros, conditionals and includes.

use super::*;

fn expand_with(text: &str, defines: &[&str]) -> (String, Vec<&'static str>) {
    let mut resolver = |include: Include<'_>| match include.name {
        "inc.h" => Ok((FileId(1), "#define INC 7\nincluded\n".to_owned())),
        "loop.h" => Ok((FileId(2), "#include \"loop.h\"\n".to_owned())),
        _ => Err("there is no such file".to_owned()),
    };
    let defines: Vec<String> = defines.iter().map(|define| (*define).to_owned()).collect();
    let done = preprocess(FileId(0), text, &defines, &mut resolver);
    let words: Vec<String> = done.tokens.iter().map(|token| token.text.to_string()).collect();
    (words.join(" "), done.diagnostics.iter().map(|finding| finding.code.0).collect())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(expand_with(text, &[]), (expected.to_owned(), Vec::new()));
}

#[test]
fn object_macros_nest_and_do_not_recurse() {
    check("#define A B + A\n#define B A * B\nA", "A * B + A");
    check("#define N 3\n#define M (N+1)\nbyte x[M];", "byte x [ ( 3 + 1 ) ] ;");
}

#[test]
fn function_macros_take_arguments_apart() {
    check(
        "#define max(a, b) ((a) > (b) -> (a) : (b))\nmax(f(1, 2), 3)",
        "( ( f ( 1 , 2 ) ) > ( 3 ) -> ( f ( 1 , 2 ) ) : ( 3 ) )",
    );
    check("#define f(x) x\nf f(f)(2)", "f f ( 2 )");
    check("#define g() 1\ng() g", "1 g");
}

#[test]
fn arguments_are_expanded_once_and_names_end_where_text_goes_on() {
    check("#define f(x) [x]\n#define a b\nf(a)", "[ b ]");
    check("#define call f\n#define f(x) <x>\ncall(1)", "< 1 >");
}

#[test]
fn hash_quotes_and_double_hash_joins() {
    check("#define s(x) #x\ns(a + \"b\")", "\"a + \\\"b\\\"\"");
    check("#define j(a, b) a##b\nj(pro, type) j(x, 1)", "protype x1");
}

#[test]
fn undef_forgets() {
    check("#define A 1\nA\n#undef A\nA", "1 A");
}

#[test]
fn continuation_lines_belong_to_the_macro() {
    check("#define A x = 1; \\\n y = 2\nA; z", "x = 1 ; y = 2 ; z");
}

#[test]
fn conditionals_nest() {
    let text = "#ifdef A\n1\n#ifndef B\n2\n#else\n3\n#endif\n#elif defined(C) && C > 2\n4\n#else\n5\n#endif\n";
    assert_eq!(expand_with(text, &["A"]).0, "1 2");
    assert_eq!(expand_with(text, &["A", "B"]).0, "1 3");
    assert_eq!(expand_with(text, &["C=3"]).0, "4");
    assert_eq!(expand_with(text, &["C=2"]).0, "5");
    assert_eq!(expand_with("#if 0\n#if 1\nx\n#else\ny\n#endif\n#endif\nz", &[]).0, "z");
}

#[test]
fn conditions_compute_as_c_does() {
    for (condition, holds) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 ? 0 : 1) || !defined X", true),
        ("-1 < 0 && ~0 == -1", true),
        ("UNKNOWN", false),
        ("7 % 4 << 1 == 6", true),
    ] {
        let text = format!("#if {condition}\nyes\n#endif");
        assert_eq!(expand_with(&text, &[]).0, if holds { "yes" } else { "" }, "{condition}");
    }
    assert_eq!(expand_with("#if 1 / 0\n#endif", &[]).1, ["bad-condition"]);
}

#[test]
fn includes_come_from_the_caller() {
    check("#include \"inc.h\"\nINC", "included 7");
    assert_eq!(expand_with("#include <none.h>\nx", &[]), ("x".to_owned(), vec!["include-failed"]));
    assert_eq!(expand_with("#include \"loop.h\"\nx", &[]), ("x".to_owned(), vec!["include-failed"]));
}

#[test]
fn line_breaks_survive_macros_that_vanish() {
    let done = preprocess(FileId(0), "#define NOTHING\na\nNOTHING b NOTHING c", &[], &mut |_| Err(String::new()));
    let newlines: Vec<bool> = done.tokens.iter().map(|token| token.newline).collect();
    assert_eq!(newlines, [true, true, false]);
}

#[test]
fn tokens_of_a_macro_stand_where_it_is_used() {
    let done = preprocess(FileId(0), "#define A 1 + 2\nA", &[], &mut |_| Err(String::new()));
    assert!(done.tokens.iter().all(|token| token.span == Span::new(FileId(0), 16, 17)));
    assert_eq!(done.expansions[0].definition, Span::new(FileId(0), 8, 9));
}

#[test]
fn a_flood_of_tokens_is_stopped() {
    let mut text = String::from("#define A0 x x x x\n");
    for level in 1..20 {
        text.push_str(&format!("#define A{level} A{0} A{0} A{0} A{0}\n", level - 1));
    }
    text.push_str("A19\n");
    assert!(expand_with(&text, &[]).1.contains(&"expansion-too-large"));
}
