//! The texts a model was read from, and byte ranges in them.

use std::fmt;

/// A source file known to a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A half-open byte range in one source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Default for Span {
    fn default() -> Self {
        Self::NOWHERE
    }
}

impl Span {
    /// The place of what has none in any text; no [`SourceMap`] knows its file.
    pub const NOWHERE: Self = Self { file: FileId(u32::MAX), start: 0, end: 0 };

    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: narrow(start), end: narrow(end) }
    }

    /// The smallest range that holds both; `other` must lie in the same file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the other range lies in this one.
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The empty range just behind this one: where something is missing.
    #[must_use]
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A place as people count it: both numbers start at 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// One source text with its display name.
#[derive(Debug, Clone)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Byte offset of the first byte of each line, ascending, starting with 0.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// A file called `name` in messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = self.floor_boundary(offset);
        let line = self.line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let before = &self.text[self.line_starts[line] as usize..offset];
        Position { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line (counted from 1) without its line break; empty past the end.
    pub fn line(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get(line as usize - 1) else { return "" };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The text of a span, clipped to the file and to character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.floor_boundary(span.start);
        let end = self.floor_boundary(span.end);
        self.text.get(start..end).unwrap_or("")
    }

    fn floor_boundary(&self, offset: u32) -> usize {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// All source texts of one run.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns the id its spans carry.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// The file behind an id, unless the id comes from elsewhere.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// Line and column where a span starts.
    pub fn position(&self, span: Span) -> Option<Position> {
        self.get(span.file).map(|file| file.position(span.start))
    }

    /// `name:line:column` of the start of a span.
    pub fn locate(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => {
                let at = file.position(span.start);
                format!("{}:{}:{}", file.name(), at.line, at.column)
            }
            None => "<unknown>".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let file = SourceFile::new("m", "a\nüb = 1\r\nlast");
        assert_eq!(file.position(4), Position { line: 2, column: 2 });
        assert_eq!(file.line(2), "üb = 1");
        assert_eq!(file.line(3), "last");
        assert_eq!(file.line(9), "");
        assert_eq!(file.position(1000), Position { line: 3, column: 5 });
    }

    #[test]
    fn slices_never_split_a_character() {
        let file = SourceFile::new("m", "ü");
        assert_eq!(file.slice(Span::new(FileId(0), 1, 2)), "ü");
    }
}
