/** Refuses a value that is no target of `connect`, and names the kinds: programs in JavaScript have no compiler. */
import * as Result from "effect/Result"
import type { ClientError } from "../../core/client/ClientError.ts"
import * as HttpHeaders from "../../core/client/HttpHeaders.ts"
import * as OptionNames from "../../core/client/OptionNames.ts"
import * as WellFormed from "../../core/client/WellFormed.ts"
import type { Names } from "../../core/client/OptionNames.ts"
import { isOfEffect3 } from "../../core/protocol/OtherEffect.ts"
import type * as ExecServer from "../../core/server/ExecServer.ts"
import type { InProcessTarget, UrlTarget } from "./Connect.ts"
import * as Containment from "./process/contain/Containment.ts"
import * as SpawnerLayer from "./serve/SpawnerLayer.ts"
import type * as CommandTransport from "./transport/CommandTransport.ts"

const kinds = {
  url: { url: true, token: true, headers: true, ca: true, cert: true, key: true } satisfies Names<UrlTarget>,
  command: {
    command: true,
    args: true,
    env: true,
    cwd: true,
    stderr: true,
  } satisfies Names<CommandTransport.Options>,
  inProcess: { inProcess: true, server: true, spawner: true, contain: true } satisfies Names<InProcessTarget>,
}

const serverNames = {
  version: true,
  auditLog: true,
  dialect: true,
  floor: true,
  egress: true,
  detachedMillis: true,
  metrics: true,
  retentionMillis: true,
  forgetsAtExit: true,
  limits: true,
  listSessions: true,
  scope: true,
  secrets: true,
} satisfies Names<ExecServer.Options>

/** The fault of `target`; undefined if it is a target. */
export const refusal = (target: unknown): ClientError | undefined => {
  if (typeof target !== "object" || target === null)
    return OptionNames.invalid(`${expected}; it got ${show(target)}`)
  const given: Readonly<Record<string, unknown>> = { ...target }
  const found = (["url", "command", "inProcess"] as const).filter((name) => name in given)
  const [kind] = found
  if (kind === undefined || found.length > 1) return OptionNames.invalid(`${expected}; it got ${list(given)}`)
  const value = given[kind]
  if (kind === "inProcess" ? value !== true : !isText(kind === "url" ? onlyOf(value) : value)) {
    return OptionNames.invalid(`${expected}; it got ${kind}: ${show(value)}`)
  }
  return (
    OptionNames.refusal(`a target with '${kind}'`, kinds[kind], given) ??
    Result.getOrUndefined(Result.flip(HttpHeaders.toList(given["headers"]))) ??
    (isRecord(given["env"])
      ? undefined
      : OptionNames.invalid(
          `env must be an object of strings, as in { env: { LANG: "C" } }, not ${OptionNames.shown(given["env"])}`,
        )) ??
    (kind === "inProcess" ? undefined : WellFormed.refusal(given)) ??
    OptionNames.refusal("server", serverNames, given["server"]) ??
    (given["spawner"] === undefined || isChoice(given["spawner"])
      ? undefined
      : OptionNames.invalid(
          isOfEffect3(given["spawner"])
            ? "the spawner of { inProcess: true } is a layer of Effect 3: it needs one of effect@^4.1, or a plain spawner"
            : "the spawner of { inProcess: true } is no layer of Spawner, no plain spawner, and no name of one",
        )) ??
    refusalOfContain(given["contain"])
  )
}

/** A `Map` has no members: its entries would be dropped. */
const isRecord = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !(Symbol.iterator in value))

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

/** A list of texts, one of which is none, is no text. */
const onlyOf = (value: unknown): unknown =>
  Array.isArray(value) && value.length > 0 ? (value.every(isText) ? value[0] : undefined) : value

const isChoice = (value: unknown): boolean => SpawnerLayer.isSpawner(value) || SpawnerLayer.isNames(value)

const refusalOfContain = (value: unknown): ClientError | undefined =>
  value === undefined || Containment.choices.some((choice) => choice === value)
    ? undefined
    : OptionNames.invalid(
        `contain: invalid value ${show(value)}: expected ${Containment.choices.slice(0, -1).join(", ")} or ` +
          `${Containment.choices.at(-1)}`,
      )

const expected =
  'connect needs one of { url: "ws://…" }, { command: "procwire", args: ["serve", "--listen", "stdio"] } ' +
  "and { inProcess: true }"

const list = (given: object): string => {
  const names = Object.keys(given)
  return names.length === 0 ? "{}" : `an object with ${names.join(", ")}`
}

const show = (value: unknown): string => (typeof value === "string" ? `'${value}'` : String(value))
