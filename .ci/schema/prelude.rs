// Written by `npm run schema -- rust` from procwire.schema.json: not to be edited.

//! The types of the wire, with the standard library alone. What may be absent is an `Option`.
#![allow(clippy::all, dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;

/// A value of JSON. Integers of 64 bits keep all their digits.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Why a text is no JSON, or a value is not of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong(pub String);

type Read<T> = Result<T, Wrong>;

fn wrong<T>(what: &str) -> Read<T> {
    Err(Wrong(what.to_string()))
}

impl Json {
    /// Reads a text.
    pub fn parse(text: &str) -> Read<Json> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.blank();
        if reader.at < reader.text.len() { wrong("text behind the value") } else { Ok(value) }
    }

    /// Writes it as a text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Flag(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Integer(value) => drop(write!(out, "{value}")),
            Json::Number(value) => drop(write!(out, "{value}")),
            Json::Text(value) => quoted(value, out),
            Json::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 { out.push(',') }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 { out.push(',') }
                    quoted(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            sign if sign < ' ' => drop(write!(out, "\\u{:04x}", sign as u32)),
            sign => out.push(sign),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) { self.at += 1 }
    }

    fn next(&mut self) -> Option<u8> {
        self.blank();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> Read<()> {
        self.blank();
        if !self.text[self.at..].starts_with(word.as_bytes()) { return wrong(&format!("wanted {word}")) }
        self.at += word.len();
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Read<Json> {
        if depth > 128 { return wrong("too deep") }
        match self.next() {
            Some(b'n') => self.take("null").map(|()| Json::Null),
            Some(b't') => self.take("true").map(|()| Json::Flag(true)),
            Some(b'f') => self.take("false").map(|()| Json::Flag(false)),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'[') => self.list(depth).map(Json::List),
            Some(b'{') => self.object(depth).map(Json::Object),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Read<Vec<Json>> {
        let mut items = Vec::new();
        self.take("[")?;
        while self.next() != Some(b']') {
            if !items.is_empty() { self.take(",")? }
            items.push(self.value(depth + 1)?);
        }
        self.take("]").map(|()| items)
    }

    fn object(&mut self, depth: usize) -> Read<BTreeMap<String, Json>> {
        let mut members = BTreeMap::new();
        self.take("{")?;
        while self.next() != Some(b'}') {
            if !members.is_empty() { self.take(",")? }
            self.blank();
            let name = self.string()?;
            self.take(":")?;
            members.insert(name, self.value(depth + 1)?);
        }
        self.take("}").map(|()| members)
    }

    fn number(&mut self) -> Read<Json> {
        let from = self.at;
        while matches!(self.text.get(self.at), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) { self.at += 1 }
        let digits = std::str::from_utf8(&self.text[from..self.at]).unwrap_or("");
        if let Ok(whole) = digits.parse() { return Ok(Json::Integer(whole)) }
        digits.parse().map(Json::Number).or_else(|_| wrong("wanted a value"))
    }

    fn string(&mut self) -> Read<String> {
        self.take("\"")?;
        let mut bytes = Vec::new();
        loop {
            let byte = *self.text.get(self.at).ok_or(Wrong("an open text".to_string()))?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(bytes).or_else(|_| wrong("not UTF-8")),
                b'\\' => {
                    let sign = self.escaped()?;
                    bytes.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte => bytes.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Read<char> {
        let byte = *self.text.get(self.at).ok_or(Wrong("an open text".to_string()))?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.unit(),
            byte => byte as char,
        })
    }

    fn unit(&mut self) -> Read<char> {
        let first = self.hexadecimal()?;
        if !(0xd800..0xdc00).contains(&first) { return char::from_u32(first).ok_or(Wrong("half a sign".to_string())) }
        self.take("\\u")?;
        let second = self.hexadecimal()?.wrapping_sub(0xdc00);
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second & 0x3ff)).ok_or(Wrong("half a sign".to_string()))
    }

    fn hexadecimal(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4).and_then(|four| std::str::from_utf8(four).ok()).unwrap_or("");
        self.at += 4;
        u32::from_str_radix(digits, 16).or_else(|_| wrong("wanted four digits"))
    }
}

/// What can be read from JSON, and written.
pub trait Wire: Sized {
    fn read(value: &Json) -> Read<Self>;
    fn json(&self) -> Json;
}

impl Wire for Json {
    fn read(value: &Json) -> Read<Self> { Ok(value.clone()) }
    fn json(&self) -> Json { self.clone() }
}

impl Wire for bool {
    fn read(value: &Json) -> Read<Self> {
        if let Json::Flag(value) = value { Ok(*value) } else { wrong("not a boolean") }
    }
    fn json(&self) -> Json { Json::Flag(*self) }
}

impl Wire for i64 {
    fn read(value: &Json) -> Read<Self> {
        if let Json::Integer(value) = value { Ok(*value) } else { wrong("not an integer") }
    }
    fn json(&self) -> Json { Json::Integer(*self) }
}

impl Wire for f64 {
    fn read(value: &Json) -> Read<Self> {
        match value {
            Json::Integer(value) => Ok(*value as f64),
            Json::Number(value) => Ok(*value),
            _ => wrong("not a number"),
        }
    }
    fn json(&self) -> Json { Json::Number(*self) }
}

impl Wire for String {
    fn read(value: &Json) -> Read<Self> {
        if let Json::Text(value) = value { Ok(value.clone()) } else { wrong("not a text") }
    }
    fn json(&self) -> Json { Json::Text(self.clone()) }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(value: &Json) -> Read<Self> {
        if let Json::List(items) = value { items.iter().map(T::read).collect() } else { wrong("not a list") }
    }
    fn json(&self) -> Json { Json::List(self.iter().map(T::json).collect()) }
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    fn read(value: &Json) -> Read<Self> {
        let Json::Object(members) = value else { return wrong("not an object") };
        members.iter().map(|(name, value)| Ok((name.clone(), T::read(value)?))).collect()
    }
    fn json(&self) -> Json { Json::Object(self.iter().map(|(name, value)| (name.clone(), value.json())).collect()) }
}

impl<T: Wire> Wire for Option<T> {
    fn read(value: &Json) -> Read<Self> {
        if *value == Json::Null { Ok(None) } else { T::read(value).map(Some) }
    }
    fn json(&self) -> Json { self.as_ref().map_or(Json::Null, T::json) }
}

fn members<'a>(value: &'a Json, of: &str) -> Read<&'a BTreeMap<String, Json>> {
    if let Json::Object(members) = value { Ok(members) } else { wrong(&format!("{of} is an object")) }
}

fn needed<T: Wire>(members: &BTreeMap<String, Json>, name: &str) -> Read<T> {
    let value = members.get(name).ok_or_else(|| Wrong(format!("{name} is missing")))?;
    T::read(value).map_err(|Wrong(why)| Wrong(format!("{name}: {why}")))
}

fn free<T: Wire>(members: &BTreeMap<String, Json>, name: &str) -> Read<Option<T>> {
    members.get(name).map_or(Ok(None), |value| Option::read(value)).map_err(|Wrong(why)| Wrong(format!("{name}: {why}")))
}

fn constant(members: &BTreeMap<String, Json>, name: &str, wanted: &str) -> Read<()> {
    let found: String = needed(members, name)?;
    if found == wanted { Ok(()) } else { wrong(&format!("{name} is not {wanted}")) }
}

/// An object. `free` members may be absent; constants are written and checked, and are no fields.
macro_rules! object {
    ($(#[$about:meta])* $name:ident { $($constant:literal = $value:literal,)* }
        needed { $($(#[$needed_about:meta])* $needed:ident: $needed_type:ty = $needed_name:literal,)* }
        free { $($(#[$free_about:meta])* $free:ident: $free_type:ty = $free_name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$needed_about])* pub $needed: $needed_type,)*
            $($(#[$free_about])* pub $free: Option<$free_type>,)*
        }
        impl Wire for $name {
            fn read(value: &Json) -> Read<Self> {
                let _members = members(value, stringify!($name))?;
                $(constant(_members, $constant, $value)?;)*
                Ok($name {
                    $($needed: needed(_members, $needed_name)?,)*
                    $($free: free(_members, $free_name)?,)*
                })
            }
            fn json(&self) -> Json {
                #[allow(unused_mut)]
                let mut members = BTreeMap::new();
                $(members.insert($constant.to_string(), Json::Text($value.to_string()));)*
                $(members.insert($needed_name.to_string(), self.$needed.json());)*
                $(if let Some(value) = &self.$free { members.insert($free_name.to_string(), value.json()); })*
                Json::Object(members)
            }
        }
    };
}

/// A choice of texts.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name { $($variant,)* }
        impl Wire for $name {
            fn read(value: &Json) -> Read<Self> {
                match String::read(value)?.as_str() {
                    $($word => Ok($name::$variant),)*
                    other => wrong(&format!("{other} is no {}", stringify!($name))),
                }
            }
            fn json(&self) -> Json {
                Json::Text(match self { $($name::$variant => $word,)* }.to_string())
            }
        }
    };
}

/// One of several types: the first one that fits.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($variant:ident($type:ty),)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name { $($variant($type),)* }
        impl Wire for $name {
            fn read(value: &Json) -> Read<Self> {
                $(if let Ok(value) = <$type>::read(value) { return Ok($name::$variant(value)) })*
                wrong(concat!("not a ", stringify!($name)))
            }
            fn json(&self) -> Json {
                match self { $($name::$variant(value) => value.json(),)* }
            }
        }
    };
}
