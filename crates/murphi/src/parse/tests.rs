//! Facts about the grammar that no whole model shows as clearly.

use burnside_diag::FileId;

use super::parse;
use crate::ast::{BinaryOp, Decl, Expr, ExprKind, Item, RuleItem, StmtKind, UnaryOp};

fn codes(text: &str) -> Vec<&'static str> {
    parse(FileId(0), text).1.iter().map(|finding| finding.code.0).collect()
}

/// The expression of `invariant …`, fully parenthesised.
fn grouped(expr: &str) -> String {
    let (ast, findings) = parse(FileId(0), &format!("invariant {expr};"));
    assert!(findings.is_empty(), "{expr}: {findings:?}");
    match &ast.items[..] {
        [Item::Rule(RuleItem::Property(property))] => show(&property.condition),
        items => panic!("one invariant, not {items:?}"),
    }
}

fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Integer(value) => value.to_string(),
        ExprKind::Boolean(value) => value.to_string(),
        ExprKind::Unary(op, operand) => format!("({}{})", op.symbol(), show(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {} {})", show(left), op.symbol(), show(right)),
        ExprKind::Conditional(condition, then, otherwise) => {
            format!("({} ? {} : {})", show(condition), show(then), show(otherwise))
        }
        ExprKind::Field(base, field) => format!("{}.{}", show(base), field.text),
        ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        other => format!("{other:?}"),
    }
}

#[test]
fn precedence_is_that_of_both_dialects() {
    let cases = [
        ("!a = b", "(!(a = b))"),
        ("!a & b", "((!a) & b)"),
        ("a = !b", "(a = (!b))"),
        ("a -> b | c & d", "(a -> (b | (c & d)))"),
        ("a || b && c | d ^ e & f", "(a || (b && (c | (d ^ (e & f)))))"),
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a < b << c + d", "(a < (b << (c + d)))"),
        ("-a * b", "((-a) * b)"),
        ("~a & b", "((~a) & b)"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a.b[c + 1].d = e", "(a.b[(c + 1)].d = e)"),
    ];
    for (text, expected) in cases {
        assert_eq!(grouped(text), expected, "{text}");
    }
}

#[test]
fn long_conjunctions_are_shallow() {
    let operands: Vec<String> = (0..5000).map(|at| format!("x{at}")).collect();
    let text = format!("invariant {};", operands.join(" & "));
    let (ast, findings) = parse(FileId(0), &text);
    assert!(findings.is_empty());
    let [Item::Rule(RuleItem::Property(property))] = &ast.items[..] else { panic!("one invariant") };
    fn depth(expr: &Expr) -> u32 {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => 1 + depth(left).max(depth(right)),
            _ => 0,
        }
    }
    assert!(depth(&property.condition) <= 13);
}

#[test]
fn nesting_has_a_limit_in_every_construct() {
    let repeat = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(5000), close.repeat(5000));
    let texts = [
        format!("invariant {};", repeat("(", "x", ")")),
        format!("invariant {};", repeat("!", "x", "")),
        format!("invariant x{};", repeat(" + x", "", "")),
        format!("invariant x{};", repeat("[x", "", "]")),
        format!("invariant x{};", repeat(".x", "", "")),
        format!("invariant {};", repeat("f(", "x", ")")),
        format!("invariant {};", repeat("forall i: T do ", "x", " end")),
        format!("var x: {};", repeat("array [T] of ", "T", "")),
        format!("var x: {};", repeat("record f: ", "T", "; end")),
        format!("rule begin {} end;", repeat("if x then ", "", "end;")),
        format!("rule begin {} end;", repeat("while x do ", "", "end;")),
        repeat("ruleset i: T do ", "rule begin end;", "end;"),
        repeat("alias i: x do ", "rule begin end;", "end;"),
    ];
    for text in texts {
        assert_eq!(codes(&text), ["nesting-too-deep"], "{}…", &text[..40]);
    }
}

#[test]
fn words_of_one_dialect_may_be_names() {
    let text = "var choose, cover, in, assume, liveness, undefined, multisetremovepred: boolean;
        startstate cover := true; assume := cover; choose := in; liveness := undefined; end;
        rule cover ==> assume := cover; end;
        cover \"a\" cover; assume assume; liveness liveness;";
    assert_eq!(codes(text), [""; 0]);
}

#[test]
fn a_procedure_may_be_called_assume() {
    let text = "var x: boolean; procedure assume(b: boolean); begin x := b; end; startstate assume(true); end;";
    let (ast, _) = parse(FileId(0), text);
    let Some(Item::Rule(RuleItem::Start(block))) = ast.items.last() else { panic!("a start state comes last") };
    assert!(matches!(block.body[0].kind, StmtKind::Call(..)));
}

#[test]
fn an_error_costs_one_statement() {
    let text = "var x: 0..3;
        startstate x := ; x := 1; if x = then x := 2; end; for i: do x := 3; end; end;
        rule x = = 1 ==> x := 2; end;
        rule begin x = 1; end;";
    let (ast, findings) = parse(FileId(0), text);
    let codes: Vec<_> = findings.iter().map(|finding| finding.code.0).collect();
    assert_eq!(codes, ["syntax", "syntax", "syntax", "syntax", "equals-for-assignment"]);
    let Item::Rule(RuleItem::Start(block)) = &ast.items[1] else { panic!("a start state comes second") };
    assert_eq!(block.body.len(), 3);
    assert_eq!(ast.items.len(), 4);
}

#[test]
fn a_lost_declaration_is_remembered() {
    assert!(parse(FileId(0), "var x 0..3; y: 0..1;").0.lost_declarations);
    let (ast, _) = parse(FileId(0), "var x: 0..3; startstate x := ; end;");
    assert!(!ast.lost_declarations);
}

#[test]
fn sections_stop_where_rules_begin() {
    let text = "var x: boolean; cover x; choose: boolean; liveness: boolean; assume x;";
    let (ast, _) = parse(FileId(0), text);
    let decls = ast.items.iter().filter(|item| matches!(item, Item::Decl(Decl::Var { .. }))).count();
    assert_eq!(decls, 1, "after a property the section is over");
}

#[test]
fn unary_operators_nest() {
    assert_eq!(grouped("!!a"), "(!(!a))");
    let (ast, _) = parse(FileId(0), "const N: - - 1;");
    let [Item::Decl(Decl::Const { value, .. })] = &ast.items[..] else { panic!("one constant") };
    assert!(matches!(&value.kind, ExprKind::Unary(UnaryOp::Negate, _)));
}

#[test]
fn any_bytes_are_read_without_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let words = [
        "rule",
        "end",
        "begin",
        "var",
        "x",
        ":",
        ":=",
        ";",
        "(",
        ")",
        "[",
        "]",
        "==>",
        "if",
        "then",
        "else",
        "switch",
        "case",
        "for",
        "do",
        "alias",
        "choose",
        "\"",
        "/*",
        "--",
        "0",
        "..",
        ".",
        ",",
        "forall",
        "record",
        "enum",
        "{",
        "}",
        "∀",
        "\u{1}",
        "_",
        "ruleset",
        "invariant",
        "cover",
        "?",
        "->",
        "&",
        "!",
        "type",
        "function",
        "\n",
    ];
    for _ in 0..2000 {
        let mut text = String::new();
        for _ in 0..40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(words[(state % words.len() as u64) as usize]);
            text.push(' ');
        }
        parse(FileId(0), &text);
    }
}
