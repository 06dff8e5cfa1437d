//! This program as a process of its own: its memory is its own, one that takes too long can be ended, and nothing that
//! goes wrong there goes wrong here. No such process outlives the one that started it.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// Tells a process who started it.
const PARENT: &str = "BURNSIDE_PARENT";
/// How often to look whether a process has ended.
const INTERVAL: Duration = Duration::from_millis(5);

/// What a process left.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

/// A command that runs this program.
pub(crate) fn command() -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program);
    command.env(PARENT, std::process::id().to_string());
    Ok(command)
}

/// Waits for a process to end. When an interrupt comes first, the process is ended and there is no answer.
pub(crate) fn run(command: &mut Command, interrupted: impl Fn() -> bool) -> Result<Option<Ended>, String> {
    let cannot = |error| format!("cannot start a search: {error}");
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = loop {
        match child.try_wait().map_err(cannot)? {
            Some(status) => break Some(status),
            None if interrupted() => {
                end(&mut child);
                break None;
            }
            None => thread::sleep(INTERVAL),
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    Ok(status.map(|status| Ended { status, out, err }))
}

/// A pipe that nobody reads would stop the process.
fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Asks the system to end this process when the one that started it ends, however that comes about.
pub(crate) fn follow_parent() {
    let parent = std::env::var(PARENT).ok().and_then(|id| id.parse::<i32>().ok());
    #[cfg(target_os = "linux")]
    if let Some(parent) = parent {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // It may have ended before it was asked.
        if getppid().is_none_or(|id| id.as_raw_nonzero().get() != parent) {
            std::process::exit(crate::exit::Exit::Failed as i32);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
}
