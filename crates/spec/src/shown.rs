//! Numbers in messages.

/// A computed number with the digits that mean something: nine at most, with an exponent where it is very large or small.
///
/// Rounding of the last bits does not show: `0.037000000000000005` is `0.037`, and `1e300` has no 300 zeros.
pub fn shown(x: f64) -> String {
    let rounded: f64 = format!("{x:.8e}").parse().unwrap_or(x);
    plain(rounded)
}

/// A number that was given, with all of its digits, and an exponent where it is very large or small.
pub fn given(x: f64) -> String {
    plain(x)
}

fn plain(x: f64) -> String {
    let is_readable = x == 0.0 || !x.is_finite() || (1e-4..1e9).contains(&x.abs());
    if is_readable { x.to_string() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::{given, shown};

    #[test]
    fn rounding_and_zeros_do_not_show() {
        let numbers = [0.037000000000000005, 0.1 + 0.2, 1.0, -2.5, 0.0, 123_456.789_012_3, 1e300, 2.5e-7];
        let texts = numbers.map(shown);
        assert_eq!(texts, ["0.037", "0.3", "1", "-2.5", "0", "123456.789", "1e300", "2.5e-7"]);
        assert_eq!([f64::NAN, f64::INFINITY, 0.999_999_999_99].map(shown), ["NaN", "inf", "1"]);
    }

    #[test]
    fn given_numbers_keep_their_digits() {
        assert_eq!(
            [0.999_999_999_99, 1e300, -1e-320, 1e6].map(given),
            ["0.99999999999", "1e300", "-1e-320", "1000000"]
        );
    }
}
