//! Numbers as people read them: `1,234,567`, `2.5 MB`.

use std::time::Duration;

/// A count with thousands separated.
pub fn count(number: u64) -> String {
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
pub fn counted(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", count(number), if number == 1 { singular } else { plural })
}

/// A number given by its decimal digits, shortened where nobody would read them all.
pub fn large(digits: &str) -> String {
    const MOST_DIGITS: usize = 40;
    if digits.len() <= MOST_DIGITS {
        return digits.to_owned();
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1)
}

/// A size with a unit that keeps the number short.
pub fn bytes(number: u64) -> String {
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
pub fn seconds(duration: Duration) -> String {
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
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "state", "states"), "1 state");
        assert_eq!(large("5040"), "5040");
        assert_eq!(large(&format!("836{}", "0".repeat(60))), "8.36e62");
        assert_eq!(bytes(2_621_440), "2.5 MB");
        assert_eq!(seconds(Duration::from_millis(1500)), "1.500 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}
