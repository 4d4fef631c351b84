//! JSON documents as trees (RFC 8259), with a bounded depth.

use crate::limits::MAX_DEPTH;
use crate::toml_file::Fault;
use crate::tree::{Entry, Node, Value};

pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.fault("the document must end after its first value"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, problem: &str) -> Fault {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        (problem.into(), self.at..self.at + width)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        self.space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                return Err(self.fault(&format!("nested deeper than {MAX_DEPTH} levels")));
            }
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't' | b'f' | b'n') => self.word()?,
            Some(_) => return Err(self.fault("a value is expected here")),
            None => return Err(self.fault("the document ends where a value is expected")),
        };
        Ok(Node::new(value, start..self.at))
    }

    fn table(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'}') if entries.is_empty() => break,
                Some(b'"') => {}
                _ => return Err(self.fault("a key in quotes is expected here")),
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = start..self.at;
            if !known.insert(key.clone()) {
                return Err((format!("the key \"{key}\" is given twice"), key_span));
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.fault("a ':' is expected after the key"));
            }
            self.at += 1;
            let node = self.value(depth + 1)?;
            entries.push(Entry { key, key_span, node });
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.fault("a ',' or '}' is expected here")),
            }
        }
        self.at += 1;
        Ok(Value::Table(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.fault("a ',' or ']' is expected here")),
            }
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    fn word(&mut self) -> Result<Value, Fault> {
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.fault("a value is expected here"))
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let zero_led = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let bare_dot = digits.ends_with('.') || digits.contains(".e") || digits.contains(".E");
        let plain = digits.starts_with(|c: char| c.is_ascii_digit()) && !zero_led && !bare_dot;
        let whole = digits.bytes().all(|b| b.is_ascii_digit());
        let value = match (plain, whole) {
            (true, true) => text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float)).ok(),
            (true, false) => text.parse().map(Value::Float).ok(),
            _ => None,
        };
        value.ok_or_else(|| (format!("'{text}' is not a number"), start..self.at))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return Err(("the string does not end".into(), start..self.at));
            };
            match c {
                '"' => break,
                '\\' => out.push(self.escape()?),
                c if (c as u32) < 0x20 => return Err(self.fault("a control character must be escaped")),
                c => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        self.at += 1;
        Ok(out)
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        let bad = |end: usize| ("the escape in the string is not known".to_owned(), start..end);
        self.at += 1;
        let Some(c) = self.peek() else { return Err(bad(self.at)) };
        self.at += 1;
        Ok(match c {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex().ok_or_else(|| bad(start + 2))?;
                let mut code = u32::from(high);
                if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    let low = self.hex().ok_or_else(|| bad(start + 2))?;
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(low) - 0xdc00);
                    }
                }
                char::from_u32(code).ok_or_else(|| bad(start + 2))?
            }
            _ => return Err(bad(start + 1)),
        })
    }

    fn hex(&mut self) -> Option<u16> {
        let digits =
            self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_serde_json() {
        let sound = r#" { "a" : [1, -2.5e3, true, null, "x\u00e9\ud83d\ude00\n"], "b": {"c": {}}, "d": [], "e": 1E2 } "#;
        let ours = parse(sound).unwrap();
        assert_eq!(ours.value, strip(Node::from_json(&serde_json::from_str(sound).unwrap()), &ours).value);
        for bad in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "-",
            "\"\\q\"",
            "\"\\ud800\"",
            "tru",
            "[1] 2",
            "{\"a\" 1}",
            ".5",
            "+1",
            "\"a\nb\"",
            "{\"a\":1,\"a\":2}",
            "1.e3",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    /// Copies the places of `like`, matching keys, so that only values are compared.
    fn strip(mut node: Node, like: &Node) -> Node {
        node.span = like.span.clone();
        match (&mut node.value, &like.value) {
            (Value::List(a), Value::List(b)) => {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = strip(a.clone(), b))
            }
            (Value::Table(a), Value::Table(b)) => {
                a.sort_by_key(|e| b.iter().position(|o| o.key == e.key));
                a.iter_mut().zip(b).for_each(|(a, b)| {
                    a.key_span = b.key_span.clone();
                    a.node = strip(a.node.clone(), &b.node);
                });
            }
            _ => {}
        }
        node
    }
}
