//! How much memory the machine has left for us, cgroup limits included.
//!
//! Linux tells through `/proc` and `/sys/fs/cgroup`; where it does not, there is no budget but what the user sets.

use std::fs;
use std::path::{Path, PathBuf};

/// The share of the free memory a search may use: the rest is for growing tables, the system and other programs.
const SHARE_NUMERATOR: u64 = 3;
const SHARE_DENOMINATOR: u64 = 4;

/// What the model, its code and the stacks take besides the search, generously.
const BESIDE_SEARCH: u64 = 128 << 20;

/// Where the two cgroup versions keep a group's memory limit and use, below the group's directory.
const CGROUP_FILES: [(&str, &str, &str); 2] = [
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
];

/// What a search may use unless the user says otherwise: a safe share of what is free.
pub fn memory_budget() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), "MemAvailable:");
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let free = group_directories(&groups).iter().filter_map(|directory| free_in_group(directory)).chain(machine).min();
    free.map(|free| free / SHARE_DENOMINATOR * SHARE_NUMERATOR)
}

/// What a process whose search may use `budget` may hold in all. Beyond, memory goes where no engine counts: into calls
/// nested thousands deep, or a table for each member of a huge type.
pub fn memory_ceiling(budget: u64) -> u64 {
    budget.saturating_add((budget / 8).max(BESIDE_SEARCH))
}

/// The memory this process holds now, if the system tells.
pub fn resident_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The most memory this process has held, if the system tells.
pub fn peak_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// How many bytes of addresses this process may have, if that is limited (`ulimit -v`).
pub(crate) fn address_limit() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The value of a line such as `VmHWM:  1234 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The directories in which our memory group and those around it may lie, for both cgroup versions. Lines of
/// `/proc/self/cgroup` read `number:controllers:path`; version 2 names no controllers.
fn group_directories(groups: &str) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" => CGROUP_FILES[0].0,
            _ if controllers.split(',').any(|controller| controller == "memory") => CGROUP_FILES[1].0,
            _ => continue,
        };
        // Inside a container the path may be the host's and not exist; its ancestors up to the root then do.
        directories.extend(Path::new(path).ancestors().map(|group| {
            let group = group.strip_prefix("/").unwrap_or(group);
            Path::new(root).join(group)
        }));
    }
    directories
}

/// What a group's limit leaves, page cache that can be dropped counted as free.
fn free_in_group(directory: &Path) -> Option<u64> {
    let number = |file: &str| -> Option<u64> { fs::read_to_string(directory.join(file)).ok()?.trim().parse().ok() };
    let (limit, used) = CGROUP_FILES.iter().find_map(|(_, limit, used)| Some((number(limit)?, number(used)?)))?;
    let statistics = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
    let droppable = statistics.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(droppable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes() {
        assert_eq!(field("VmPeak:\t 7 kB\nVmHWM:\t    12 kB\n", "VmHWM:"), Some(12 * 1024));
        assert_eq!(field("VmHWM: many\n", "VmHWM:"), None);
    }

    #[test]
    fn both_cgroup_versions_are_looked_for_up_to_the_root() {
        let groups = "5:devices:/x\n4:cpu,memory:/a/b\n0::/c\n";
        let found = group_directories(groups);
        let expected = [
            "/sys/fs/cgroup/memory/a/b",
            "/sys/fs/cgroup/memory/a",
            "/sys/fs/cgroup/memory",
            "/sys/fs/cgroup/c",
            "/sys/fs/cgroup",
        ];
        let found: Vec<String> =
            found.iter().map(|path| path.to_string_lossy().trim_end_matches('/').to_owned()).collect();
        assert_eq!(found, expected);
    }
}
