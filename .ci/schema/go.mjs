// @ts-check
// The types of the wire for Go, for encoding/json: a struct for each object, with a pointer for what may be absent.
import { shapes } from "./shapes.mjs"

/** @import { Alias, Field, Schema, Struct, Type } from "./shapes.mjs" */

/** @param {string} text */
const capital = (text) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** @param {string} text @param {string} indent */
const comment = (text, indent = "") =>
  text === ""
    ? ""
    : `${text
        .replaceAll("\n", " ")
        .replace(/(.{1,110})(?:\s|$)/g, `${indent}// $1\n`)
        .trimEnd()}\n`

const plain = { text: "string", integer: "int64", number: "float64", flag: "bool", any: "json.RawMessage" }

/** @param {Type} type @param {string} place the name of a type that has to be made for it @returns {string} */
const typeOf = (type, place) => {
  switch (type.kind) {
    case "ref":
      return type.name
    case "list":
      return `[]${typeOf(type.of, place)}`
    case "map":
      return `map[string]${typeOf(type.of, place)}`
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

/** @param {string} name @param {ReadonlyArray<string>} words */
const words = (name, words) => {
  const rows = words.map((word) => `\t${name}${capital(word)} ${name} = ${JSON.stringify(word)}\n`)
  const all = words.map((word) => JSON.stringify(word)).join(", ")
  return [
    `type ${name} string\n`,
    `const (\n${rows.join("")})\n`,
    `func (one *${name}) UnmarshalJSON(text []byte) error { return word(text, (*string)(one), ${all}) }\n`,
  ].join("\n")
}

/** A type with one value. @param {string} name @param {string} value */
const constant = (name, value) =>
  [
    `type ${name} struct{}\n`,
    `func (${name}) MarshalJSON() ([]byte, error) { return json.Marshal(${JSON.stringify(value)}) }\n`,
    `func (*${name}) UnmarshalJSON(text []byte) error { return constant(text, ${JSON.stringify(value)}) }\n`,
  ].join("\n")

/** What a choice calls one of its types. @param {Type} type @param {string} choice */
const variantOf = (type, choice) => {
  if (type.kind === "ref") return type.name.replace(new RegExp(`^${choice}`), "") || type.name
  return (
    { text: "Text", words: "Text", integer: "Number", number: "Number" }[/** @type {"text"} */ (type.kind)] ??
    "Value"
  )
}

/**
 * One of several types: a struct with a pointer for each, of which one is set.
 * @param {string} name
 * @param {ReadonlyArray<Type>} types
 * @param {ReadonlyArray<Struct>} structs
 */
const choice = (name, types, structs) => {
  /** @type {Map<string, Type>} */
  const variants = new Map()
  for (const type of types)
    variants.set(variantOf(type, name), type.kind === "words" ? { kind: "text" } : type)
  const rows = [...variants].map(([variant, type]) => ({ variant, type, go: typeOf(type, name) }))
  const fields = rows.map(({ go, variant }) => `\t${variant} *${go}\n`).join("")
  const out = rows
    .map(({ variant }) => `\tif one.${variant} != nil {\n\t\treturn json.Marshal(one.${variant})\n\t}\n`)
    .join("")
  const into = rows
    .map(({ go, type, variant }) => {
      const fields =
        type.kind === "ref" ? (structs.find((each) => each.name === type.name)?.fields ?? []) : []
      const needs = fields.filter(({ free }) => !free).map((field) => JSON.stringify(field.name))
      return (
        `\tif value := new(${go}); has(text${needs.map((need) => `, ${need}`).join("")}) && ` +
        `json.Unmarshal(text, value) == nil {\n\t\tone.${variant} = value\n\t\treturn nil\n\t}\n`
      )
    })
    .join("")
  return [
    `type ${name} struct {\n${fields}}\n`,
    `func (one ${name}) MarshalJSON() ([]byte, error) {\n${out}\treturn nil, errors.New("${name}: nothing is set")\n}\n`,
    `func (one *${name}) UnmarshalJSON(text []byte) error {\n${into}\treturn errors.New("not a ${name}: " + string(text))\n}\n`,
  ].join("\n")
}

/** What has to be declared for a type that the schema does not name. @param {string} name @param {Type} type @param {ReadonlyArray<Struct>} structs */
const declared = (name, type, structs) => {
  if (type.kind === "words") return [words(name, type.words)]
  if (type.kind === "constant") return [constant(name, type.value)]
  return type.kind === "choice" ? [choice(name, type.of, structs)] : []
}

/** @param {Struct} type @param {Field} field */
const row = ({ name: owner }, { about, free, name, nullable, type }) => {
  const go = typeOf(type, `${owner}${capital(name)}`)
  const isPointer = (free || nullable) && type.kind !== "any"
  const tag = `\`json:"${name}${free ? ",omitempty" : ""}"\``
  return `${comment(about, "\t")}\t${capital(name)} ${isPointer ? "*" : ""}${go} ${tag}\n`
}

/** @param {Struct} type @param {ReadonlyArray<Struct>} structs */
const struct = (type, structs) => [
  `${comment(`${type.name}: ${type.about}`)}type ${type.name} struct {\n${type.fields.map((field) => row(type, field)).join("")}}\n`,
  ...type.fields.flatMap((field) =>
    declared(`${type.name}${capital(field.name)}`, inmost(field.type), structs),
  ),
]

/** @param {Alias} alias @param {ReadonlyArray<Struct>} structs */
const aliased = ({ about, name, type }, structs) => {
  const made = declared(name, type, structs)
  const text = made.length > 0 ? made.join("\n") : `type ${name} ${typeOf(type, name)}\n`
  return `${comment(`${name}: ${about}`)}${text}`
}

const prelude = `// Code generated by npm run schema -- go from procwire.schema.json. DO NOT EDIT.

// Package procwire has the types of the wire. What may be absent is a pointer.
package procwire

import (
	"encoding/json"
	"errors"
)

// constant fails unless a text is this one.
func constant(text []byte, wanted string) error {
	var found string
	if err := json.Unmarshal(text, &found); err != nil || found != wanted {
		return errors.New("not " + wanted + ": " + string(text))
	}
	return nil
}

// word reads one of these texts.
func word(text []byte, into *string, all ...string) error {
	var found string
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	for _, one := range all {
		if one == found {
			*into = found
			return nil
		}
	}
	return errors.New("unknown: " + found)
}

// has tells whether a value has all of these members.
func has(text []byte, names ...string) bool {
	if len(names) == 0 {
		return true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return false
	}
	for _, name := range names {
		if _, found := members[name]; !found {
			return false
		}
	}
	return true
}
`

/**
 * The package.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const goTypes = (schema, meta) => {
  const { aliases, methods, structs, version } = shapes(schema, meta)
  const names = methods.map(({ name, params = "nothing", result = "none" }) => {
    const about = `${name}: params ${params}, result ${result}.`
    return `${comment(about, "\t")}\tMethod${capital(name)} = ${JSON.stringify(name)}\n`
  })
  const codes = Object.entries(/** @type {Schema} */ (meta["errors"])).map(
    ([name, { code, says }]) => `${comment(says, "\t")}\tCode${capital(name)} = ${code}\n`,
  )
  return [
    prelude,
    `// WireVersion is the version of the wire.\nconst WireVersion = ${JSON.stringify(version)}\n`,
    `// The methods.\nconst (\n${names.join("")})\n`,
    `// The codes of errors.\nconst (\n${codes.join("")})\n`,
    ...structs.flatMap((type) => struct(type, structs)),
    ...aliases.map((alias) => aliased(alias, structs)),
  ].join("\n")
}

/**
 * A program that reads a type and a value in each line, and writes the value again as the type has it.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const goHarness = (schema, meta) => {
  const { aliases, structs } = shapes(schema, meta)
  const names = [...structs, ...aliases].map(({ name }) => name)
  return `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"procwire/procwire"
)

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := lines.ReadBytes('\\n')
		if err != nil {
			return
		}
		var read struct {
			Type  string
			Value json.RawMessage
		}
		if err := json.Unmarshal(line, &read); err != nil {
			fmt.Fprintln(out, "!", err)
			continue
		}
		value := made(read.Type)
		if err := json.Unmarshal(read.Value, value); err != nil {
			fmt.Fprintln(out, "!", err)
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			fmt.Fprintln(out, "!", err)
			continue
		}
		fmt.Fprintln(out, string(text))
	}
}

func made(name string) any {
	switch name {
${names.map((name) => `\tcase "${name}":\n\t\treturn new(procwire.${name})\n`).join("")}	}
	return new(any)
}
`
}
