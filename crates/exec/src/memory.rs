//! The amount of available memory, and work that is refused because it needs more.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A limit set by [`set_memory_limit`]; zero without one.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Name of the environment variable that limits the memory of a computation [GiB].
const VARIABLE: &str = "HUYGENS_MEMORY_GIB";

/// Memory that is used without checking whether it is available [bytes].
const SMALL: u64 = 64 << 20;

/// Work needs more memory than is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("about {:.1} GiB of memory are needed, and {:.1} GiB are available", gib(*.needed), gib(*.available))]
pub struct MemoryShortage {
    /// Estimate of what is needed [bytes].
    pub needed: u64,
    /// What is available [bytes].
    pub available: u64,
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}

/// Refuses `count` items of `bytes` each that do not fit into [`available_memory`], before any of it is used.
pub fn require_memory(count: f64, bytes: f64) -> Result<(), MemoryShortage> {
    // The cast saturates.
    let needed = (count * bytes) as u64;
    if needed < SMALL {
        return Ok(());
    }
    match available_memory() {
        Some(available) if needed > available => Err(MemoryShortage { needed, available }),
        _ => Ok(()),
    }
}

/// Sets the memory [bytes] that [`available_memory`] reports from now on; none to query the machine.
pub fn set_memory_limit(bytes: Option<u64>) {
    LIMIT.store(bytes.map_or(0, |b| b.max(1)), Ordering::Relaxed);
}

/// Available memory [bytes]: the value set by [`set_memory_limit`] or `HUYGENS_MEMORY_GIB`, otherwise the smallest of the
/// free memory of the machine and what the limits of this process and of its control group leave. None if it is unknown.
///
/// No result depends on it, only whether work that is too large is refused before it begins.
pub fn available_memory() -> Option<u64> {
    match LIMIT.load(Ordering::Relaxed) {
        0 => {}
        limit => return Some(limit),
    }
    let given = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse::<f64>().ok());
    if let Some(gib) = given.filter(|gib| *gib > 0.0) {
        return Some((gib * (1u64 << 30) as f64) as u64);
    }
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_meminfo(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = |name: &str| fs::read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
    let limits = of_limits(&own("limits"), &own("status"));
    machine.into_iter().chain(of_groups(Path::new("/sys/fs/cgroup"), &groups)).chain(limits).min()
}

/// The most memory that this process has used so far [bytes], where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Memory left [bytes] by `/proc/meminfo`.
fn of_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// What the limits of a process (`ulimit -v`, `ulimit -d`) leave [bytes], by its files `limits` and `status`.
fn of_limits(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, used: &str| {
        let words = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let limit: u64 = words.split_whitespace().next()?.parse().ok()?;
        let used = status.lines().find_map(|line| line.strip_prefix(used))?;
        let used: u64 = used.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(limit.saturating_sub(used << 10))
    };
    left("Max address space", "VmSize:").into_iter().chain(left("Max data size", "VmData:")).min()
}

/// The smallest remaining allowance [bytes] in the control groups (version 2 or 1) of a process, from its own up to the
/// root.
fn of_groups(root: &Path, groups: &str) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, names): (PathBuf, _) = if controllers.is_empty() {
            (root.into(), ["memory.max", "memory.current"])
        } else if controllers.split(',').any(|c| c == "memory") {
            (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes"])
        } else {
            continue;
        };
        let own = root.join(path.trim_start_matches('/'));
        for folder in own.ancestors().take_while(|folder| folder.starts_with(&root)) {
            let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
            let (Some(limit), Some(used)) = (number(names[0]), number(names[1])) else { continue };
            // Pages of files that were read count as used, but are given up when memory is short.
            let files =
                fs::read_to_string(folder.join("memory.stat")).ok().and_then(|text| inactive_files(&text));
            let left = limit.saturating_sub(used.saturating_sub(files.unwrap_or(0)));
            least = Some(least.map_or(left, |least: u64| least.min(left)));
        }
    }
    least
}

fn inactive_files(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("inactive_file "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read() {
        let text = "MemTotal:       24593820 kB\nMemFree:        21000000 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(of_meminfo(text), Some(23_000_000 << 10));
        assert_eq!(of_meminfo("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn limits_of_the_process_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         2048000000           unlimited            bytes\n";
        let status = "VmSize:\t 1000000 kB\nVmData:\t 10 kB\n";
        assert_eq!(of_limits(limits, status), Some(2_048_000_000 - (1_000_000 << 10)));
        assert_eq!(of_limits(limits, "VmSize:\t 9000000 kB\n"), Some(0));
        assert_eq!(of_limits("Max address space   unlimited unlimited bytes\n", status), None);
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let root = std::env::temp_dir().join(format!("huygens-groups-{}", std::process::id()));
        let inner = root.join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        let write = |folder: &Path, name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write(&inner, "memory.max", "max\n");
        write(&inner, "memory.current", "1000\n");
        write(&root.join("outer"), "memory.max", "5000\n");
        write(&root.join("outer"), "memory.current", "3000\n");
        write(&root.join("outer"), "memory.stat", "anon 1\ninactive_file 500\n");
        assert_eq!(of_groups(&root, "0::/outer/inner\n"), Some(2500));
        assert_eq!(of_groups(&root, "0::/\n"), None);
        assert_eq!(of_groups(&root, "5:cpu:/outer\n"), None);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_limit_overrides_the_machine() {
        set_memory_limit(Some(12_345));
        assert_eq!(available_memory(), Some(12_345));
        set_memory_limit(None);
        if cfg!(target_os = "linux") {
            assert!(available_memory().is_some_and(|bytes| bytes != 12_345));
        }
    }
}
