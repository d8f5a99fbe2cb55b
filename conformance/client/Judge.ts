/**
 * The invariants of everything that a client sends: the handshake, the form of every message, and that nothing is used
 * that the server has not announced.
 */
import * as Result from "effect/Result"
import * as V0 from "../../core/protocol/dialect/v0.ts"
import * as Methods from "../../core/protocol/Methods.ts"
import { type Any, decode } from "../../core/protocol/shape/index.ts"
import * as Versions from "../../core/protocol/document/Versions.ts"
import { isObject, type Json, type JsonObject } from "../suite/Json.ts"
import type { Scenario } from "./Scenario.ts"

export interface Handshake {
  /** `none`; `asked`: initialize was sent; `answered`; `ready`: initialized has come. */
  state: "none" | "asked" | "answered" | "ready"
  readonly ids: Set<string>
}

const requests: {
  readonly [D in Scenario["dialect"]]: { readonly [method: string]: { readonly params: Any } }
} = {
  current: Methods.requests,
  v0: V0.requests,
}

/** The types whose fields may need a capability. */
const types: { readonly [method: string]: string } = {
  initialize: "InitializeParams",
  "process/start": "WireExecParams",
  "process/terminate": "TerminateParams",
}

/** The fault of a message, which is an object; undefined if there is none. */
export const fault = (message: JsonObject, scenario: Scenario, shake: Handshake): string | undefined => {
  const { id, method } = message
  if (typeof method !== "string") return "a message of a client has a method"
  if (id === undefined) return notificationFault(method, scenario, shake)
  if (typeof id !== "string" && !Number.isInteger(id)) return "an id is a text or an integer"
  const key = JSON.stringify(id)
  if (shake.ids.has(key)) return `the id ${key} was used before on this connection`
  shake.ids.add(key)
  return (
    orderFault(method, scenario, shake) ??
    paramsFault(method, message["params"], scenario) ??
    capabilityFault(method, message["params"], scenario)
  )
}

const notificationFault = (method: string, scenario: Scenario, shake: Handshake): string | undefined => {
  if (method === "initialized") {
    if (shake.state !== "answered") return "initialized comes once, after the answer to initialize"
    shake.state = "ready"
    return undefined
  }
  if (method !== "request/cancel") return `a client sends no notification ${method}`
  return scenario.capabilities.includes("requestCancel")
    ? undefined
    : "request/cancel was sent, and the server has no capability requestCancel"
}

const orderFault = (method: string, { dialect }: Scenario, shake: Handshake): string | undefined => {
  if (method === "initialize") {
    if (shake.state !== "none") return "initialize is sent once on a connection"
    shake.state = "asked"
    return undefined
  }
  if (dialect === "v0") return undefined
  if (shake.state === "none") return `the first message is initialize, not ${method}`
  return shake.state === "ready" ? undefined : `${method} was sent before initialized`
}

const paramsFault = (method: string, value: Json | undefined, { dialect }: Scenario): string | undefined => {
  const row = Object.entries(requests[dialect]).find(([name]) => name === method)?.[1]
  if (row === undefined) return undefined
  const decoded = decode(row.params, value ?? null, { platform: "linux" })
  return Result.isFailure(decoded) ? `the params of ${method}: ${decoded.failure}` : undefined
}

const capabilityFault = (method: string, value: Json | undefined, scenario: Scenario): string | undefined => {
  if (scenario.dialect === "v0") return undefined
  const fields = isObject(value) ? Object.keys(value).filter((field) => value[field] !== null) : []
  const used = [method, ...fields.map((field) => `${types[method]}.${field}`)]
  for (const name of used) {
    const { capability } = Versions.named.get(name) ?? {}
    if (capability !== undefined && !scenario.capabilities.includes(capability))
      return `${name} was used, and the server has no capability ${capability}`
  }
  return undefined
}
