//! Expressions in scene files: `"=2*length + 0.1"`.
//!
//! Numbers, parameters, `+ - * / ^`, parentheses, `pi`, and the functions `sin cos tan asin acos atan atan2 sqrt
//! abs exp ln min max rad deg`; `rad` and `deg` turn degrees into radians and back.

use std::f64::consts::PI;

/// Deepest nesting of parentheses, powers and signs.
const MAX_NESTING: usize = 64;

/// Evaluates an expression; `parameter` gives the value of a name.
pub(crate) fn evaluate(
    text: &str,
    parameter: &mut dyn FnMut(&str) -> Result<f64, String>,
) -> Result<f64, String> {
    let mut parser = Parser { rest: text.trim_start(), parameter, depth: 0 };
    let value = parser.sum()?;
    if !parser.rest.is_empty() {
        return Err(format!("'{}' is not expected here", first_word(parser.rest)));
    }
    if !value.is_finite() {
        return Err(format!("the expression gives {value}"));
    }
    Ok(value)
}

fn first_word(text: &str) -> &str {
    let end = text.char_indices().nth(12).map_or(text.len(), |(i, _)| i);
    &text[..end]
}

struct Parser<'a, 'p> {
    rest: &'a str,
    parameter: &'p mut dyn FnMut(&str) -> Result<f64, String>,
    depth: usize,
}

impl<'a> Parser<'a, '_> {
    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        loop {
            if self.take('*') {
                value *= self.signed()?;
            } else if self.take('/') {
                let divisor = self.signed()?;
                if divisor == 0.0 {
                    return Err("division by zero".into());
                }
                value /= divisor;
            } else {
                return Ok(value);
            }
        }
    }

    /// Signs bind less than powers: −2^2 is −4.
    fn signed(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(format!("the expression is nested deeper than {MAX_NESTING} levels"));
        }
        let value = if self.take('-') {
            -self.signed()?
        } else if self.take('+') {
            self.signed()?
        } else {
            let base = self.operand()?;
            if self.take('^') { base.powf(self.signed()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self) -> Result<f64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err("a ')' is missing".into()) };
        }
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(_) => Err(format!("'{}' is not expected here", first_word(self.rest))),
            None => Err("the expression ends too early".into()),
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent_sign =
                matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'e' | b'E') || exponent_sign) {
                break;
            }
            end += 1;
        }
        let text = &self.rest[..end];
        let value = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
        self.rest = self.rest[end..].trim_start();
        Ok(value)
    }

    fn name(&mut self) -> Result<f64, String> {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let name: &'a str = &self.rest[..end];
        self.rest = self.rest[end..].trim_start();
        if self.take('(') {
            let mut arguments = vec![self.sum()?];
            while self.take(',') {
                arguments.push(self.sum()?);
            }
            if !self.take(')') {
                return Err(format!("a ')' is missing after the arguments of {name}"));
            }
            return call(name, &arguments);
        }
        if name == "pi" { Ok(PI) } else { (self.parameter)(name) }
    }
}

fn call(name: &str, arguments: &[f64]) -> Result<f64, String> {
    Ok(match (name, arguments) {
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("tan", [x]) => x.tan(),
        ("asin", [x]) => x.asin(),
        ("acos", [x]) => x.acos(),
        ("atan", [x]) => x.atan(),
        ("atan2", [y, x]) => y.atan2(*x),
        ("sqrt", [x]) => x.sqrt(),
        ("abs", [x]) => x.abs(),
        ("exp", [x]) => x.exp(),
        ("ln", [x]) => x.ln(),
        ("min", [x, y]) => x.min(*y),
        ("max", [x, y]) => x.max(*y),
        ("rad", [x]) => x.to_radians(),
        ("deg", [x]) => x.to_degrees(),
        _ => {
            let known = "sin cos tan asin acos atan atan2 sqrt abs exp ln min max rad deg";
            return Err(format!(
                "there is no function {name} of {} numbers; there are {known}",
                arguments.len()
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_rules_of_arithmetic() {
        let mut length = |name: &str| if name == "length" { Ok(0.5) } else { Err(format!("no {name}")) };
        for (text, expected) in [
            ("2*length+0.1", 1.1),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("(1+2)*3 - 4/8", 8.5),
            ("1e-3 + 1.5E+2", 150.001),
            ("atan2(1, 1)*4 - pi", 0.0),
            ("rad(180) - pi", 0.0),
            ("max(1, min(5, 3))", 3.0),
            ("10-2-3", 5.0),
        ] {
            let value = evaluate(text, &mut length).unwrap();
            assert!((value - expected).abs() < 1e-12, "{text} = {value}");
        }
        let deep = "(".repeat(100_000);
        for bad in
            ["", "1+", "(1", "1/0", "width", "sqrt(-1)", "1 2", "foo(1)", "2*", "1e", "é", deep.as_str()]
        {
            assert!(evaluate(bad, &mut length).is_err(), "{bad:.20}");
        }
    }
}
