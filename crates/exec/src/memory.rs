//! The amount of available memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A limit set by [`set_memory_limit`]; zero without one.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Name of the environment variable that limits the memory of a computation [GiB].
const VARIABLE: &str = "HUYGENS_MEMORY_GIB";

/// Sets the memory [bytes] that [`available_memory`] reports from now on; none to query the machine.
pub fn set_memory_limit(bytes: Option<u64>) {
    LIMIT.store(bytes.map_or(0, |b| b.max(1)), Ordering::Relaxed);
}

/// Available memory [bytes]: the value set by [`set_memory_limit`] or `HUYGENS_MEMORY_GIB`, otherwise the smaller of
/// the free memory of the machine and the remaining allowance of this process's control group. None if it is unknown.
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
    machine.into_iter().chain(of_groups(Path::new("/sys/fs/cgroup"), &groups)).min()
}

/// Memory left [bytes] by `/proc/meminfo`.
fn of_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
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
