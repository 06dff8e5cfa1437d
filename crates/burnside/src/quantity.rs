//! Numbers as people write them: `10m`, `8G`.

use std::num::NonZeroUsize;
use std::time::Duration;

/// Reads a duration: `90`, `90s`, `10m`, `1h30m`, `500ms`. A bare number means seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let problem = || format!("`{text}` is not a duration; write it like `90s`, `10m` or `1h30m`");
    let mut total = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (number, unit, tail) = split_number(rest).ok_or_else(problem)?;
        total += number
            * match unit {
                "ms" => 0.001,
                "" | "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return Err(problem()),
            };
        rest = tail;
    }
    if text.trim().is_empty() { Err(problem()) } else { Duration::try_from_secs_f64(total).map_err(|_| problem()) }
}

/// Reads a size in bytes: `512M`, `8G`, `1.5GB`. Units are powers of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let problem = || format!("`{text}` is not a size; write it like `512M` or `8G`");
    let (number, unit, tail) = split_number(text.trim()).ok_or_else(problem)?;
    let unit = unit.to_ascii_uppercase();
    let unit = unit.strip_suffix("IB").or_else(|| unit.strip_suffix('B')).unwrap_or(&unit);
    let exponent = ["", "K", "M", "G", "T"].iter().position(|it| *it == unit).ok_or_else(problem)?;
    if tail.is_empty() { Ok((number * 1024_f64.powi(exponent as i32)) as u64) } else { Err(problem()) }
}

/// Reads a number of threads or processes.
pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.trim().parse::<usize>() {
        Ok(number) => NonZeroUsize::new(number).ok_or_else(|| "at least 1 is needed".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number of threads")),
    }
}

/// Reads a number that may not be negative.
pub(crate) fn parse_number<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let digits = text.trim().replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Err(format!("`{text}` is not a whole number"));
    }
    let number = digits.parse::<u64>().ok().and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| format!("`{text}` is too large"))
}

/// Reads a number that is at least 1.
pub(crate) fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_number(text)? {
        0 => Err("at least 1 is needed".to_owned()),
        number => Ok(number),
    }
}

/// Splits `30m5s` into 30, `m` and `5s`.
fn split_number(text: &str) -> Option<(f64, &str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..digits].parse().ok()?;
    let rest = &text[digits..];
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some((number, &rest[..letters], &rest[letters..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_may_be_composed() {
        let seconds = |text| parse_duration(text).map(|duration| duration.as_secs_f64());
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("1h30m"), Ok(5400.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("0.5m"), Ok(30.0));
        for wrong in ["", "m", "10x", "1..2s", "-3s", "9999999999999999999999d"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(parse_bytes("100"), Ok(100));
        assert_eq!(parse_bytes("8G"), Ok(8 << 30));
        assert_eq!(parse_bytes("1.5KB"), Ok(1536));
        assert_eq!(parse_bytes("2 MiB").ok(), None);
        assert_eq!(parse_bytes("2MiB"), Ok(2 << 20));
        assert!(parse_bytes("8Q").is_err());
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!(parse_number::<u32>("1_000"), Ok(1000));
        assert_eq!(parse_number::<u32>("5000000000"), Err("`5000000000` is too large".to_owned()));
        for wrong in ["", "-1", "1.5", "x", "1e3", "_"] {
            assert_eq!(parse_number::<u64>(wrong), Err(format!("`{wrong}` is not a whole number")));
        }
        assert!(parse_positive("0").is_err() && parse_positive("7") == Ok(7));
    }
}
