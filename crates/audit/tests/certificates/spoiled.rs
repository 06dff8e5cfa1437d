//! Certificates spoiled at random. Where the spoiled one no longer proves its claim (`brute` decides), the audit must
//! not accept it.

use burnside_audit::{Certificate, Deadlock, Outcome};
use burnside_driver::write_certificate;

use crate::brute::proves;
use crate::made::{Subject, as_claimed, audited, certificate, own_models, strategies, with_room};

/// Models with more states are left out: brute force looks at all of them for every way to spoil.
const MOST_STATES: usize = 400;

/// With more identities, there are more exchanges of two than brute force has room for.
const MOST_POINTS: usize = 100;

fn is_small(certificate: &Certificate) -> bool {
    certificate.n_states() <= MOST_STATES && certificate.n_points() <= MOST_POINTS
}

/// What is done to a certificate.
#[derive(Debug, Clone, Copy)]
enum Spoiling {
    DropState,
    ChangeBit,
    SwapStates,
    DropGenerator,
    AlterGenerator,
    AddGenerator,
    MergeCells,
    OtherDeadlock,
    OtherProperty,
    OtherConstant,
    OtherLoopLimit,
    OtherStrictness,
    OtherModel,
    Truncate,
    DamageFile,
}

const ALL: [Spoiling; 15] = [
    Spoiling::DropState,
    Spoiling::ChangeBit,
    Spoiling::SwapStates,
    Spoiling::DropGenerator,
    Spoiling::AlterGenerator,
    Spoiling::AddGenerator,
    Spoiling::MergeCells,
    Spoiling::OtherDeadlock,
    Spoiling::OtherProperty,
    Spoiling::OtherConstant,
    Spoiling::OtherLoopLimit,
    Spoiling::OtherStrictness,
    Spoiling::OtherModel,
    Spoiling::Truncate,
    Spoiling::DamageFile,
];

/// A permutation of points that keeps classes, not the identity if there is another.
fn random_images(certificate: &Certificate, rng: &mut fastrand::Rng) -> Vec<u32> {
    let mut images: Vec<u32> = Vec::new();
    for class in &certificate.classes {
        let mut own: Vec<u32> = (images.len() as u32..images.len() as u32 + class.size).collect();
        rng.shuffle(&mut own);
        images.extend(own);
    }
    images
}

/// Spoils a certificate, if that is possible in this way, and says what the file is then.
fn spoil(certificate: &Certificate, spoiling: Spoiling, others: &[&str], rng: &mut fastrand::Rng) -> Option<Vec<u8>> {
    let mut spoiled = certificate.clone();
    let n_words = certificate.n_words();
    let some_state = |rng: &mut fastrand::Rng| rng.usize(..certificate.n_states());
    match spoiling {
        Spoiling::DropState => {
            let at = some_state(rng);
            spoiled.states.drain(at * n_words..(at + 1) * n_words);
            if !spoiled.annotations.is_empty() {
                spoiled.annotations.remove(at);
            }
        }
        Spoiling::ChangeBit => {
            let (at, bit) = (some_state(rng), rng.u32(..certificate.n_bits));
            spoiled.states[at * n_words + bit as usize / 64] ^= 1 << (bit % 64);
        }
        Spoiling::SwapStates => {
            let (from, to) = (some_state(rng), some_state(rng));
            let state = spoiled.states[from * n_words..(from + 1) * n_words].to_vec();
            spoiled.states[to * n_words..(to + 1) * n_words].copy_from_slice(&state);
        }
        Spoiling::DropGenerator => {
            if spoiled.generators.is_empty() {
                return None;
            }
            spoiled.generators.remove(rng.usize(..spoiled.generators.len()));
        }
        Spoiling::AlterGenerator => {
            let images = random_images(&spoiled, rng);
            rng.choice(&mut spoiled.generators)?.images = images;
        }
        Spoiling::AddGenerator => {
            let images = random_images(&spoiled, rng);
            let mut added = spoiled.generators.first()?.clone();
            added.images = images;
            spoiled.generators.push(added);
        }
        Spoiling::MergeCells => {
            let cells = rng.choice(&mut spoiled.partitions)?;
            let (one, other) = (rng.choice(&*cells).copied()?, rng.choice(&*cells).copied()?);
            cells.iter_mut().filter(|cell| **cell == one).for_each(|cell| *cell = other);
        }
        Spoiling::OtherDeadlock => spoiled.claim.deadlock = rng.choice(Deadlock::ALL)?,
        Spoiling::OtherProperty => {
            let names = ["mutex", "alone", "safe", certificate.claim.model.as_str()];
            spoiled.claim.property = rng.choice(names).map(str::to_owned);
        }
        Spoiling::OtherConstant => spoiled.claim.overrides.first_mut()?.1 += 1,
        Spoiling::OtherLoopLimit => spoiled.claim.limits.loop_rounds = rng.u32(..4),
        Spoiling::OtherStrictness => spoiled.claim.strict_undefined ^= true,
        Spoiling::OtherModel => {
            let other = rng.choice(others)?;
            spoiled.claim.text = burnside_audit::digest(other.as_bytes());
        }
        Spoiling::Truncate | Spoiling::DamageFile => {
            let mut file = write_certificate(certificate);
            let at = rng.usize(..file.len());
            match spoiling {
                Spoiling::Truncate => file.truncate(at),
                _ => file[at] ^= 1 << rng.u32(..8),
            }
            return Some(file);
        }
    }
    Some(write_certificate(&spoiled))
}

/// How often spoiled certificates were accepted and rejected.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    /// They still prove what they claim.
    accepted: usize,
    /// They would still prove it, but not in the way an audit goes.
    rejected_needlessly: usize,
    /// What they mean is too much for brute force.
    too_large: usize,
}

fn try_one(subject: &Subject, file: &[u8], what: &str, tally: &mut Tally) {
    let still_proves = Certificate::from_bytes(file)
        .ok()
        .and_then(|spoiled| Some((as_claimed(&spoiled, &subject.text)?, spoiled)))
        .map_or(Some(false), |(prepared, spoiled)| proves(&prepared, &spoiled));
    let Some(still_proves) = still_proves else {
        tally.too_large += 1;
        return;
    };
    let accepted = matches!(audited(file, &subject.text), Some(Outcome::Accepted(_)));
    assert!(still_proves || !accepted, "{}: accepted, though it proves nothing after {what}", subject.name);
    match (accepted, still_proves) {
        (true, _) => tally.accepted += 1,
        (false, false) => tally.rejected += 1,
        (false, true) => tally.rejected_needlessly += 1,
    }
}

/// `BURNSIDE_SPOILINGS` says how many to try for each model and strategy.
#[test]
fn what_proves_nothing_is_rejected() {
    with_room(|| {
        let rounds = std::env::var("BURNSIDE_SPOILINGS").ok().and_then(|it| it.parse().ok()).unwrap_or(2_usize);
        let models = own_models();
        let others: Vec<&str> = models.iter().map(|model| model.text.as_str()).collect();
        let mut rng = fastrand::Rng::with_seed(7);
        let mut tally = Tally::default();
        for subject in &models {
            for (name, symmetry) in strategies() {
                let Some(whole) = certificate(subject, symmetry).filter(is_small) else {
                    continue;
                };
                for _ in 0..rounds {
                    let spoiling = rng.choice(ALL).expect("there are some");
                    if let Some(file) = spoil(&whole, spoiling, &others, &mut rng) {
                        try_one(subject, &file, &format!("{spoiling:?} under {name}"), &mut tally);
                    }
                }
            }
        }
        // Figures for whoever asks (`--no-capture`).
        #[allow(clippy::print_stderr, reason = "a figure that is reported")]
        {
            eprintln!("{tally:?}");
        }
        assert!(tally.rejected > 100, "too little was spoiled: {tally:?}");
        assert!(tally.rejected_needlessly * 10 < tally.rejected, "{tally:?}");
        assert!(tally.too_large * 10 < tally.rejected, "{tally:?}");
    });
}
