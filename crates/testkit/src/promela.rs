//! Random texts in Promela, and formulas about them.

use std::fmt::Write as _;

/// A small model, the same for the same seed on every machine.
pub fn random_promela(seed: u64) -> String {
    Writer::new(seed).model()
}

/// A formula in LTL about the variables that every [`random_promela`] has.
pub fn random_promela_formula(seed: u64) -> String {
    Writer::new(!seed).formula(2)
}

/// A `never` about the variables that every [`random_promela`] has; it asserts nothing but `false`.
pub fn random_promela_never(seed: u64) -> String {
    Writer::new(seed ^ 0x5555_5555_5555_5555).never()
}

/// A small generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.below(options.len() as u64) as usize]
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}

/// A model in the making.
struct Writer {
    random: Random,
    text: String,
    n_labels: u32,
}

const BYTES: [&str; 6] = ["x", "y", "v", "a[v & 1]", "t.f", "t.g[x & 1]"];

impl Writer {
    fn new(seed: u64) -> Self {
        let mut writer =
            Self { random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)), text: String::new(), n_labels: 0 };
        writer.random.below(2);
        writer
    }

    fn model(mut self) -> String {
        let writer = &mut self;
        writer.declarations();
        let n_types = 1 + writer.random.below(2);
        for number in 0..n_types {
            writer.proctype(number);
        }
        writer.init(n_types);
        self.text
    }

    fn declarations(&mut self) {
        let (kept, met) = (1 + self.random.below(2), self.random.below(3));
        let _ = writeln!(self.text, "mtype = {{ red, green }};\nbyte x = 1, y;\nbyte a[2];");
        let _ = writeln!(self.text, "chan q = [{kept}] of {{ mtype, byte }};\nchan r = [0] of {{ byte }};");
        let _ = writeln!(self.text, "chan s[2] = [{met}] of {{ byte }};");
        let _ = writeln!(self.text, "typedef T {{ byte f; byte g[2] }};\nT t;\nchan w = [1] of {{ chan, byte }};");
        self.text += "proctype L(byte k) { x = k; t.g[k & 1]++ }\n";
    }

    fn proctype(&mut self, number: u64) {
        let provided = match self.random.below(8) {
            0 => " provided (x != 2)",
            1 => " provided (y < 2 || _pid == 1)",
            _ => "",
        };
        let _ = writeln!(self.text, "proctype P{number}(byte id; chan c){provided} {{");
        self.text += "  byte v; mtype m; bit b; chan d;\n";
        if self.random.chance(6) {
            let promise = self.random.pick(&["xr q", "xs q", "xs c", "xr c", "xr w"]);
            let _ = writeln!(self.text, "  {promise};");
        }
        if self.random.chance(2) {
            self.text += "  do\n";
            for _ in 0..1 + self.random.below(3) {
                self.text += "  :: ";
                self.sequence(3, 2);
            }
            if self.random.chance(3) {
                self.text += "  :: break\n";
            }
            self.text += "  od\n";
        } else {
            self.sequence(4, 2);
        }
        self.text += "}\n";
    }

    fn init(&mut self, n_types: u64) {
        let atomic = !self.random.chance(3);
        self.text += if atomic { "init { atomic {\n" } else { "init {\n" };
        if self.random.chance(3) {
            // Processes that nothing but their numbers tells apart.
            let (kind, chan) = (self.random.below(n_types), self.random.pick(&["r", "s[0]"]));
            for _ in 0..2 + self.random.below(2) {
                let _ = writeln!(self.text, "  run P{kind}(0, {chan});");
            }
        } else {
            for number in 0..1 + self.random.below(2) {
                let (kind, chan) = (self.random.below(n_types), self.random.pick(&["r", "s[0]", "s[1]"]));
                let _ = writeln!(self.text, "  run P{kind}({number}, {chan});");
            }
        }
        self.text += if atomic { "  skip } }\n" } else { "  skip }\n" };
    }

    fn sequence(&mut self, most: u64, depth: u32) {
        for _ in 0..1 + self.random.below(most) {
            self.statement(depth);
            self.text += ";\n  ";
        }
        self.text += "skip\n";
    }

    fn value(&mut self) -> String {
        match self.random.below(8) {
            0 => "id".to_owned(),
            1 => "_pid".to_owned(),
            2 => format!("({} + 1) % 3", self.random.pick(&BYTES)),
            3 => "len(q)".to_owned(),
            4 => format!("({} -> 2 : x)", self.condition()),
            5 => "b".to_owned(),
            6 => self.random.pick(&BYTES).to_owned(),
            _ => self.random.below(4).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.random.pick(&BYTES), self.random.below(3));
        match self.random.below(11) {
            0 => format!("{left} < {right}"),
            1 => format!("{left} != {right}"),
            2 => "nempty(q)".to_owned(),
            3 => "q?[red, _]".to_owned(),
            4 => format!("({left} == {right} || b)"),
            5 => "timeout".to_owned(),
            6 => "_nr_pr > 2".to_owned(),
            7 => format!("_last == {right}"),
            8 => "m == green".to_owned(),
            9 => self.random.pick(&["nfull(q)", "empty(q)", "q??[green, 1]", "len(s[1]) > 0", "full(w)"]).to_owned(),
            _ => format!("{left} == {right}"),
        }
    }

    fn statement(&mut self, depth: u32) {
        let (simple, all) = (15, 21);
        match self.random.below(if depth == 0 { simple } else { all }) {
            0 | 1 => {
                let (target, value) = (self.random.pick(&["x", "y", "v", "a[1]", "b"]), self.value());
                let _ = write!(self.text, "{target} = {value}");
            }
            2 => {
                let condition = self.condition();
                let _ = write!(self.text, "{condition}");
            }
            3 => {
                let (colour, value, sorted) =
                    (self.random.pick(&["red", "green", "m"]), self.value(), self.random.chance(4));
                let _ = write!(self.text, "q{} {colour}, {value}", if sorted { "!!" } else { "!" });
            }
            4 => {
                let pattern = self.random.pick(&["m, v", "red, v", "green, _", "m, eval(v)", "_, x"]);
                let how = self.random.pick(&["q?", "q??"]);
                let _ = write!(self.text, "{how} {pattern}");
            }
            5 => {
                let value = self.value();
                let _ = write!(self.text, "c ! {value}");
            }
            6 => self.text += self.random.pick(&["c ? v", "c ? x", "r ? y", "c ? eval(x)"]),
            7 => self.text += self.random.pick(&["skip", "x++", "v++", "b = !b"]),
            8 => {
                let condition = self.condition();
                let _ = write!(self.text, "assert({condition} || x < 9)");
            }
            9 => self.text += "q?<m, v>",
            10 => self.text += "printf(\"%d %e\\n\", x, m)",
            11 => {
                let (target, value) = (self.random.pick(&["t.f", "t.g[1]", "t.g[v & 1]"]), self.value());
                let _ = write!(self.text, "{target} = {value}");
            }
            12 => self.text += self.random.pick(&["w ! c, 1", "w ! s[1], v", "w ?? d, 1", "w ?? eval(c), v"]),
            13 => {
                let (sent, end) = (self.random.below(3), self.random.pick(&["", "; d = 0", "; d ? x"]));
                let _ = write!(self.text, "w ? d, v; d ! {sent}{end}");
            }
            14 => {
                let most = 3 + self.random.below(3);
                let _ = write!(self.text, "atomic {{ _nr_pr < {most} -> run L({}) }}", self.random.below(3));
            }
            15 => {
                let selection = self.random.chance(3);
                self.text += "if\n";
                for _ in 0..1 + self.random.below(2) {
                    self.text += "  :: ";
                    self.sequence(2, depth - 1);
                }
                self.text += if selection { "  :: else\n  fi" } else { "  :: else -> x = 0\n  fi" };
            }
            16 => self.block("atomic", depth),
            17 => {
                let (first, second) = (self.value(), self.value());
                let condition = self.condition();
                let _ = write!(
                    self.text,
                    "d_step {{ x = {first}; if :: {} -> y = {second} :: else -> v = 1 fi; b = 0 }}",
                    condition.replace("timeout", "y == 1")
                );
            }
            18 => {
                self.n_labels += 1;
                let condition = self.condition();
                let _ = write!(self.text, "{{ ");
                self.sequence(2, 0);
                let _ = write!(self.text, "}} unless {{ {condition} -> y = 2 }}");
            }
            19 => {
                let how = self.random.pick(&["for (v : 0 .. 1) {", "{ select (v : 0 .. 2); ", "do :: v < 2 -> v++; "]);
                self.text += how;
                self.sequence(2, depth - 1);
                self.text += if how.starts_with("do") { "  :: else -> break od" } else { "}" };
            }
            _ => {
                let label = self.random.pick(&["end", "progress", "here"]);
                self.n_labels += 1;
                let _ = write!(self.text, "{label}_{}: skip", self.n_labels);
            }
        }
    }

    fn block(&mut self, kind: &str, depth: u32) {
        let _ = write!(self.text, "{kind} {{ ");
        self.sequence(3, depth - 1);
        self.text += "}";
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.proposition();
        }
        let operator = self.random.pick(&["[]", "<>", "<>", "!", "U", "&&", "||", "->", "[] <>", "<> []"]);
        let left = self.formula(depth - 1);
        match operator {
            "U" | "&&" | "||" | "->" => format!("(({left}) {operator} ({}))", self.formula(depth - 1)),
            _ => format!("{operator} ({left})"),
        }
    }

    fn never(&mut self) -> String {
        let n_places = 1 + self.random.below(3);
        let mut text = "never {\n".to_owned();
        for place in 0..n_places {
            let kind = if self.random.chance(2) { "accept" } else { "T" };
            let _ = writeln!(text, "{kind}_{place}_{kind}: P{place}:\n  if");
            for _ in 0..1 + self.random.below(3) {
                let (when, to) = (self.proposition(), self.random.below(n_places));
                let _ = match self.random.below(12) {
                    0 => writeln!(text, "  :: atomic {{ {when} -> assert(false) }}"),
                    1 => writeln!(text, "  :: atomic {{ {when} -> {} -> goto P{to} }}", self.proposition()),
                    2 => writeln!(text, "  :: {when} -> goto done"),
                    3 => writeln!(text, "  :: {when} -> {} -> goto P{to}", self.proposition()),
                    4..=6 => writeln!(text, "  :: true -> goto P{to}"),
                    _ => writeln!(text, "  :: {when} -> goto P{to}"),
                };
            }
            if self.random.chance(3) {
                let _ = writeln!(text, "  :: else -> goto P{}", self.random.below(n_places));
            }
            text += "  fi;\n";
        }
        text + "done: skip\n}\n"
    }

    fn proposition(&mut self) -> String {
        let (name, value) = (self.random.pick(&["x", "y", "a[0]", "a[1]", "len(q)"]), self.random.below(3));
        let comparison = self.random.pick(&["==", "==", ">"]);
        format!("({name} {comparison} {value})")
    }
}
