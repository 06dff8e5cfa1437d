//! Where results are written. Every place is looked at before anything is computed, so that a search of hours does not
//! end in "permission denied", and no result goes over a file that was read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::Value;

use crate::exit::Exit;
use crate::terminal::Terminal;
use burnside_view::layout;

/// An option that names a place to write to, and the place.
pub(crate) type Output<'a> = (&'static str, Option<&'a Path>);

/// Whether a path means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Looks at all places to write to. What is wrong is told, and how to end is the answer.
pub(crate) fn admit(outputs: &[Output<'_>], inputs: &[&Path]) -> Result<(), Exit> {
    let outputs: Vec<(&str, &Path)> = outputs.iter().filter_map(|&(option, path)| Some((option, path?))).collect();
    let refuse = |message: String| {
        Terminal::alarm(&message);
        Exit::Invalid
    };
    for (at, (option, path)) in outputs.iter().enumerate() {
        if let Some((other, _)) = outputs[..at].iter().find(|(_, earlier)| is_same(earlier, path)) {
            let place = if is_stdout(path) { "standard output".to_owned() } else { format!("`{}`", path.display()) };
            return Err(refuse(format!("{other} and {option} cannot both write to {place}")));
        }
        if !is_stdout(path) && inputs.iter().any(|input| is_same(input, path)) {
            let path = path.display();
            return Err(refuse(format!("{option} would overwrite `{path}`, which is read; name another file")));
        }
    }
    for (_, path) in outputs.iter().filter(|(_, path)| !is_stdout(path)) {
        try_to_write(path).map_err(|error| {
            Terminal::alarm(&cannot_write(path, &error));
            Exit::Failed
        })?;
    }
    Ok(())
}

/// Whether two paths mean one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((found.dev(), found.ino()))
    };
    one == other && !is_device(one) || identity(one).is_some_and(|it| identity(other) == Some(it))
}

/// Devices, pipes and the like swallow whatever is written.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Opens a file for writing and leaves it as it was, or absent. A pipe is not opened: that would wait for a reader.
fn try_to_write(path: &Path) -> io::Result<()> {
    if is_device(path) {
        return Ok(());
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(path).map(|_| ())
        }
        Err(error) => Err(error),
    }
}

/// Writes a file.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| cannot_write(path, &error))
}

/// Writes a large file under another name, and puts it in place of the old one once it is whole.
pub(crate) fn write_over(path: &Path, write: impl FnOnce(&fs::File) -> io::Result<()>) -> Result<(), String> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = Path::new(&beside);
    let written = fs::File::create(beside).and_then(|file| write(&file)).and_then(|()| fs::rename(beside, path));
    written.map_err(|error| {
        // What was begun is of no use; if it cannot be removed either, there is nothing to be done about it.
        let _ = fs::remove_file(beside);
        cannot_write(path, &error)
    })
}

/// Writes a text; `-` means standard output, whose reader may go away when it has seen enough.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    if !is_stdout(path) {
        return write_bytes(path, text.as_bytes());
    }
    let mut out = io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {}", words(&error)))
        }
        _ => Ok(()),
    }
}

/// Writes a JSON file; the exit code stands unless that fails.
pub(crate) fn write_json(path: &Path, json: &Value, exit: Exit) -> Exit {
    match write_text(path, &layout::lines(json)) {
        Ok(()) => exit,
        Err(problem) => {
            Terminal::alarm(&problem);
            Exit::Failed
        }
    }
}

/// What became of a trace that an earlier run left, if there is nothing to write this time.
pub(crate) fn clear_trace(path: &Path) -> Result<&'static str, String> {
    let text = match fs::read(path) {
        _ if is_stdout(path) || is_device(path) => return Ok(""),
        Err(_) => return Ok(""),
        Ok(text) => text,
    };
    let is_trace = serde_json::from_slice::<Value>(&text).is_ok_and(|json| json["#meta"]["format"] == "ITF");
    if !is_trace {
        return Ok("; the file there is not a trace and stays");
    }
    match fs::remove_file(path) {
        Ok(()) => Ok("; the old trace was removed"),
        Err(error) => Err(format!("cannot remove the old trace `{}`: {}", path.display(), words(&error))),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {}", path.display(), words(error))
}

/// The operating system's words in our style.
pub(crate) fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
        io::ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    }
}

/// Writes a text into a file that must not be there yet.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), String> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(format!("`{}` exists and is left as it is", path.display()))
        }
        Err(error) => Err(cannot_write(path, &error)),
    }
}
