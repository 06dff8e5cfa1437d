//! Headers of models: what a model is expected to do.
//!
//! A header is the run of comment lines (`--`, `//` or `;`) that a file begins with. Lines of the form `-- key: value` are
//! read, all other comment lines are prose; an unknown key is an error, so that a misspelt expectation cannot be passed
//! over.
//!
//! ```text
//! -- expect: violated invariant "mutex" depth 7
//! -- states: 5153
//! -- with: --symmetry refine => violated invariant "mutex" states 112
//! ```

use std::fmt;

/// What begins a comment line in some language.
const COMMENTS: [&str; 3] = ["--", "//", ";"];

/// What is to be done with a model, and what should come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// `expect:` what is concluded.
    pub expect: Expect,
    /// `states:` how many states a complete search stores without reduction.
    pub states: Option<u64>,
    /// `rules:` how many rule instances a complete search fires without reduction.
    pub rules: Option<u64>,
    /// `deadlock:` the mode, one of `off`, `stuck` and `stuttering`.
    pub deadlock: Option<String>,
    /// `define:` constants with other values, `N=2 M=3`.
    pub define: Vec<(String, i64)>,
    /// `undefined: strict`: copies of undefined values are faults.
    pub strict_undefined: bool,
    /// `loop-limit:` rounds that a `while` loop may take.
    pub loop_limit: Option<u32>,
    /// `agrees:` which other tools gave the same verdict and counts, with their versions.
    pub agrees: Option<String>,
    /// `with:` what is expected with other options, once for each line.
    pub with: Vec<With>,
}

/// What is expected with some options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct With {
    /// The options, as on a command line.
    pub options: Vec<String>,
    /// What should come of it.
    pub expectation: Expectation,
}

/// An answer with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// What is concluded.
    pub expect: Expect,
    /// How many states are stored.
    pub states: Option<u64>,
    /// How many rule instances are fired.
    pub rules: Option<u64>,
}

/// The answer expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// `holds`.
    Holds,
    /// `violated KIND ["NAME"] [depth N]`.
    Violated {
        /// The kind of violation as reports name it: `invariant`, `deadlock`, `cover`, `liveness` or a kind of fault.
        kind: String,
        /// What is violated, by its name or message.
        name: Option<String>,
        /// How many rules fire in a shortest trace.
        depth: Option<u64>,
    },
    /// `inconclusive`.
    Inconclusive,
    /// `invalid CODE…`: the codes of all errors, in order.
    Invalid(Vec<String>),
}

impl Expectation {
    /// Reads an answer as a header or a command names it: `holds states 12 rules 20`, `violated deadlock depth 3`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut rest, mut numbers) = (text.trim(), [None; 2]);
        while let Some((front, number)) = rest.rsplit_once(' ')
            && let Some((front, key)) = front.trim_end().rsplit_once(' ')
            && let Some(at) = ["states", "rules"].iter().position(|it| *it == key)
        {
            (rest, numbers[at]) = (front.trim_end(), Some(self::number(key, number)?));
        }
        Ok(Self { expect: parse_expect(rest)?, states: numbers[0], rules: numbers[1] })
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expect)?;
        for (key, number) in [("states", self.states), ("rules", self.rules)] {
            if let Some(number) = number {
                write!(f, " {key} {number}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => write!(f, "holds"),
            Self::Inconclusive => write!(f, "inconclusive"),
            Self::Violated { kind, name, depth } => {
                write!(f, "violated {kind}")?;
                name.as_ref().map_or(Ok(()), |name| write!(f, " \"{name}\""))?;
                depth.map_or(Ok(()), |depth| write!(f, " depth {depth}"))
            }
            Self::Invalid(codes) => {
                write!(f, "invalid")?;
                codes.iter().try_for_each(|code| write!(f, " {code}"))
            }
        }
    }
}

impl Header {
    /// Reads the header of a model.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut expect = None;
        let mut header = Self {
            expect: Expect::Holds,
            states: None,
            rules: None,
            deadlock: None,
            define: Vec::new(),
            strict_undefined: false,
            loop_limit: None,
            agrees: None,
            with: Vec::new(),
        };
        for (key, value) in comment_lines(text).filter_map(entry) {
            match key {
                "expect" => expect = Some(parse_expect(value)?),
                "states" => header.states = Some(number(key, value)?),
                "rules" => header.rules = Some(number(key, value)?),
                "deadlock" if ["off", "stuck", "stuttering"].contains(&value) => {
                    header.deadlock = Some(value.to_owned());
                }
                "define" => header.define = value.split_whitespace().map(parse_define).collect::<Result<_, _>>()?,
                "undefined" if value == "strict" => header.strict_undefined = true,
                "loop-limit" => header.loop_limit = Some(number(key, value)?),
                "agrees" => header.agrees = Some(value.to_owned()),
                "with" => header.with.push(parse_with(value)?),
                "deadlock" | "undefined" => return Err(format!("`{key}` cannot be `{value}`")),
                _ => return Err(format!("unknown key `{key}`")),
            }
        }
        header.expect = expect.ok_or("the key `expect` is missing")?;
        Ok(header)
    }

    /// Whether a text says anything about what is expected of it.
    pub fn is_there(text: &str) -> bool {
        comment_lines(text).filter_map(entry).any(|(key, _)| key == "expect")
    }
}

/// The comment lines that a text begins with.
fn comment_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| COMMENTS.iter().find_map(|comment| line.strip_prefix(comment)))
}

fn parse_with(value: &str) -> Result<With, String> {
    let (options, expected) = value.split_once("=>").ok_or("`with` is not of the form OPTIONS => EXPECTATION")?;
    let options = options.split_whitespace().map(str::to_owned).collect();
    Ok(With { options, expectation: Expectation::parse(expected)? })
}

/// The key and the value of a line that has both.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix(' ')?.split_once(": ")?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then_some((key, value.trim()))
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{key}` needs a number, not `{value}`"))
}

fn parse_define(word: &str) -> Result<(String, i64), String> {
    let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not of the form NAME=VALUE"))?;
    Ok((name.to_owned(), number("define", value)?))
}

fn parse_expect(value: &str) -> Result<Expect, String> {
    let (verdict, rest) = value.split_once(' ').unwrap_or((value, ""));
    match verdict {
        "holds" if rest.is_empty() => Ok(Expect::Holds),
        "inconclusive" if rest.is_empty() => Ok(Expect::Inconclusive),
        "violated" => parse_violated(rest),
        "invalid" => Ok(Expect::Invalid(rest.split_whitespace().map(str::to_owned).collect())),
        _ => Err(format!("`{value}` is not an expectation")),
    }
}

fn parse_violated(rest: &str) -> Result<Expect, String> {
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    if kind.is_empty() {
        return Err("`violated` needs a kind".to_owned());
    }
    let (name, rest) = match rest.strip_prefix('"') {
        None => (None, rest),
        Some(quoted) => {
            let (name, rest) = quoted.rsplit_once('"').ok_or("a name lacks its closing quote")?;
            (Some(name.to_owned()), rest.trim_start())
        }
    };
    let depth = match rest.strip_prefix("depth ") {
        Some(depth) => Some(number("depth", depth)?),
        None if rest.is_empty() => None,
        None => return Err(format!("`{rest}` is not understood")),
    };
    Ok(Expect::Violated { kind: kind.to_owned(), name, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fails(text: &str, message: &str) {
        assert_eq!(Header::parse(text), Err(message.to_owned()));
    }

    #[test]
    fn every_key_is_read() {
        let text = "-- A mutex.\n-- expect: violated invariant \"mutex\" depth 7\n-- states: 12\n-- rules: 20\n\
                    -- deadlock: off\n-- define: N=2 M=-3\n-- undefined: strict\n-- loop-limit: 5\n-- agrees: tool 1.0\n\
                    var x: boolean;";
        let header = Header::parse(text).expect("well-formed");
        let kind = "invariant".to_owned();
        assert_eq!(header.expect, Expect::Violated { kind, name: Some("mutex".to_owned()), depth: Some(7) });
        assert_eq!((header.states, header.rules, header.loop_limit), (Some(12), Some(20), Some(5)));
        assert_eq!(header.deadlock.as_deref(), Some("off"));
        assert_eq!(header.define, [("N".to_owned(), 2), ("M".to_owned(), -3)]);
        assert!(header.strict_undefined);
        assert_eq!(header.agrees.as_deref(), Some("tool 1.0"));
    }

    #[test]
    fn expectations_are_read_as_they_are_written() {
        let all = ["holds states 12 rules 20", "violated invariant \"states 3\" depth 2 rules 5", "invalid syntax"];
        for text in all.into_iter().chain(["holds", "inconclusive", "violated deadlock depth 0"]) {
            assert_eq!(Expectation::parse(text).expect(text).to_string(), text);
        }
        let header = Header::parse("// expect: holds\n// with: -j 2 --symmetry off => holds states 3").expect("right");
        assert_eq!(header.with[0].options, ["-j", "2", "--symmetry", "off"]);
        assert_eq!(header.with[0].expectation.states, Some(3));
    }

    #[test]
    fn name_and_depth_may_be_left_out() {
        let expect = Header::parse("-- expect: violated deadlock").expect("well-formed").expect;
        assert_eq!(expect, Expect::Violated { kind: "deadlock".to_owned(), name: None, depth: None });
    }

    #[test]
    fn an_unknown_key_is_refused() {
        fails("-- expect: holds\n-- state: 3", "unknown key `state`");
    }

    #[test]
    fn a_missing_expectation_is_refused() {
        fails("-- states: 3\nvar x: boolean;", "the key `expect` is missing");
    }

    #[test]
    fn nonsense_is_refused() {
        fails("-- expect: hold", "`hold` is not an expectation");
        fails("-- expect: violated", "`violated` needs a kind");
        fails("-- expect: violated deadlock at once", "`at once` is not understood");
        fails("-- expect: holds\n-- states: many", "`states` needs a number, not `many`");
        fails("-- expect: holds\n-- deadlock: on", "`deadlock` cannot be `on`");
    }

    #[test]
    fn comments_after_the_header_are_not_read() {
        assert!(Header::parse("-- expect: holds\n\n-- nonsense: 3").is_ok());
    }
}
