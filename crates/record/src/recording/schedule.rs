//! Which of the frames offered are kept.

/// Frames are due on a grid of times; each thinning makes it twice as wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// Width of the grid [s]; 0 keeps every frame.
    interval: f64,
    /// A point of the grid [s].
    anchor: f64,
    /// Cell of the last frame kept.
    cell: f64,
    /// Time of the last frame kept [s].
    last: Option<f64>,
}

impl Schedule {
    pub fn new(interval: f64) -> Self {
        Self { interval, anchor: 0.0, cell: 0.0, last: None }
    }

    /// The schedule of a recording that is continued after the frames at these times.
    pub fn resumed(interval: f64, times: &[f64]) -> Self {
        let mut schedule = Self::new(interval);
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            schedule.keep(*first);
            schedule.keep(*last);
        }
        schedule
    }

    pub fn interval(&self) -> f64 {
        self.interval
    }

    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// Cell of the grid that a time lies in; a step that ends just before a point of the grid by rounding counts as
    /// on it.
    fn cell_of(&self, time: f64) -> f64 {
        ((time - self.anchor) / self.interval + 1e-6).floor()
    }

    /// Whether a frame at this time is due.
    pub fn wants(&self, time: f64) -> bool {
        match self.last {
            None => true,
            Some(last) => time > last && (self.interval == 0.0 || self.cell_of(time) > self.cell),
        }
    }

    /// Notes that a frame at this time is kept.
    pub fn keep(&mut self, time: f64) {
        if self.last.is_none() {
            self.anchor = time;
        }
        if self.interval > 0.0 {
            self.cell = self.cell_of(time);
        }
        self.last = Some(time);
    }

    /// Makes the grid as wide as that of the frames left after every second one was dropped.
    ///
    /// Steps longer than the interval, or an interval of 0, leave frames further apart than the grid; then their
    /// mean distance counts.
    pub fn thin(&mut self, left: &[f64]) {
        let (Some(first), Some(last)) = (left.first(), left.last()) else { return };
        let mean = if left.len() > 1 { (last - first) / (left.len() - 1) as f64 } else { 0.0 };
        let doubled = 2.0 * self.interval;
        self.anchor =
            if self.interval > 0.0 { self.anchor + self.cell_of(*last) * self.interval } else { *last };
        self.interval = if mean > 1.5 * doubled { mean } else { doubled };
        // Frames on their way are as dense as before, so each cell up to the newest will have one.
        if let (Some(newest), true) = (self.last, self.interval > 0.0) {
            self.cell = self.cell_of(newest);
        }
    }

    /// The same grid, as it stands after the last of the frames left.
    pub fn after(mut self, left: &[f64]) -> Self {
        if let Some(last) = left.last() {
            self.keep(*last);
        }
        self
    }
}
