/**
 * `wire.lock`: the methods and fields of the wire, a line for each, without words.
 *
 * Lines that are new, gone or changed have to be named in `Versions`: so each change of the wire is a declared one.
 */
import { fieldsOf, ofTypes, type Method, type Wire } from "./Wire.ts"
import { nameOf, type JsonSchema } from "./Shape.ts"
import * as Versions from "./Versions.ts"

/** The lines by their names, such as `process/read` and `ReadParams.waitMs`. */
export type Lock = ReadonlyMap<string, string>

/** Something that is not as the lock says. */
export interface Difference {
  readonly kind: "added" | "changed" | "removed"
  readonly name: string
  /** True if `Versions` names it. */
  readonly declared: boolean
}

const first = "# What is on the wire. Written by `npm run schema`."

const shown = (schema: JsonSchema | undefined): string => {
  if (schema === undefined) return "nothing"
  const name = nameOf(schema)
  if (name !== undefined) return name
  const { items, additionalProperties, anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) return anyOf.map(shown).join(" | ")
  if (items !== undefined) return `[${shown(items as JsonSchema)}]${remainder(rest)}`
  if (additionalProperties !== undefined)
    return `{${shown(additionalProperties as JsonSchema)}}${remainder(rest)}`
  return JSON.stringify(rest)
}

/** Properties of an array or a map beside its elements: null, a default. */
const remainder = ({ type, ...rest }: JsonSchema): string =>
  `${Array.isArray(type) ? " | null" : ""}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ""}`

const methodLine = ({ kind, params, result, idempotent, cancellable, family, slotted }: Method) => {
  const traits = [
    family === undefined ? "before the handshake" : "after the handshake",
    `idempotent ${idempotent}`,
    ...(cancellable ? ["cancellable"] : []),
    ...(slotted ? ["limited"] : []),
  ]
  if (kind === "serverRequest") return `request to the client (${shown(params)}) ${shown(result)}`
  return kind === "request"
    ? `request (${shown(params)}) ${shown(result)}, ${traits.join(", ")}`
    : `${kind === "serverNotification" ? "notification to the client" : "notification to the server"} (${shown(params)})`
}

const typeLines = (type: string, schema: JsonSchema): ReadonlyArray<readonly [string, string]> => {
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  const fields = fieldsOf(schema).map(
    ([name, shape]) =>
      [`${type}.${name}`, `${required.includes(name) ? "" : "optional "}${shown(shape)}`] as const,
  )
  const { properties, required: _, ...rest } = schema
  return [[type, properties === undefined ? shown(rest) : "struct"], ...fields]
}

/** The lock of these wires. Its lines are sorted: the order of methods and fields is no part of the wire. */
export const make = (wires: ReadonlyArray<Wire>): Lock => {
  const all = wires.flatMap((wire) => {
    const prefix = wire.name === "procwire" ? "" : "v0:"
    const lines = [
      ...wire.methods.map((method) => [method.name, methodLine(method)] as const),
      ...[...wire.types].flatMap(([type, schema]) => typeLines(type, schema)),
    ]
    return lines.map(([name, line]) => [`${prefix}${name}`, line] as const)
  })
  return new Map(all.sort(([one], [other]) => (`${one}:` < `${other}:` ? -1 : 1)))
}

/** The text of the file. */
export const toText = (lock: Lock): string =>
  `${first}\nwire: ${Versions.current}\n${[...lock].map(([name, line]) => `${name}: ${line}\n`).join("")}`

/** Reads the text of the file. */
export const fromText = (text: string): Lock =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("wire: "))
      .map((line) => {
        const cut = line.indexOf(": ")
        return [line.slice(0, cut), line.slice(cut + 2)] as const
      }),
  )

/** The differences between the wire and the lock. */
export const compare = (before: Lock, now: Lock, wire: Wire): ReadonlyArray<Difference> => {
  const since = ofTypes(wire)
  const changes = new Set(Versions.versions.at(-1)?.changes)
  /** A type comes with what refers to it, and a field with its type. */
  const isAdded = (name: string): boolean => {
    const [type = ""] = name.split(".")
    const isNewType = !before.has(type) && now.has(type) && !name.includes("/")
    return Versions.named.has(name) || (isNewType && (since.get(type) ?? Versions.first) !== Versions.first)
  }
  const added = [...now.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !now.has(name))
  const changed = [...now].filter(([name, line]) => before.has(name) && before.get(name) !== line)
  return [
    ...added.map((name) => ({ kind: "added" as const, name, declared: isAdded(name) })),
    ...changed.map(([name]) => ({ kind: "changed" as const, name, declared: changes.has(name) })),
    ...removed.map((name) => ({ kind: "removed" as const, name, declared: changes.has(name) })),
  ]
}
