//! Numbers at the edge, loops near their limit, calls that nest deep.

use crate::torture::condition::Position;
use crate::torture::world::World;

const EDGES: [&str; 12] = [
    "9223372036854775807",
    "9223372036854775806",
    "(-9223372036854775807)",
    "(-9223372036854775807 - 1)",
    "4611686018427387904",
    "(-4611686018427387904)",
    "4294967296",
    "3037000500",
    "63",
    "62",
    "64",
    "(-1)",
];

impl World {
    /// A constant, mostly at an edge.
    fn edge(&mut self) -> String {
        match self.rng.u32(0..4) {
            0 => self.rng.u32(0..4).to_string(),
            1 => "c".to_owned(),
            // Constants alone are computed, and refused, before anything runs.
            2 => format!("({} + c)", self.pick(&EDGES)),
            _ => self.pick(&EDGES).to_owned(),
        }
    }

    fn extreme(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.edge();
        }
        match self.rng.u32(0..12) {
            0 => format!("~({} + c)", self.pick(&EDGES)),
            1 => format!("-({})", self.extreme(depth - 1)),
            2..4 => {
                let operator = self.pick(&["<<", ">>"]);
                let by = self.pick(&["c", "62", "63", "61 + c", "64", "1"]);
                let number = if self.one_in(2) { "c".to_owned() } else { self.extreme(depth - 1) };
                format!("({number} {operator} {by})")
            }
            4..6 => {
                let operator = self.pick(&["&", "|", "^"]);
                // `&` and `|` are for truth values alone.
                if operator == "^" { format!("({} ^ {})", self.extreme(depth - 1), self.edge()) } else { self.edge() }
            }
            _ => {
                let operator = self.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.extreme(depth - 1), self.extreme(depth - 1))
            }
        }
    }

    pub(super) fn arithmetic(&mut self) {
        if self.is_empty() && self.one_in(2) {
            return self.arithmetic_alone();
        }
        self.need("c");
        self.need("go");
        let top = self.top;
        self.rule(&format!("c < {top}"), "c := c + 1;");
        match self.rng.u32(0..6) {
            0..2 => {
                let bounds = self.pick(&[
                    "9223372036854775806 to 9223372036854775807",
                    "9223372036854775807 to 9223372036854775807",
                    "9223372036854775800 to 9223372036854775807 by 5",
                    "-9223372036854775807 to -9223372036854775808 by -1",
                    "9223372036854775805 + c to 9223372036854775807",
                    "c to 0 by -1",
                    "0 to c by 9223372036854775807",
                ]);
                self.rule("!go", &format!("for v := {bounds} do c := ({top} - c) ; end; go := true;"));
            }
            2 => {
                // Wide variables, whose edges are near those of 64 bits.
                self.own_globals.push("wide: -36028797018963968..36028797018963967;".to_owned());
                let (one, other) = (self.extreme(1), self.extreme(1));
                self.start += "wide := 36028797018963967;";
                self.rule("!go", &format!("wide := ({one} + wide - c) / ({other}); go := true;"));
                self.property("invariant", "wide != 0");
            }
            _ => {
                let relation = self.pick(&["<", "<=", "=", "!=", ">"]);
                let condition = format!("{} {relation} {}", self.extreme(2), self.edge());
                self.spread(&condition, Position::Any);
            }
        }
        self.property_of_picked();
    }

    pub(super) fn recursion(&mut self) {
        self.need("c");
        self.need("a");
        let name = self.fresh("f");
        let gate = self.gate();
        let depth = match self.rng.u32(0..10) {
            0 => 9000,
            1 => 10_001,
            2 => 2000,
            _ => self.rng.u32(1..40),
        };
        let top = self.top + 1;
        let size = match self.rng.u32(0..12) {
            // Half a gigabyte on the stack at the greatest depth; more takes too long in so many configurations.
            0 => 3000,
            1..5 => 300,
            _ => 3,
        };
        let array = format!("array[0..{size}] of 0..1000");
        let effect = self.pick(&["", "", "", "x := y;", "c := (c + 1) % 2;"]);
        self.need("x");
        let text = match self.rng.u32(0..5) {
            0 => format!(
                "type A{name}: {array}; function {name}(n: 0..20000; b: A{name}): 0..20000; var l: A{name}; begin \
                 if n = 0 then return 0; end; l := b; l[n % 4] := n % 7; {effect} return {name}(n - 1, l) + 1; end;"
            ),
            1 => format!(
                "type A{name}: {array}; function {name}(n: 0..20000; var b: A{name}): 0..20000; begin if n = 0 then return b[0]; end; \
                 b[n % 4] := n % 5; return {name}(n - 1, b); end;"
            ),
            2 => format!(
                "type A{name}: {array}; function {name}(n: 0..20000; b: A{name}): 0..20000; begin if n > 0 then {effect} return {name}(n - 1, b); end; \
                 if isundefined(b[1]) then return 1; end; return b[1]; end;"
            ),
            3 => format!(
                "type A{name}: {array}; function {name}(n: 0..20000; b: A{name}): 0..20000; var s: 0..20000; begin s := n; \
                 if n < 2 then return n; end; return ({name}(n - 1, b) + s) % 20; end;"
            ),
            _ => format!(
                "type A{name}: {array}; procedure {name}g(n: 0..20000; var o: R); var l: R; begin if n = 0 then return; end; l := o; \
                 {name}g(n - 1, l); o := (l + 1) % {top}; end; \
                 function {name}(n: 0..20000; b: A{name}): 0..20000; begin {name}g(n, c); return c; end;"
            ),
        };
        self.routine_texts.push(text);
        self.own_globals.push(format!("v{name}: 0..20000;"));
        let rule = self.fresh("r");
        self.rules.push(format!(
            "rule \"{rule}\" {gate} ==> var l: A{name}; begin v{name} := {name}({depth}, l); go := true; end;"
        ));
        self.property_of_picked();
    }

    pub(super) fn loop_limit(&mut self) {
        self.need("a");
        self.need("d");
        let rounds = self.pick(&["999", "1000", "1001", "998", "2000"]);
        if !self.one_in(4) {
            self.mark("loop-limit 5000");
        }
        let place = self.rng.u32(0..3);
        let name = self.fresh("f");
        // A local: as a variable of the state it would be a class of 5001 interchangeable values.
        self.routine_texts.push(format!(
            "procedure {name}w(); var t: 0..5000; begin t := 0; while t < {rounds} do t := t + 1; end; end;"
        ));
        let body = format!("{name}w();");
        self.routine_texts.push(format!(
            "function {name}(): boolean; begin for n: N do if a[n] then return true; end; end; return false; end;"
        ));
        match place {
            0 => {
                // The arrays are undefined at first; only a rule defines one element.
                self.start += &format!("{body} undefine a;");
                self.rules
                    .push(format!("ruleset n: N do rule \"{name}s\" !d ==> begin a[n] := true; d := true; end; end;"));
                self.rule("d & !go", &format!("go := {name}();"));
            }
            1 => {
                let gate = self.gate();
                self.rule(&gate, &format!("{body} go := {name}();"));
            }
            _ => {
                self.start += &body;
                let gate = self.gate();
                self.rule(&gate, &format!("go := {name}() | true;"));
            }
        }
        self.property_of_picked();
    }

    /// A chain of operations whose result is known, or known to leave 64 bits.
    fn arithmetic_alone(&mut self) {
        self.need("c");
        self.need("d");
        self.need("go");
        let start = self.rng.u32(0..=self.top);
        self.start += &format!("c := {start};");
        let (mut text, mut value) = ("c".to_owned(), Some(i128::from(start)));
        if self.one_in(4) {
            (text, value) = (format!("(c + {})", i64::MAX - i64::from(start)), Some(i128::from(i64::MAX)));
        }
        for _ in 0..1 + self.rng.u32(0..3) {
            let (new, result) = self.operation(&text, value.unwrap_or(0));
            // The least integer stands for "undefined": an operation that gives it is a fault.
            (text, value) = (new, result.filter(|&it| it != i128::from(i64::MIN)));
            if value.is_none() {
                break;
            }
        }
        let relation = self.pick(&["=", "<=", ">="]);
        self.rule("!go", &format!("d := {text} {relation} ({}); go := true;", value.unwrap_or(0)));
        self.property("invariant", "!go | d");
        self.mark(if value.is_some() { "expect holds" } else { "expect violated" });
        self.sealed = true;
    }

    /// One more operation: its text and its result, unless that is no 64-bit integer.
    fn operation(&mut self, text: &str, value: i128) -> (String, Option<i128>) {
        let edges = [i64::MAX, i64::MAX - 1, 1 << 62, 1 << 32, 3_037_000_500, 1, 2, 3, -1, -i64::MAX];
        let operand = self.choice(&edges).expect("there are some");
        let other = i128::from(operand);
        let by = self.rng.u32(0..63);
        let (new, result) = match self.rng.u32(0..9) {
            0 => (format!("({text} + ({operand}))"), Some(value + other)),
            1 => (format!("({text} - ({operand}))"), Some(value - other)),
            2 => (format!("({text} * ({operand}))"), Some(value * other)),
            3 => (format!("({text} / ({operand}))"), Some(value / other)),
            4 => (format!("({text} % ({operand}))"), Some(value % other)),
            5 => (format!("(~({text}))"), Some(!value)),
            6 => (format!("(-({text}))"), Some(-value)),
            7 => (format!("({text} >> {by})"), Some(value >> by)),
            _ => (format!("({text} << {by})"), Some(value << by)),
        };
        (new, result.filter(|it| i64::try_from(*it).is_ok()))
    }
}
