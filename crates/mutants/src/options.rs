//! The command line.

/// How the command is used.
pub(crate) const USAGE: &str = "\
usage: cargo xtask mutants [OPTIONS]

  --sample N      so many mutants, taken at random; all unless told
  --seed N        another sample, 1 unless told
  --random N      so many random models beside the kept ones, 300 unless told
  --minutes M     begin no more trials after so long
  --only TEXT     only mutants whose description contains TEXT
  --number N      only the mutant of this number; may be repeated
  --list          list the mutants and do nothing else
  --slow          programs as tests are built: they are slower, and soon built
  --tests         try those that no model shows on the tests of their crate
  --again         forget earlier outcomes";

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) sample: usize,
    pub(crate) seed: u64,
    pub(crate) random: u64,
    pub(crate) minutes: u64,
    pub(crate) only: Option<String>,
    pub(crate) numbers: Vec<u32>,
    pub(crate) list: bool,
    pub(crate) slow: bool,
    pub(crate) tests: bool,
    pub(crate) again: bool,
}

impl Options {
    /// The words that choose how programs are built.
    pub(crate) fn profile(&self) -> &'static [&'static str] {
        if self.slow { &[] } else { &["--release"] }
    }

    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        // A clock does not reach beyond what a year of minutes can be added to.
        let (sample, minutes) = (usize::MAX, 365 * 24 * 60);
        let (list, slow, tests, again) = (false, false, false, false);
        let (only, numbers) = (None, Vec::new());
        let mut options = Self { sample, seed: 1, random: 300, minutes, only, numbers, list, slow, tests, again };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value\n{USAGE}"));
            match word.as_str() {
                "--sample" => options.sample = number(value()?)?,
                "--seed" => options.seed = number(value()?)?,
                "--random" => options.random = number(value()?)?,
                "--minutes" => options.minutes = number(value()?)?,
                "--only" => options.only = Some(value()?.clone()),
                "--number" => options.numbers.push(number(value()?)?),
                "--list" => options.list = true,
                "--slow" => options.slow = true,
                "--tests" => options.tests = true,
                "--again" => options.again = true,
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number"))
}
