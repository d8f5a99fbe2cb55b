/** The waits of clients, and the deadlines of their processes, in the plan of a seed: the programs `waits`. */
import type { WaitCondition } from "../../core/client/RemoteProcess.ts"
import { excerpt } from "./Noise.ts"
import * as Script from "./Script.ts"
import type { Seed } from "./Seed.ts"

/** The processes of the client of that index that are waited for. */
export const make = (seed: Seed, index: number, millis: number): ReadonlyArray<WaitPlan> => {
  const times = seed.times(seed.pick(3000, 8000), millis, 0)
  return times.map((at, number) => process(seed.fork(number), `w${index}.${number}`, at))
}

const never = 2 ** 30

/** A process that is waited for, and has to end in time. */
export type WaitPlan = ReturnType<typeof process>

const process = (seed: Seed, key: string, at: number) => ({
  at,
  key,
  script: child(seed.fork("script")),
  credit: undefined,
  patience: Infinity,
  readers: [{ after: 0, pause: 0, stall: undefined }],
  calls: [],
  times: times(seed.fork("times")),
  waits: [
    ...Array.from({ length: seed.skewed(8) }, () => wait(seed, key)),
    ...(seed.chance(85) ? [] : [end(seed)]),
  ].sort((one, other) => one.at - other.at),
})

/** Little output, so that no child is paused, and an answer to SIGTERM. */
const child = (seed: Seed): Script.Script => {
  const script = Script.make(seed.fork("child"), 0)
  const acts = script.acts.map((act) =>
    act.kind === "output" ? { ...act, bytes: 1 + (act.bytes % seed.pick(7, 300)) } : act,
  )
  const asked = {
    ignores: seed.chance(30),
    millis: seed.chance(50) ? 0 : seed.skewed(6000),
    code: seed.chance(50) ? undefined : 3,
    heldMillis: seed.chance(70) ? 0 : seed.skewed(8000),
  }
  const lingers = seed.fork("lingers")
  const lingerMillis = lingers.chance(60) ? script.lingerMillis : lingers.skewed(6000)
  return { ...script, acts, text: true, missing: false, asked, lingerMillis }
}

/** When a process has to end, as its start names it. All in milliseconds. */
export type Times = ReturnType<typeof times>

const times = (seed: Seed) => ({
  ...(seed.chance(60) ? {} : { timeoutMs: seed.skewed(40_000) }),
  ...(seed.chance(60) ? {} : { idleTimeoutMs: seed.skewed(20_000) }),
  ...(seed.chance(50) ? {} : { killGraceMs: seed.pick(0, 1, 700, 3000) }),
})

/** A wait, at some time after the start of its process. */
export type WaitCall = ReturnType<typeof wait>

const wait = (seed: Seed, key: string) => ({
  kind: "wait" as const,
  /** Milliseconds after the start. */
  at: seed.skewed(20_000) - 1,
  until: Array.from({ length: seed.skewed(4) }, () => condition(seed, key)),
  /** The number of chunks that count, of those that are there; undefined counts all, 0 none. */
  last: seed.chance(50) ? undefined : seed.chance(20) ? -1 : seed.between(0, 4),
  timeoutMs: seed.chance(50) ? undefined : seed.skewed(15_000) - 1,
  maxBytes: seed.chance(60) ? undefined : seed.skewed(500) - 1,
  /** The caller gives up after so many milliseconds. */
  patience: seed.chance(80) ? never : seed.skewed(8000),
})

/** A terminate, at some time after the start of its process. */
export type EndCall = ReturnType<typeof end>

const end = (seed: Seed) => ({
  kind: "end" as const,
  at: seed.skewed(30_000),
  /** Undefined kills at once. */
  graceMs: seed.chance(30) ? undefined : seed.pick(0, 500, 4000),
  patience: never,
})

const condition = (seed: Seed, key: string): WaitCondition => {
  switch (seed.pick("exit", "closed", "pattern", "pattern", "pattern", "pattern", "idle", "bytes")) {
    case "exit":
      return { exit: true }
    case "closed":
      return { closed: true }
    case "idle":
      return { idleMs: seed.skewed(15_000) - 1 }
    case "bytes":
      return { bytes: seed.skewed(2000) }
    case "pattern":
      return { ...pattern(seed, key), ...(seed.chance(70) ? {} : { stream: seed.pick("stdout", "stderr") }) }
  }
}

/** Every match of one of these has the same length, but `$`: what ends first begins first. Classes are of ASCII. */
const pattern = (seed: Seed, key: string): WaitCondition => {
  if (seed.chance(15)) return { pattern: seed.pick("$", "zzzz", "^[a-f]") }
  if (seed.chance(30)) return { pattern: seed.pick("[a-e]{2}", "\\n[ x-z]", "[q-s]{3}") }
  // Some characters of the output to come.
  const characters = excerpt(key, seed.skewed(1500))
  return { pattern: characters.slice(0, seed.skewed(8)).join(""), flags: "l" }
}
