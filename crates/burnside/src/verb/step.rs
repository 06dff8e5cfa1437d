//! `burnside step`: walking a model by hand, on a terminal or with commands from a pipe.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, IsTerminal};

use burnside_diag::Diagnostic;
use burnside_driver::{Choice, Event, Guide, Prepared};
use burnside_engine::{Breach, Question, Step, Task, Trace};

use crate::args::StepArgs;
use crate::exit::Exit;
use crate::input::{Input, read_model};
use crate::output::{self, write_json};
use crate::terminal::Terminal;
use burnside_view::itf;
use burnside_view::quantity::counted;
use burnside_view::tell::{
    Change, Instance, Teller, TraceStyle, changes, describe, explain, invalid_line, name, variables,
};

/// How many states a search goes through before it gives up.
const MOST_SEARCHED: usize = 100_000;
/// How many changes are shown beside a choice.
const SHOWN_CHANGES: usize = 3;

const HELP: &str = "\
  NUMBER      take that step
  b           back
  s           show the whole state
  f TEXT      go the shortest way to a state with a line that contains TEXT, such as f lock = true
  r           begin again
  t           tell the execution so far
  w FILE      write the execution so far as a trace for `burnside replay`
  q           quit";

pub(crate) fn run(args: &StepArgs, terminal: &mut Terminal) -> Exit {
    let mut input = read_model(&args.model);
    terminal.complain_all(input.loaded.diagnostics.iter(), &input.loaded.sources);
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    };
    if args.model.model.as_os_str() == "-" {
        Terminal::alarm("`step` reads its commands from standard input, so the model must be a file");
        return Exit::Invalid;
    }
    walk(args, &input, &prepared, terminal)
}

fn walk(args: &StepArgs, input: &Input, prepared: &Prepared, terminal: &mut Terminal) -> Exit {
    let task = Task::of(Question {
        deadlock: args.model.deadlock_in(input.language).into(),
        step_limits: args.model.step_limits(input.language),
        ..Question::new(&prepared.model, &prepared.layout)
    });
    let mut walker = Walker { task: &task, input, guide: Guide::new(&task), path: Vec::new() };
    let is_person = io::stdin().is_terminal();
    walker.show(terminal);
    let mut lines = io::stdin().lock().lines();
    loop {
        if is_person {
            terminal.write("> ");
        }
        let Some(Ok(line)) = lines.next() else { return Exit::Holds };
        if !is_person {
            terminal.say(&format!("> {line}"));
        }
        match walker.obey(line.trim(), terminal) {
            Obeyed::Quit => return Exit::Holds,
            Obeyed::Moved => walker.show(terminal),
            Obeyed::Said => {}
        }
    }
}

/// What became of a command.
enum Obeyed {
    Moved,
    Said,
    Quit,
}

struct Walker<'m> {
    task: &'m Task<'m>,
    input: &'m Input,
    guide: Guide<'m>,
    /// What was chosen so far.
    path: Vec<Choice>,
}

impl Walker<'_> {
    /// The state that was reached; nothing before the start and after a fault.
    fn state(&self) -> Option<&[u64]> {
        self.path.last().and_then(|choice| choice.end.as_deref().ok())
    }

    fn choices(&mut self) -> Vec<Choice> {
        match (self.path.is_empty(), self.state().map(<[u64]>::to_vec)) {
            (true, _) => self.guide.starts(),
            (false, Some(state)) => self.guide.choices(&state),
            (false, None) => Vec::new(),
        }
    }

    /// Says where we are and what may happen next.
    fn show(&mut self, terminal: &mut Terminal) {
        if let Some(breach) = self.path.last().and_then(|choice| choice.breach.clone()) {
            self.complain(&breach, terminal);
        }
        let n_steps = self.path.len().saturating_sub(1);
        let choices = self.choices();
        if let Some(state) = self.state().map(<[u64]>::to_vec) {
            if self.guide.is_deadlock(&state, n_steps) {
                self.complain(&Breach::Deadlock, terminal);
            }
            let steps = counted(n_steps as u64, "step", "steps");
            let enabled = counted(choices.len() as u64, "rule instance is", "rule instances are");
            terminal.say(&format!("after {steps}, {enabled} enabled (? for help)"));
        } else if self.path.is_empty() {
            let starts = counted(choices.len() as u64, "start state", "start states");
            terminal.say(&format!("{}: {starts} (? for help)", self.input.name));
        }
        for (number, choice) in choices.iter().enumerate() {
            terminal.say(&format!("{:>4}  {}{}", number + 1, self.title(choice), self.effect(choice)));
        }
    }

    fn complain(&self, breach: &Breach, terminal: &mut Terminal) {
        let diagnostic = explain(self.task, breach, self.trace().as_ref());
        terminal.say(terminal.render(&diagnostic, &self.input.loaded.sources).trim_end());
    }

    fn title(&self, choice: &Choice) -> String {
        let (instance, before) = match &choice.event {
            Event::Start(start, args) => (Instance::start(self.task.model, *start, args), None),
            Event::Rule(rule, args) => (Instance::rule(self.task.model, *rule, args), self.state()),
        };
        match before {
            Some(state) => instance.title() + &instance.with_parameters_in(self.task, &self.unpack(state)),
            None => instance.title() + &instance.with_parameters(),
        }
    }

    /// What a choice would change, in a few words.
    fn effect(&self, choice: &Choice) -> String {
        let warning = match &choice.breach {
            Some(breach) => format!("  ! {}", name(self.task, breach).kind),
            None => String::new(),
        };
        let (Some(before), Ok(after)) = (self.state(), &choice.end) else { return warning };
        let changes: Vec<Change> =
            changes(self.task.model, self.task.layout, &self.unpack(before), &self.unpack(after));
        let shown = changes.iter().take(SHOWN_CHANGES).map(|change| change.line(burnside_diag::Palette::Plain));
        let mut shown: Vec<String> = shown.collect();
        match changes.len() {
            0 => shown.push("nothing changes".to_owned()),
            n if n > SHOWN_CHANGES => shown.push(format!("and {} more", n - SHOWN_CHANGES)),
            _ => {}
        }
        format!("  [{}]{warning}", shown.join("; "))
    }

    fn obey(&mut self, command: &str, terminal: &mut Terminal) -> Obeyed {
        let (word, rest) = command.split_once(' ').map_or((command, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "" => return Obeyed::Said,
            "q" => return Obeyed::Quit,
            "?" | "h" => terminal.say(HELP),
            "b" => {
                return match self.path.pop() {
                    Some(_) => Obeyed::Moved,
                    None => {
                        terminal.say("this is the beginning");
                        Obeyed::Said
                    }
                };
            }
            "r" => {
                self.path.clear();
                return Obeyed::Moved;
            }
            "s" => self.tell_state(terminal),
            "t" => match self.trace() {
                Some(trace) => {
                    let teller = Teller { task: self.task, style: TraceStyle::Diff, palette: terminal.palette() };
                    terminal.write(&teller.tell(&trace));
                }
                None => terminal.say("nothing has happened yet"),
            },
            "w" => self.write(rest, terminal),
            "f" => return self.find(rest, terminal),
            number => return self.take(number, terminal),
        }
        Obeyed::Said
    }

    fn take(&mut self, number: &str, terminal: &mut Terminal) -> Obeyed {
        let mut choices = self.choices();
        match number.parse::<usize>() {
            Ok(number) if (1..=choices.len()).contains(&number) => {
                self.path.push(choices.swap_remove(number - 1));
                Obeyed::Moved
            }
            Ok(_) => {
                terminal.say(&format!("there are {}", counted(choices.len() as u64, "choice", "choices")));
                Obeyed::Said
            }
            Err(_) => {
                terminal.say(&format!("`{number}` is not a command; ? lists them"));
                Obeyed::Said
            }
        }
    }

    fn lines(&self, state: &[u64]) -> Vec<String> {
        describe(&variables(self.task.model, self.task.layout, &self.unpack(state)))
    }

    fn tell_state(&self, terminal: &mut Terminal) {
        match self.state() {
            Some(state) => self.lines(state).iter().for_each(|line| terminal.say(&format!("    {line}"))),
            None => terminal.say("there is no state here"),
        }
    }

    /// Goes the shortest way from here to a state that is described by a text.
    fn find(&mut self, text: &str, terminal: &mut Terminal) -> Obeyed {
        if text.is_empty() {
            terminal.say("say what to look for, such as f lock = true");
            return Obeyed::Said;
        }
        // By number: the way to a state is a choice and the number of what it was made in.
        let mut met: Vec<(Choice, Option<usize>)> = Vec::new();
        let mut known: HashSet<Box<[u64]>> = HashSet::new();
        let mut frontier = VecDeque::from([None]);
        while let Some(at) = frontier.pop_front() {
            let choices = match at {
                None => self.choices(),
                Some(at) => {
                    let (Choice { end: Ok(state), .. }, _) = &met[at] else { continue };
                    let state = state.clone();
                    self.guide.choices(&state)
                }
            };
            for choice in choices {
                let Ok(state) = &choice.end else { continue };
                if !known.insert(state.clone()) {
                    continue;
                }
                let number = met.len();
                let is_found = self.lines(state).iter().any(|line| line.contains(text));
                met.push((choice, at));
                if is_found {
                    self.follow(&met, number);
                    return Obeyed::Moved;
                }
                frontier.push_back(Some(number));
            }
            if met.len() > MOST_SEARCHED {
                terminal.say(&format!("not among the nearest {MOST_SEARCHED} states"));
                return Obeyed::Said;
            }
        }
        terminal.say(&format!("no state that can be reached from here says `{text}`"));
        Obeyed::Said
    }

    fn follow(&mut self, met: &[(Choice, Option<usize>)], goal: usize) {
        let mut way = Vec::new();
        let mut at = Some(goal);
        while let Some(number) = at {
            way.push(met[number].0.clone());
            at = met[number].1;
        }
        self.path.extend(way.into_iter().rev());
    }

    fn write(&self, file: &str, terminal: &mut Terminal) {
        let (Some(trace), false) = (self.trace(), file.is_empty()) else {
            terminal.say("there is nothing to write, or no file to write to: w FILE");
            return;
        };
        let path = std::path::Path::new(file);
        if output::admit(&[("w", Some(path))], &[]).is_err() {
            return;
        }
        let breach = self.path.last().and_then(|choice| choice.breach.as_ref());
        let named = breach.map(|breach| name(self.task, breach));
        let subject = itf::Subject { task: self.task, model: &self.input.name, violates: named.as_ref() };
        if write_json(path, &itf::write(&subject, &trace), Exit::Holds) == Exit::Holds {
            terminal.say(&format!("wrote {file}"));
        }
    }

    /// The execution so far.
    fn trace(&self) -> Option<Trace> {
        let (first, rest) = self.path.split_first()?;
        let Event::Start(start, start_args) = &first.event else { return None };
        let steps = rest.iter().filter_map(|choice| match &choice.event {
            Event::Rule(rule, args) => Some(Step { rule: *rule, args: args.clone(), end: choice.end.clone() }),
            Event::Start(..) => None,
        });
        let first = first.end.clone().ok();
        Some(Trace { start: *start, start_args: start_args.clone(), first, steps: steps.collect(), loop_start: None })
    }

    fn unpack(&self, state: &[u64]) -> Vec<i64> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        values
    }
}
