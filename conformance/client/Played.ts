/**
 * The server that the suite plays for one case: one session with one process, whose events are in the scenario.
 *
 * It answers whatever a client may ask by what has happened so far; the steps of the scenario say what is pushed, held,
 * lost and cut. It judges every message on the way.
 */
import { randomUUID } from "node:crypto"
import { isObject, parse, type Json, type JsonObject } from "../suite/Json.ts"
import type { Entry, Transcript } from "../suite/Transcript.ts"
import type { Peer } from "./Doors.ts"
import * as Judge from "./Judge.ts"
import type { Scenario, Step } from "./Scenario.ts"
import * as Tongue from "./Tongue.ts"

interface Connection extends Judge.Handshake {
  readonly peer: Peer
  readonly number: number
}

export interface Outcome {
  readonly starts: number
  readonly input: string
  /** The number of messages of a method that have come. */
  readonly seen: ReadonlyMap<string, number>
}

/** A request that is not answered yet. */
interface Waiting {
  readonly connection: Connection
  readonly message: JsonObject
  /** The time of a long poll is over. */
  over: boolean
  /** It is carried out, and its answer is held. */
  found?: Tongue.Answer
}

export interface Played {
  readonly opened: (peer: Peer) => void
  readonly message: (peer: Peer, text: string) => void
  readonly ended: (peer: Peer) => void
  /** The first fault of the client, if there was one. */
  readonly fault: () => string | undefined
  /** The message that the steps wait for; undefined when all are done. */
  readonly waitsFor: () => string | undefined
  readonly outcome: () => Outcome
}

/** The longest that a read waits, in milliseconds, whatever it asks for. */
const longestPoll = 30_000

/** A server before its first connection. `changed` is called after everything that happens. */
export const make = (scenario: Scenario, transcript: Transcript, changed: () => void): Played => {
  const connections = new Map<Peer, Connection>()
  const seen = new Map<string, number>()
  const held = new Set<string>()
  const lost = new Set<string>()
  const refused = new Map<string, { readonly code: number; readonly message: string }>()
  const writeIds = new Set<string>()
  /** The number of messages of a method that the steps have waited for. */
  const awaited = new Map<string, number>()
  const paused = new Set<Step>()
  let waiting: Array<Waiting> = []
  let session: { readonly id: string; owner: Connection | undefined } | undefined
  let processId: string | undefined
  let starts = 0
  let input = ""
  let happened = 0
  let at = 0
  let fault: string | undefined

  const note = (connection: Connection, direction: Entry["direction"], text: string) =>
    transcript.add(connection.number, direction, text)
  const say = (connection: Connection, message: JsonObject) => {
    const told = scenario.unknownMembers ? Tongue.withUnknown(message) : message
    const text = JSON.stringify(told)
    note(connection, "came", text)
    connection.peer.send(text)
  }
  const live = () => session?.owner ?? [...connections.values()].at(-1)
  const cut = (connection: Connection | undefined) => {
    if (connection === undefined) return
    note(connection, "info", "the suite cuts the connection")
    connections.delete(connection.peer)
    if (session?.owner === connection) session.owner = undefined
    waiting = waiting.filter((one) => one.connection !== connection)
    connection.peer.drop()
  }

  /** Carries out a request; undefined if its answer comes later. */
  const carryOut = (
    { connection, over }: Waiting,
    method: string,
    params: JsonObject,
  ): Tongue.Answer | undefined => {
    switch (Tongue.operationOf(scenario.dialect, method)) {
      case "initialize":
        return initialize(connection, params)
      case "start":
        if (processId !== undefined)
          return Tongue.error(`process ${String(params["processId"])} already exists`)
        starts += 1
        processId = String(params["processId"])
        return Tongue.started(scenario.dialect, processId)
      case "read":
        return params["processId"] === processId && processId !== undefined
          ? Tongue.read(scenario, happened, over ? { ...params, waitMs: 0 } : params)
          : Tongue.error(`unknown process id ${String(params["processId"])}`)
      case "write":
        return write(params)
      case "unknown":
        return Tongue.error(`exec-server stub does not implement \`${method}\` yet`, -32601)
      default:
        return Tongue.plain(method)
    }
  }
  const initialize = (connection: Connection, params: JsonObject): Tongue.Answer => {
    const resumed = params["resumeSessionId"] ?? undefined
    if (resumed !== undefined && resumed !== session?.id)
      return Tongue.error(`unknown session id ${String(resumed)}`)
    if (resumed === undefined) {
      session = { id: randomUUID(), owner: undefined }
      processId = undefined
    }
    if (session !== undefined) session.owner = connection
    return Tongue.welcome(scenario, session?.id ?? "")
  }
  const write = (params: JsonObject): Tongue.Answer => {
    const { writeId } = params
    const isNew = typeof writeId !== "string" || !writeIds.has(writeId)
    if (typeof writeId === "string") writeIds.add(writeId)
    if (isNew) input += Buffer.from(String(params["chunk"]), "base64").toString("utf8")
    return Tongue.written(scenario.dialect)
  }

  const resultOf = (one: Waiting, method: string): Tongue.Answer | undefined => {
    const refusal = refused.get(method)
    refused.delete(method)
    if (refusal !== undefined) return Tongue.error(refusal.message, refusal.code)
    const { params } = one.message
    return carryOut(one, method, isObject(params) ? params : {})
  }
  /** True if the request needs no answer any more. */
  const answer = (one: Waiting): boolean => {
    const { connection, message } = one
    const method = String(message["method"])
    const found = one.found ?? resultOf(one, method)
    if (found !== undefined) one.found = found
    if (found === undefined || held.has(method)) return false
    if (lost.delete(method)) {
      cut(connection)
      return true
    }
    if (method === "initialize") connection.state = "answered"
    say(connection, { id: message["id"] ?? null, ...found })
    return true
  }
  const settle = () => {
    for (const one of waiting) if (answer(one)) waiting = waiting.filter((each) => each !== one)
  }

  const isDone = (step: Step): boolean => {
    if ("await" in step) return (seen.get(step.await) ?? 0) > (awaited.get(step.await) ?? 0)
    if ("pauseMs" in step) return paused.has(step)
    return "awaitInput" in step ? input.includes(step.awaitInput) : true
  }

  const perform = (step: Step): void => {
    if ("await" in step) awaited.set(step.await, (awaited.get(step.await) ?? 0) + 1)
    if ("push" in step) for (const seq of step.push) push(seq)
    if ("happen" in step) happened = Math.max(happened, step.happen)
    if ("hold" in step) held.add(step.hold)
    if ("release" in step) held.delete(step.release)
    if ("loseAnswer" in step) lost.add(step.loseAnswer)
    if ("refuse" in step) refused.set(step.refuse, step)
    const connection = live()
    if ("send" in step && connection !== undefined) say(connection, step.send)
    if ("cut" in step) cut(connection)
    if ("forget" in step) {
      session = undefined
      processId = undefined
    }
    settle()
  }
  const push = (seq: number) => {
    const event = scenario.log[seq - 1]
    const connection = live()
    happened = Math.max(happened, seq)
    const message = event && Tongue.event(scenario.dialect, processId ?? "", seq, event)
    if (message !== undefined && connection !== undefined) say(connection, message)
  }
  /** Does the next step, if what it waits for has come. */
  const advance = (): boolean => {
    const step = scenario.steps[at]
    if (step === undefined || !isDone(step)) return false
    at += 1
    perform(step)
    const next = scenario.steps[at]
    if (next !== undefined && "pauseMs" in next)
      setTimeout(() => {
        paused.add(next)
        goOn()
      }, next.pauseMs).unref()
    return true
  }
  const goOn = () => {
    do {
      while (advance());
      settle()
    } while (advance())
    changed()
  }
  goOn()

  const ask = (one: Waiting) => {
    waiting.push(one)
    const { params } = one.message
    const waitMs = isObject(params) ? params["waitMs"] : undefined
    if (typeof waitMs !== "number" || waitMs <= 0) return
    const end = () => {
      one.over = true
      if (waiting.includes(one)) goOn()
    }
    setTimeout(end, Math.min(waitMs, longestPoll)).unref()
  }
  const take = (connection: Connection, text: string) => {
    note(connection, "sent", text)
    const message = parse(text)
    if (!isObject(message)) fault ??= `a message is a JSON object, not ${text.slice(0, 200)}`
    else {
      fault ??= Judge.fault(message, scenario, connection)
      const method = String(message["method"])
      seen.set(method, (seen.get(method) ?? 0) + 1)
      if (message["id"] !== undefined) ask({ connection, message, over: false })
      if (method === "request/cancel") cancel(connection, message["params"])
    }
    goOn()
  }
  const cancel = (connection: Connection, params: Json | undefined) => {
    const id = isObject(params) ? params["id"] : undefined
    const one = waiting.find((each) => each.connection === connection && each.message["id"] === id)
    if (one === undefined) return
    waiting = waiting.filter((each) => each !== one)
    say(connection, { id: id ?? null, ...Tongue.error("the request was cancelled", -32_800) })
  }

  return {
    opened: (peer) => {
      const number = transcript.entries.reduce((most, { connection }) => Math.max(most, connection), 0) + 1
      const connection: Connection = { peer, number, state: "none", ids: new Set() }
      connections.set(peer, connection)
      note(connection, "info", "the client has connected")
    },
    message: (peer, text) => {
      const connection = connections.get(peer)
      if (connection !== undefined) take(connection, text)
    },
    ended: (peer) => {
      const connection = connections.get(peer)
      if (connection === undefined) return
      note(connection, "info", "the client has ended the connection")
      connections.delete(peer)
      if (session?.owner === connection) session.owner = undefined
      waiting = waiting.filter((one) => one.connection !== connection)
    },
    fault: () => fault,
    waitsFor: () => {
      const step = scenario.steps[at]
      return step === undefined ? undefined : JSON.stringify(step)
    },
    outcome: () => ({ starts, input, seen }),
  }
}
