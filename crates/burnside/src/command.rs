//! Commands as somebody would type them.

use std::ffi::OsStr;

/// The command that started this process.
pub(crate) fn given() -> String {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| typed(&word)).collect();
    format!("burnside {}", words.join(" "))
}

/// A word as a shell reads it.
pub(crate) fn typed(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |it: char| it.is_alphanumeric() || "-_./+=:,".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_typed_as_they_are_told() {
        assert_eq!(typed(OsStr::new("a/lock.m")), "a/lock.m");
        assert_eq!(typed(OsStr::new("my lock.m")), "'my lock.m'");
        assert_eq!(typed(OsStr::new("it's.m")), r"'it'\''s.m'");
        assert_eq!(typed(OsStr::new("")), "''");
    }
}
