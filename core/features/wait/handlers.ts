/** `process/wait`, on the server: checks the conditions, compiles their patterns, and waits. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PatternCache } from "../../pattern/PatternCache.ts"
import { type ParamsError, refuseParams } from "../../protocol/ParamsError.ts"
import type { ProcessEvidenceService } from "../../spawn/ProcessEvidence.ts"
import type { Connection, Handlers, Shared } from "../Feature.ts"
import * as Patterns from "../Patterns.ts"
import type { Condition, WaitState } from "./Condition.ts"
import * as Waits from "./Waits.ts"
import * as Wire from "./wire.ts"

export const make = (
  { at }: Connection,
  shared: Shared,
  evidence: ProcessEvidenceService,
): Handlers<(typeof Wire.wait)["requests"]> => ({
  "process/wait": ({ processId, afterSeq, until, timeoutMs, maxBytes }) =>
    Effect.gen(function* () {
      const { processes, id } = at(processId)
      const conditions = yield* toConditions(until, Patterns.of(shared))
      const request = {
        afterSeq: afterSeq ?? 0,
        until: conditions,
        timeoutMillis: timeoutMs ?? Infinity,
        maxBytes: maxBytes ?? Wire.defaultMaxBytes,
      }
      const state = yield* processes.use(id, (process) => Waits.of(process, evidence).wait(request))
      return toResult(state)
    }),
})

const toResult = (state: WaitState): Wire.WaitResult => {
  const { met, gap, unknown, head, tail, ...rest } = state
  return {
    ...rest,
    met: met?.index ?? null,
    evidence: met?.evidence ?? null,
    head: head.map(toChunk),
    tail: tail.map(toChunk),
    ...(gap === undefined ? {} : { gap }),
    ...(unknown.length === 0 ? {} : { unknown }),
  }
}

const toChunk = ({ seq, stream, bytes }: WaitState["head"][number]) => ({ seq, stream, chunk: bytes })

const toConditions = (
  until: ReadonlyArray<Wire.Condition>,
  patterns: PatternCache,
): Effect.Effect<ReadonlyArray<Condition>, ParamsError> => {
  if (until.length === 0) return refuseParams("until must name at least one condition")
  if (until.length > Wire.mostConditions)
    return refuseParams(`until has ${until.length} conditions: the limit is ${Wire.mostConditions}`)
  return Effect.forEach(until, (condition, index) => {
    const converted = toCondition(condition, patterns)
    return typeof converted === "string"
      ? refuseParams(`until[${index}]: ${converted}`)
      : Effect.succeed(converted)
  })
}

/** The members of which a condition has exactly one. */
const kinds = ["exit", "closed", "pattern", "idleMs", "bytes", "port", "input"] as const

/** A text says why it is none. */
const toCondition = (condition: Wire.Condition, patterns: PatternCache): Condition | string => {
  const [kind, ...others] = kinds.filter((kind) => condition[kind] != null)
  const { pattern, port } = condition
  if (kind === undefined || others.length > 0)
    return `a condition has exactly one of ${kinds.join(", ")}, and this one has ${others.length + Number(kind !== undefined)}`
  if (pattern == null && (condition.stream ?? condition.flags) != null)
    return "stream and flags belong to a pattern"
  if (port == null && condition.host != null) return "host belongs to a port"
  switch (kind) {
    case "exit":
    case "closed":
    case "input":
      return condition[kind] === true ? { kind } : `${kind} must be true`
    case "idleMs":
      return { kind: "idle", millis: condition.idleMs ?? 0 }
    case "bytes":
      return { kind: "bytes", bytes: condition.bytes ?? 0 }
    case "port":
      return toPort(port ?? 0, condition.host ?? undefined)
    case "pattern": {
      const [text, flags] = [pattern ?? "", condition.flags ?? ""]
      const compiled = patterns.compile(text, flags)
      if (Result.isFailure(compiled)) return compiled.failure.message
      const name = `${flags} ${text}`
      return { kind: "pattern", pattern: compiled.success, name, stream: condition.stream ?? undefined }
    }
  }
}

const toPort = (port: number, host: string | undefined): Condition | string => {
  if (port === 0) return "port must not be 0"
  const isHost = host === undefined || host === "localhost" || /^[\d.]+$|^[\da-f:.]*:[\da-f:.]*$/i.test(host)
  return isHost ? { kind: "port", port, host } : `host must be an IP address or localhost: ${host}`
}
