// @ts-check
// The types of the wire for Rust, with the standard library alone: a struct for each object, an enum for each choice.
import { readFileSync } from "node:fs"
import { shapes } from "./shapes.mjs"

/** @import { Alias, Field, Schema, Struct, Type } from "./shapes.mjs" */

const prelude = readFileSync(new URL("prelude.rs", import.meta.url), "utf8")

const keywords = new Set([
  "as",
  "enum",
  "fn",
  "for",
  "from",
  "in",
  "match",
  "mod",
  "move",
  "ref",
  "static",
  "type",
  "use",
  "where",
])

/** @param {string} name */
const snake = (name) => {
  const text = name
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/(?<=[a-z0-9])[A-Z]/g, (sign) => `_${sign}`)
    .toLowerCase()
  return keywords.has(text) ? `r#${text}` : text
}

/** @param {string} text */
const capital = (text) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** @param {string} text @param {string} indent */
const comment = (text, indent = "") => (text === "" ? "" : `${indent}#[doc = ${JSON.stringify(text)}]\n`)

const plain = { text: "String", integer: "i64", number: "f64", flag: "bool", any: "Json" }

/** @param {Type} type @param {string} place the name of a type that has to be made for it @returns {string} */
const typeOf = (type, place) => {
  switch (type.kind) {
    case "ref":
      return type.name
    case "list":
      return `Vec<${typeOf(type.of, place)}>`
    case "map":
      return `BTreeMap<String, ${typeOf(type.of, place)}>`
    case "words":
    case "constant":
    case "choice":
      return place
    default:
      return plain[type.kind]
  }
}

/** The type inside lists and maps. @param {Type} type @returns {Type} */
const inmost = (type) => (type.kind === "list" || type.kind === "map" ? inmost(type.of) : type)

/** What a choice calls one of its types. @param {Type} type @param {string} choice */
const variantOf = (type, choice) => {
  if (type.kind === "ref") return type.name.replace(new RegExp(`^${choice}`), "") || type.name
  return (
    { text: "Text", words: "Text", integer: "Number", number: "Number" }[/** @type {"text"} */ (type.kind)] ??
    "Value"
  )
}

/** What has to be declared for a type that the schema does not name. @param {string} name @param {Type} type @param {string} about */
const declared = (name, type, about) => {
  if (type.kind === "words") {
    const rows = type.words.map((word) => `    ${capital(word)} = ${JSON.stringify(word)},\n`)
    return [`words! {\n${about}${name} {\n${rows.join("")}} }\n`]
  }
  if (type.kind !== "choice") return []
  /** @type {Map<string, string>} */
  const variants = new Map()
  for (const one of type.of)
    variants.set(variantOf(one, name), one.kind === "words" ? "String" : typeOf(one, name))
  const rows = [...variants].map(([variant, rust]) => `    ${variant}(${rust}),\n`)
  return [`choice! {\n${about}${name} {\n${rows.join("")}} }\n`]
}

/** @param {Struct} type */
const struct = (type) => {
  /** @param {Field} field */
  const place = ({ name }) => `${type.name}${capital(name)}`
  const constants = type.fields.filter((field) => field.type.kind === "constant")
  const rest = type.fields.filter((field) => field.type.kind !== "constant")
  /** @param {Field} field */
  const row = (field) => {
    const rust = typeOf(field.type, place(field))
    const isOption = !field.free && field.nullable && field.type.kind !== "any"
    const name = JSON.stringify(field.name)
    return `${comment(field.about, "    ")}    ${snake(field.name)}: ${isOption ? `Option<${rust}>` : rust} = ${name},\n`
  }
  const values = constants.map(({ name, type: inner }) =>
    inner.kind === "constant" ? `${JSON.stringify(name)} = ${JSON.stringify(inner.value)}, ` : "",
  )
  const needed = rest.filter(({ free }) => !free).map(row)
  const free = rest.filter((field) => field.free).map(row)
  return [
    `object! {\n${comment(type.about)}${type.name} { ${values.join("")}}\nneeded {\n${needed.join("")}}\nfree {\n${free.join("")}} }\n`,
    ...rest.flatMap((field) => declared(place(field), inmost(field.type), "")),
  ]
}

/** @param {Alias} alias */
const aliased = ({ about, name, type }) => {
  const made = declared(name, type, comment(about))
  return made.length > 0 ? made.join("\n") : `${comment(about)}pub type ${name} = ${typeOf(type, name)};\n`
}

/** @param {string} name */
const upper = (name) => snake(name).replace("r#", "").toUpperCase()

/**
 * The module.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const rustTypes = (schema, meta) => {
  const { aliases, methods, structs, version } = shapes(schema, meta)
  const names = methods.map(({ name, params = "nothing", result = "none" }) => {
    const about = comment(`params ${params}, result ${result}`)
    return `${about}pub const METHOD_${upper(name)}: &str = ${JSON.stringify(name)};\n`
  })
  const codes = Object.entries(/** @type {Schema} */ (meta["errors"])).map(
    ([name, { code, says }]) => `${comment(says)}pub const CODE_${upper(name)}: i64 = ${code};\n`,
  )
  return [
    prelude,
    `/// The version of the wire.\npub const WIRE_VERSION: &str = ${JSON.stringify(version)};\n`,
    names.join(""),
    codes.join(""),
    ...structs.flatMap(struct),
    ...aliases.map(aliased),
  ].join("\n")
}

/**
 * A program that reads a type and a value in each line, and writes the value again as the type has it.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const rustHarness = (schema, meta) => {
  const { aliases, structs } = shapes(schema, meta)
  const names = [...structs, ...aliases].map(({ name }) => name)
  const arms = names.map((name) => `        "${name}" => again::<${name}>(value),\n`)
  return `mod procwire;
use procwire::*;
use std::io::BufRead;

fn again<T: Wire>(value: &Json) -> Result<String, Wrong> {
    T::read(value).map(|value| value.json().text())
}

fn made(line: &str) -> Result<String, Wrong> {
    let Json::Object(read) = Json::parse(line)? else { return Err(Wrong("no object".to_string())) };
    let value = &read["Value"];
    match String::read(&read["Type"])?.as_str() {
${arms.join("")}        other => Err(Wrong(other.to_string())),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        match made(&line.unwrap_or_default()) {
            Ok(text) => println!("{text}"),
            Err(Wrong(why)) => println!("! {why}"),
        }
    }
}
`
}
