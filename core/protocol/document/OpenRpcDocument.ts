/**
 * `procwire.openrpc.json`: a wire for tools that read OpenRPC 1.3. Its types are in the schema file, beside it.
 *
 * OpenRPC has no notifications of servers: they are methods with `x-direction`. The wire has no `jsonrpc` member.
 */
import { codes, describeError, errorsOf } from "./MetaDocument.ts"
import { fieldsOf } from "./Origin.ts"
import { type Docstrings, fileOf } from "./SchemaDocument.ts"
import { nameOf } from "./Shape.ts"
import type { Method, Wire } from "./Wire.ts"

const at = (wire: Wire, type: string, field = "") => `${fileOf(wire)}#/$defs/${type}${field}`

/** What they are is in the schema file. */
const paramsOf = (wire: Wire, { params = {} }: Method) => {
  const type = nameOf(params) ?? ""
  const schema = wire.types.get(type) ?? {}
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  return fieldsOf(schema).map(([name]) => ({
    name,
    required: required.includes(name),
    schema: { $ref: at(wire, type, `/properties/${name}`) },
  }))
}

const resultOf = (wire: Wire, { result = {} }: Method) => {
  const type = nameOf(result) ?? ""
  return { name: type, schema: { $ref: at(wire, type) } }
}

const errorsFor = (wire: Wire, method: Method) =>
  errorsOf(wire, method).map((name) => ({ $ref: `#/components/errors/${name}` }))

const methodOf = (wire: Wire, method: Method) => ({
  name: method.name,
  summary: method.says,
  paramStructure: "by-name",
  params: paramsOf(wire, method),
  ...(method.kind === "request"
    ? { result: resultOf(wire, method), errors: errorsFor(wire, method) }
    : { "x-direction": method.kind === "serverNotification" ? "server to client" : "client to server" }),
})

/** The document. */
export const make = (wire: Wire, docs: Docstrings) => {
  const names = [...new Set(wire.methods.flatMap((method) => errorsOf(wire, method)))]
  const errors = names.map((name) => [name, { code: codes[name], message: describeError(name, docs) }])
  return {
    openrpc: "1.3.2",
    info: { title: wire.title, version: wire.version },
    methods: wire.methods.map((method) => methodOf(wire, method)),
    components: { errors: Object.fromEntries(errors) },
  }
}
