//! Wall and processor time, and the most memory the process has used.

use std::time::{Duration, Instant};

/// A running measurement.
pub struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    /// Starts measuring.
    pub fn start() -> Self {
        Self { cpu: cpu_time(), wall: Instant::now() }
    }

    /// Wall and processor seconds since the start.
    pub fn stop(self) -> (f64, f64) {
        let wall = self.wall.elapsed().as_secs_f64();
        (wall, cpu_time().saturating_sub(self.cpu).as_secs_f64())
    }
}

/// User and system time of all threads of this process so far.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(t.tv_sec.max(0) as u64, t.tv_nsec as u32)
}

/// Wall time stands in where the system offers no processor clock.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Largest resident memory of this process so far [MB], where the system tells.
pub fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
