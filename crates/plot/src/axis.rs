//! Axes: from values to positions, with ticks at round numbers.

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Scale {
    #[default]
    Linear,
    Log,
}

/// Values beyond this are left out of a plot like NaN: their differences would overflow.
const VALUE_LIMIT: f64 = 1e300;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub value: f64,
    /// Empty for a minor tick.
    pub label: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    scale: Scale,
    /// Ends in the space where the axis is even (the logarithm for a log axis).
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis that covers `low..high`, widened by a fraction of its length at both ends; a range
    /// that is empty or too narrow for distinct labels is opened.
    pub fn covering(scale: Scale, range: Option<(f64, f64)>, margin: f64) -> Self {
        let fallback = match scale {
            Scale::Linear => (0.0, 1.0),
            Scale::Log => (1.0, 10.0),
        };
        let (low, high) = range.unwrap_or(fallback);
        let (mut low, mut high) = match scale {
            Scale::Linear => (low, high),
            Scale::Log => (low.log10(), high.log10()),
        };
        let magnitude = low.abs().max(high.abs());
        if high - low <= 1e-9 * magnitude || high <= low {
            let open = match scale {
                Scale::Linear if magnitude > 0.0 => 0.1 * magnitude,
                _ => 0.5,
            };
            (low, high) = (low - open, high + open);
        } else {
            let widen = margin * (high - low);
            (low, high) = (low - widen, high + widen);
        }
        Self { scale, low, high }
    }

    /// Whether a value has a place on an axis of this scale.
    pub fn admits(scale: Scale, value: f64) -> bool {
        value.abs() <= VALUE_LIMIT && (scale == Scale::Linear || value > 0.0)
    }

    /// Length of the axis in its even space.
    pub fn length(&self) -> f64 {
        self.high - self.low
    }

    /// Moves the ends outwards to round numbers that are almost reached, so that a run sampled up
    /// to just before 2 s has a tick at 2.
    pub fn snapped(mut self) -> Self {
        if self.scale == Scale::Linear {
            let step = round_step(self.length() / 10.0);
            let reach = 0.005 * self.length();
            let (low, high) = (self.low, self.high);
            let (below, above) = ((low / step).floor() * step, (high / step).ceil() * step);
            self.low = if low - below < reach { below } else { low };
            self.high = if above - high < reach { above } else { high };
        }
        self
    }

    /// Widens the axis about its middle to a new length.
    pub fn with_length(&self, length: f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        Self { scale: self.scale, low: middle - 0.5 * length, high: middle + 0.5 * length }
    }

    /// Position along the axis, 0 at its low end and 1 at its high end; NaN where there is none.
    pub fn position(&self, value: f64) -> f64 {
        if !Self::admits(self.scale, value) {
            return f64::NAN;
        }
        let even = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        (even - self.low) / (self.high - self.low)
    }

    /// At most about `count` labelled ticks, and the power of ten taken out of their labels.
    pub fn ticks(&self, count: usize) -> (Vec<Tick>, i32) {
        match self.scale {
            Scale::Linear => self.linear_ticks(count),
            Scale::Log => (self.log_ticks(count), 0),
        }
    }

    fn linear_ticks(&self, count: usize) -> (Vec<Tick>, i32) {
        let step = round_step(self.length() / count.max(1) as f64);
        let first = (self.low / step - 1e-6).ceil();
        let last = (self.high / step + 1e-6).floor();
        let values: Vec<f64> = (0..=(last - first).clamp(0.0, 200.0) as usize)
            .map(|index| (first + index as f64) * step)
            .collect();
        let largest = values.iter().fold(step, |a, b| a.max(b.abs()));
        let exponent = common_exponent(largest);
        let unit = 10f64.powi(exponent);
        let decimals = decimals_of(step / unit);
        let tick = |value: &f64| Tick { value: *value, label: decimal(*value / unit, decimals) };
        (values.iter().map(tick).collect(), exponent)
    }

    fn log_ticks(&self, count: usize) -> Vec<Tick> {
        let first = (self.low - 1e-9).ceil() as i32;
        let last = (self.high + 1e-9).floor() as i32;
        let decades = (last - first + 1).max(0) as usize;
        if decades < 2 {
            return self.plain_log_ticks();
        }
        let stride = decades.div_ceil(count.max(1)).max(1) as i32;
        let mut ticks = Vec::new();
        for exponent in first - 1..=last {
            let decade = 10f64.powi(exponent);
            if exponent >= first {
                let label = match exponent.rem_euclid(stride) {
                    0 => format!("10{}", superscript(exponent)),
                    _ => String::new(),
                };
                ticks.push(Tick { value: decade, label });
            }
            if decades <= 6 {
                ticks.extend(
                    (2..10).map(|digit| Tick { value: f64::from(digit) * decade, label: String::new() }),
                );
            }
        }
        ticks.retain(|tick| (-1e-9..=1.0 + 1e-9).contains(&self.position(tick.value)));
        ticks
    }

    /// Less than two decades: digits 1, 2 and 5 bear plain labels.
    fn plain_log_ticks(&self) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for exponent in self.low.floor() as i32..=self.high.ceil() as i32 {
            for digit in 1..10 {
                let value = f64::from(digit) * 10f64.powi(exponent);
                if !(-1e-9..=1.0 + 1e-9).contains(&self.position(value)) {
                    continue;
                }
                let narrow = self.length() < 0.5;
                let label = match (digit, exponent) {
                    (digit, _) if !narrow && ![1, 2, 5].contains(&digit) => String::new(),
                    (_, -3..=4) => decimal(value, (-exponent).max(0) as usize),
                    _ => format!("{digit}·10{}", superscript(exponent)),
                };
                ticks.push(Tick { value, label });
            }
        }
        ticks
    }
}

/// The smallest of 1, 2, 5 · 10ⁿ that is at least `raw`.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|d| d * power >= raw * 0.999_999);
    digit.unwrap_or(10.0) * power
}

/// A multiple of three where plain labels would be long, else 0.
fn common_exponent(largest: f64) -> i32 {
    if (1e-2..1e5).contains(&largest) {
        return 0;
    }
    let exponent = largest.log10().floor() as i32;
    exponent.div_euclid(3) * 3
}

fn decimals_of(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 15.0) as usize
}

/// Fixed decimals with a true minus sign; never "−0".
fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.contains(|c: char| c.is_ascii_digit() && c != '0') => {
            format!("\u{2212}{digits}")
        }
        Some(digits) => digits.to_owned(),
        None => text,
    }
}

/// An integer in raised digits.
pub(crate) fn superscript(value: i32) -> String {
    let raise = |character| match character {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        digit => char::from_u32(0x2070 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    value.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, count: usize) -> (Vec<String>, i32) {
        let axis = Axis::covering(Scale::Linear, Some((low, high)), 0.0);
        let (ticks, exponent) = axis.ticks(count);
        (ticks.into_iter().map(|t| t.label).collect(), exponent)
    }

    #[test]
    fn ticks_are_round_and_labels_short() {
        assert_eq!(labels(0.0, 1.0, 5).0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.2, 3.2, 4).0, ["−2", "0", "2"]);
        assert_eq!(labels(0.0, 3e6, 4), (vec!["0".into(), "1".into(), "2".into(), "3".into()], 6));
        assert_eq!(labels(0.0, 4e-5, 2), (vec!["0".into(), "20".into(), "40".into()], -6));
        assert_eq!(labels(1000.0, 1000.2, 2).0, ["1000.0", "1000.1", "1000.2"]);
    }

    #[test]
    fn odd_ranges_still_give_finite_axes() {
        for range in [(5.0, 5.0), (0.0, 0.0), (1e300, 1e300), (-1e300, 1e300), (1e-300, 2e-300)] {
            for scale in [Scale::Linear, Scale::Log] {
                if !Axis::admits(scale, range.0) {
                    continue;
                }
                let axis = Axis::covering(scale, Some(range), 0.05);
                assert!(axis.length() > 0.0 && axis.length().is_finite(), "{range:?}");
                assert!(!axis.ticks(6).0.is_empty(), "{range:?} {scale:?}");
            }
        }
    }

    #[test]
    fn ends_snap_only_to_numbers_almost_reached() {
        let ends = |low, high| {
            let axis = Axis::covering(Scale::Linear, Some((low, high)), 0.0).snapped();
            (axis.low, axis.high)
        };
        assert_eq!(ends(0.0, 1.999), (0.0, 2.0));
        assert_eq!(ends(0.13, 1.95), (0.13, 1.95));
    }

    #[test]
    fn log_ticks_name_decades() {
        let axis = Axis::covering(Scale::Log, Some((1e-12, 1.0)), 0.0);
        let (ticks, _) = axis.ticks(7);
        let labels: Vec<_> = ticks.iter().filter(|t| !t.label.is_empty()).collect();
        assert_eq!(labels.len(), 7);
        assert_eq!(labels[0].label, "10⁻¹²");
        assert_eq!(axis.position(1e-6), 0.5);
        assert!(axis.position(-1.0).is_nan());
    }
}
