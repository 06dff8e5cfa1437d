//! One process that answers questions, or dies of them.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A process without a word for this long sleeps for good, whatever its limit of CPU time.
const SILENCE: Duration = Duration::from_secs(90);

/// Address space, in KiB: a mutant that fills memory dies before the machine suffers.
const MEMORY: u32 = 8_000_000;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Success,
    Failure,
    Timeout,
    Crash,
}

/// What a process says.
pub(crate) enum Line {
    Begin(PathBuf),
    Done(PathBuf, u64, Vec<String>),
}

/// A command under limits.
pub(crate) fn limited<S: AsRef<OsStr>>(program: &Path, args: &[S], seconds: u64) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0 -t {seconds} -v {MEMORY}; exec nice -n 5 \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(program).args(args).env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// How a status is to be read.
pub(crate) fn end_of(status: ExitStatus) -> End {
    // SIGXCPU, and SIGKILL when the hard limit is reached.
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Success,
        (_, Some(9 | 24)) => End::Timeout,
        (Some(_), _) => End::Failure,
        _ => End::Crash,
    }
}

/// A process that prints answers about models.
pub(crate) struct Child {
    child: std::process::Child,
    lines: Receiver<String>,
    was_silent: bool,
}

impl Child {
    pub(crate) fn start(
        torture: &Path,
        texts: &[&Path],
        variables: &[(&str, &str)],
        seconds: u64,
    ) -> Result<Self, String> {
        let mut args = vec![OsStr::new("--answers")];
        args.extend(texts.iter().map(|text| text.as_os_str()));
        let mut command = limited(torture, &args, seconds);
        command.envs(variables.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let out = child.stdout.take().ok_or("the process has no output")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines, was_silent: false })
    }

    /// The next thing it says; nothing once it has ended or was silent for too long.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        loop {
            let line = match self.lines.recv_timeout(SILENCE) {
                Ok(line) => line,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.was_silent = true;
                    return None;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            };
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["begin", path] => return Some(Line::Begin(path.into())),
                ["done", path, millis, ref answers @ ..] => {
                    let answers = answers.iter().map(|&it| it.to_owned()).collect();
                    return Some(Line::Done(path.into(), millis.parse().unwrap_or(0), answers));
                }
                _ => {}
            }
        }
    }

    /// Ends it, if it has not ended by itself.
    pub(crate) fn end(mut self) -> End {
        let has_ended = !self.was_silent && self.lines.recv_timeout(Duration::from_millis(200)).is_err();
        if has_ended && let Ok(Some(status)) = self.child.try_wait() {
            return end_of(status);
        }
        if !self.was_silent && has_ended {
            // Its output is closed: it is about to end.
            thread::sleep(Duration::from_millis(300));
            if let Ok(Some(status)) = self.child.try_wait() {
                return end_of(status);
            }
        }
        // It may be gone by now.
        let _ = self.child.kill();
        let _ = self.child.wait();
        End::Timeout
    }
}
