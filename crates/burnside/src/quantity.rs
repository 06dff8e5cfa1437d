//! Numbers as people write and read them: `10m`, `8G`, `1,234,567`, `2.5 MB`.

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

/// Splits `30m5s` into 30, `m` and `5s`.
fn split_number(text: &str) -> Option<(f64, &str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..digits].parse().ok()?;
    let rest = &text[digits..];
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some((number, &rest[..letters], &rest[letters..]))
}

/// A count with thousands separated.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 state`, `2 states`.
pub(crate) fn counted(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", count(number), if number == 1 { singular } else { plural })
}

/// A size with a unit that keeps the number short.
pub(crate) fn bytes(number: u64) -> String {
    let mut size = number as f64;
    for unit in ["bytes", "KB", "MB", "GB"] {
        if size < 1024.0 {
            return if unit == "bytes" { format!("{number} bytes") } else { format!("{size:.1} {unit}") };
        }
        size /= 1024.0;
    }
    format!("{size:.1} TB")
}

/// A duration with a precision that fits its length.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.3} s")
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = duration.as_secs();
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
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
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "state", "states"), "1 state");
        assert_eq!(bytes(2_621_440), "2.5 MB");
        assert_eq!(seconds(Duration::from_millis(1500)), "1.500 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}
