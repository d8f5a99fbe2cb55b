/**
 * Holds the messages of a conformance run against the schema files of the wire, with a validator that is not ours.
 *
 * Every message of the server counts. Of the suite only requests count that were answered with a result, because its
 * cases send a lot that is wrong; and of those not the ones in forms that the server takes beside that of the schema.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { isObject, parse, type Json, type JsonObject } from "../suite/Json.ts"
import type { Entry } from "../suite/Transcript.ts"

/** The files of `dist/schema`, seen from the sources and from the compiled modules. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../dist/schema/" : "../../schema/",
  import.meta.url,
)

/** One of the files that describe the wire, such as `procwire.schema.json`. */
export const document = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(name, folder), "utf8")) as JsonObject

/** The schemas of a wire: `validate` returns what is wrong with a value of a type. */
export const load = (wire: "procwire" | "procwire.v0") => {
  const ajv = new Ajv2020({ allowUnionTypes: true, formats: { uri: /^[A-Za-z][\w+.-]*:/ } })
  ajv.addVocabulary(["x-unit", "x-since", "x-capability", "x-wire-version"])
  const schema = document(`${wire}.schema.json`)
  ajv.addSchema(schema, "wire")
  const compiled = new Map<string, ValidateFunction>()
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `wire#/$defs/${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  return {
    schema,
    meta: document(`${wire}.meta.json`),
    /** The fault of a value of a type; undefined if there is none. */
    fault: (type: string, value: unknown): string | undefined => {
      const validate = validator(type)
      return validate(value) ? undefined : ajv.errorsText(validate.errors)
    },
  }
}

/** A message that is not as the schema says. */
export interface Fault {
  readonly id: string
  readonly text: string
  readonly why: string
}

/** A value of the meta document, by the names on the way to it. */
const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const typeOf = (ref: Json | undefined): string | undefined =>
  typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : undefined

/** Takes the messages of a run. */
export const make = (wire: "procwire" | "procwire.v0") => {
  const { fault, meta } = load(wire)
  const faults: Array<Fault> = []
  const counts = { fromServer: 0, results: 0, notifications: 0, requests: 0, otherForms: 0 }
  const asked = new Map<string, string>()
  const say = (id: string, text: string, why: string | undefined): void => {
    if (why !== undefined) faults.push({ id, text: text.slice(0, 1000), why })
  }

  const answered = (id: string, request: string): void => {
    const message = parse(request)
    if (!isObject(message)) return
    if (Array.isArray(message["params"])) return void (counts.otherForms += 1)
    counts.requests += 1
    say(id, request, fault("ClientMessage", message))
  }

  /** `place` tells apart the connections of all cases. */
  const came = (id: string, place: string, text: string): void => {
    const message = parse(text)
    if (!isObject(message)) return
    counts.fromServer += 1
    say(id, text, fault("ServerMessage", message))
    const key = `${place} ${JSON.stringify(message["id"])}`
    const request = asked.get(key)
    if (message["method"] !== undefined) counts.notifications += 1
    if (!("result" in message) || request === undefined) return
    asked.delete(key)
    const method = String(at(parse(request), "method"))
    const type = typeOf(at(meta, "methods", method, "result", "$ref"))
    if (type === undefined) return
    counts.results += 1
    say(id, text, fault(type, message["result"]))
    answered(id, request)
  }

  return {
    faults,
    counts,
    onEntry: ({ id }: { readonly id: string }, run: number, entry: Entry): void => {
      const place = `${run} ${id} ${entry.connection}`
      if (entry.direction === "came") came(id, place, entry.text)
      const sent = entry.direction === "sent" ? parse(entry.text) : undefined
      if (isObject(sent) && sent["id"] !== undefined)
        asked.set(`${place} ${JSON.stringify(sent["id"])}`, entry.text)
    },
  }
}

/** Its declarations lack what it exports. */
const openRpc = createRequire(import.meta.url)("@open-rpc/meta-schema") as {
  readonly openrpcDocument: JsonObject
}

/** The schema that the meta-schema refers to: the part of JSON Schema that it needs. */
const jsonSchema = {
  type: ["object", "boolean"],
  definitions: { JSONSchemaObject: { properties: { $ref: { type: "string", format: "uri-reference" } } } },
}

/** The fault of an OpenRPC document, by the meta-schema of OpenRPC; undefined if there is none. */
export const openRpcFault = (document: JsonObject): string | undefined => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const id of ["https://meta.json-schema.tools", "https://meta.json-schema.tools/"])
    ajv.addSchema(jsonSchema, id)
  const { $schema: _, ...metaSchema } = openRpc.openrpcDocument
  const validate = ajv.compile(metaSchema)
  return validate(document) ? undefined : ajv.errorsText(validate.errors)
}
