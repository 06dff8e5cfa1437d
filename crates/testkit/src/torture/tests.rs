use super::*;

#[test]
fn the_same_seed_gives_the_same_text() {
    let knobs = Knobs::default();
    for seed in 0..50 {
        assert_eq!(torture_text(seed, &knobs), torture_text(seed, &knobs));
    }
}

#[test]
fn knobs_choose_the_class() {
    for class in Class::ALL {
        assert_eq!(torture_text(3, &Knobs::only(class)).class, class);
        assert_eq!(Class::of_name(class.name()), Some(class));
    }
}

#[test]
fn shrinking_keeps_what_is_wanted() {
    let text = "var a: boolean; b: boolean; startstate begin a := true; b := (a & b); end; rule \"r\" a ==> begin b := a; end;";
    let small = shrink_text(text, |candidate| candidate.contains("startstate") && candidate.contains("a := true"));
    assert!(small.len() < text.len() / 2, "{small}");
    assert!(small.contains("startstate"));
}

#[test]
fn mutations_differ_from_seed_to_seed() {
    let text = torture_text(1, &Knobs::default()).text;
    let mutants: std::collections::BTreeSet<String> =
        (0..20).map(|seed| mutate_text(seed, &text, std::slice::from_ref(&text))).collect();
    assert!(mutants.len() > 10);
}

#[test]
fn tokens_leave_comments_out() {
    assert_eq!(token::tokens("x:=1; -- c\n/* d */ \"a b\" <="), ["x", ":=", "1", ";", "\"a b\"", "<="]);
}
