//! What engines hand back: one answer for each thing that was asked, and what it took.

use burnside_ir::{PropertyId, PropertyKind};
use burnside_step::{Breach, Question};
use burnside_symmetry::Census;

use crate::{AuditReport, ClaimNote, Counts, Evidence, Paused, Reasoning, Shortfall, Stored, Verdict, Violation};

/// One of the things that a question asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Whether this property holds.
    Property(PropertyId),
    /// Whether there is no deadlock.
    Deadlocks,
    /// Whether no rule, start state or property faults, assertions included.
    Faults,
}

impl Asked {
    /// Everything that a question asks about, in the order in which it is told.
    pub fn by(question: &Question<'_>) -> Vec<Self> {
        let kinds = [PropertyKind::Invariant, PropertyKind::Cover, PropertyKind::CoverPoint, PropertyKind::Liveness]
            .into_iter();
        let of_states = kinds.flat_map(|kind| question.properties(kind)).map(Self::Property);
        let deadlocks = question.checks_deadlocks().then_some(Self::Deadlocks);
        let temporal = question.temporal_properties().into_iter().map(Self::Property);
        of_states.chain(deadlocks).chain([Self::Faults]).chain(temporal).collect()
    }

    /// What a breach is the violation of.
    fn broken_by(breach: &Breach) -> Self {
        match breach {
            Breach::Invariant(property, _)
            | Breach::Liveness(property, _)
            | Breach::Uncovered(property)
            | Breach::Temporal(property, _) => Self::Property(*property),
            Breach::Deadlock => Self::Deadlocks,
            Breach::Fault(_) | Breach::PropertyFault(..) => Self::Faults,
        }
    }
}

/// What became of one of the things asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What was asked.
    pub asked: Asked,
    /// Whether it holds.
    pub verdict: Verdict,
    /// What else is worth knowing.
    pub notes: Vec<ClaimNote>,
}

/// What an engine hands back.
#[derive(Debug, Clone)]
pub struct Report {
    /// The answer to everything together: if something is violated, what was found first.
    pub verdict: Verdict,
    /// One answer for each thing asked, in the order of [`Asked::by`].
    pub answers: Vec<Answer>,
    /// How much was done.
    pub counts: Counts,
    /// How often each rule fired, by rule number.
    pub fired: Vec<u64>,
    /// What was stored, if the task asked for it and everything holds.
    pub stored: Option<Stored>,
    /// What the audit of the search says.
    pub audit: AuditReport,
    /// How many states those stored stand for, if the task asked for it and the search was complete.
    pub census: Option<Census>,
    /// What explanations did, in a search that learns why states are safe.
    pub reasoning: Option<Box<Reasoning>>,
    /// What it takes to go on, if the task asked for it and the search was cut short.
    pub paused: Option<Paused>,
}

impl Report {
    /// A report of a search that has no more to say: if something is violated, nothing is known of the rest.
    pub fn new(question: &Question<'_>, verdict: Verdict, counts: Counts) -> Self {
        let broken = match &verdict {
            Verdict::Violated(violation) => Some(Asked::broken_by(&violation.breach)),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        };
        let answer = |asked: Asked| {
            let verdict = match &verdict {
                Verdict::Violated(_) if broken != Some(asked) => Verdict::Unknown(Shortfall::Violation),
                Verdict::Holds(_) if is_cover(question, asked) => Verdict::Holds(Evidence::Met),
                verdict => verdict.clone(),
            };
            Answer { asked, verdict, notes: Vec::new() }
        };
        let answers = Asked::by(question).into_iter().map(answer).collect();
        Self {
            verdict,
            answers,
            counts,
            fired: Vec::new(),
            stored: None,
            audit: AuditReport::default(),
            census: None,
            reasoning: None,
            paused: None,
        }
    }

    /// The same of a search that visited every state, whatever came of it after that: what states alone decide is decided,
    /// and all covers that were not met are known.
    #[must_use]
    pub fn of_all_states(mut self, question: &Question<'_>, uncovered: &[PropertyId]) -> Self {
        for Answer { asked, verdict, .. } in &mut self.answers {
            if !matches!(verdict, Verdict::Unknown(_)) {
                continue;
            }
            match *asked {
                Asked::Deadlocks | Asked::Faults => *verdict = Verdict::Holds(Evidence::Exhausted),
                Asked::Property(property) if question.model.property(property).kind == PropertyKind::Invariant => {
                    *verdict = Verdict::Holds(Evidence::Exhausted);
                }
                Asked::Property(property) if uncovered.contains(&property) => {
                    let violation = Violation { breach: Breach::Uncovered(property), trace: None };
                    *verdict = Verdict::Violated(Box::new(violation));
                }
                Asked::Property(_) if is_cover(question, *asked) => *verdict = Verdict::Holds(Evidence::Met),
                // Liveness is looked at one property after the other, and temporal properties after that.
                Asked::Property(_) => {}
            }
        }
        self
    }

    /// The same with these answers in place of those to the same questions.
    #[must_use]
    pub fn with(mut self, answers: Vec<Answer>) -> Self {
        for answer in answers {
            if let Some(place) = self.answers.iter_mut().find(|it| it.asked == answer.asked) {
                *place = answer;
            }
        }
        self
    }

    /// Puts another execution in place of the one that shows the violation found first.
    pub fn show_by(&mut self, other: impl FnOnce(Violation) -> Violation) {
        let Verdict::Violated(shown) = &mut self.verdict else { return };
        let asked = Asked::broken_by(&shown.breach);
        **shown = other((**shown).clone());
        if let Some(place) = self.answers.iter_mut().find(|it| it.asked == asked) {
            place.verdict = self.verdict.clone();
        }
    }

    /// Every violation in it, that of the verdict first.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        let first = violation(&self.verdict);
        let others = self.answers.iter().filter_map(|answer| violation(&answer.verdict));
        first.into_iter().chain(others.filter(move |&it| Some(it) != first))
    }
}

fn violation(verdict: &Verdict) -> Option<&Violation> {
    match verdict {
        Verdict::Violated(violation) => Some(violation),
        Verdict::Holds(_) | Verdict::Unknown(_) => None,
    }
}

fn is_cover(question: &Question<'_>, asked: Asked) -> bool {
    let kind = |property| question.model.property(property).kind;
    matches!(asked, Asked::Property(it) if matches!(kind(it), PropertyKind::Cover | PropertyKind::CoverPoint))
}
