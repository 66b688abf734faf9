//! How much memory a process has, where there is a `/proc`.

use std::fs;

/// A line of `/proc/<id>/status` that is a size, such as `VmRSS` (resident now) and `VmHWM` (at
/// most so far); `None` once the process has ended.
pub(crate) fn status_bytes(id: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
