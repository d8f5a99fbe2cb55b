/** Requests for output that was printed before, in the plan of a seed: the programs `records`, and lists of what runs. */
import { excerpt } from "./Noise.ts"
import * as Script from "./Script.ts"
import type { Seed } from "./Seed.ts"

/** The least that a history may have. */
const leastHistory = 1_048_576

const never = 2 ** 30

export type HistoryDiskPlan = ReturnType<typeof disk>

export const disk = (seed: Seed, millis: number) => {
  const from = seed.between(0, millis)
  return {
    /** Milliseconds that a write takes. */
    writeMillis: seed.chance(50) ? 0 : seed.skewed(seed.pick(20, 300)),
    /** No room is left from one time to another. */
    full: seed.chance(85) ? undefined : { from, to: from + seed.skewed(30_000) },
  }
}

/** The processes of the client of that index whose output is kept, or has marks. */
export const make = (seed: Seed, index: number, millis: number): ReadonlyArray<RecordPlan> => {
  const times = seed.times(seed.pick(5000, 12_000), millis, 0)
  return times.map((at, number) => process(seed.fork(number), `r${index}.${number}`, at))
}

/** A process whose output is kept, or has marks. */
export type RecordPlan = ReturnType<typeof process>

const process = (seed: Seed, key: string, at: number) => {
  const marks = seed.chance(40)
  const keeps = marks ? seed.fork("both").chance(50) : seed.chance(85)
  const maxBytes = keeps ? leastHistory + seed.skewed(500_000) : undefined
  return {
    at,
    key,
    script: child(seed.fork("script"), marks, maxBytes),
    credit: undefined,
    patience: Infinity,
    readers: [
      { after: 0, pause: seed.chance(80) ? 0 : seed.skewed(500), stall: undefined },
      ...(seed.chance(70) ? [] : [{ after: seed.skewed(30_000), pause: 0, stall: undefined }]),
    ],
    calls: [],
    asks: {
      name: seed.pick("build", "test", key),
      labels: { of: key },
      ...(marks ? { marks } : {}),
      ...(maxBytes === undefined ? {} : { history: { maxBytes } }),
    },
    records: Array.from({ length: seed.between(1, 6) }, () => call(seed, key, maxBytes !== undefined)).sort(
      (one, other) => one.at - other.at,
    ),
  }
}

/** Text, more of it than a log keeps, or with marks between. */
const child = (seed: Seed, marks: boolean, historyBytes: number | undefined): Script.Script => {
  const script = Script.make(seed.fork("child"), historyBytes === undefined ? 0 : seed.pick(0, 10, 40))
  const stream = script.pty ? "pty" : "stdout"
  const prompt = seed.fork("prompt")
  const acts = marks
    ? script.acts.flatMap((act) =>
        act.kind === "output" && seed.chance(60)
          ? [act, mark(seed, stream), ...(prompt.chance(3) ? [silence] : [])]
          : [act],
      )
    : script.acts
  return { ...script, acts: withFolders(acts), text: true, missing: false, marks, historyBytes }
}

/** A shell waits at its prompt: nothing but the mark itself tells anybody of it. */
const silence: Script.Act = { kind: "wait", millis: 45_000 }

/** Of each mark the directory that was reported last. */
const withFolders = (acts: ReadonlyArray<Script.Act>): ReadonlyArray<Script.Act> => {
  let cwd: string | null = null
  return acts.map((act) => {
    if (act.kind !== "mark") return act
    cwd = /Cwd=([\w/]*)/.exec(act.text)?.[1] ?? cwd
    return act.tells === undefined ? act : { ...act, tells: { ...act.tells, cwd } }
  })
}

const mark = (seed: Seed, stream: "pty" | "stdout"): Script.Act => {
  const family = seed.pick("133", "633")
  const end = seed.pick("\x07", "\x1b\\")
  const code = seed.between(0, 255)
  const [body, tells] = seed.pick<readonly [string, (Script.Act & { readonly kind: "mark" })["tells"]]>(
    ["A", { kind: "promptStart", exitCode: null, cwd: null }],
    ["C", { kind: "commandStart", exitCode: null, cwd: null }],
    [`D;${code}`, { kind: "commandEnd", exitCode: code, cwd: null }],
    ["D", { kind: "commandEnd", exitCode: null, cwd: null }],
    ["B", undefined],
  )
  const text = seed.chance(15) ? `\x1b]633;P;Cwd=/srv/${code}${end}` : `\x1b]${family};${body}${end}`
  return {
    kind: "mark",
    stream,
    text,
    cut: seed.chance(50) ? text.length : seed.between(1, text.length - 1),
    tells: text.includes("Cwd=") ? undefined : tells,
  }
}

/** A request for output that was printed before, at some time after the start of its process. */
export type RecordCall = ReturnType<typeof call>

const call = (seed: Seed, key: string, keeps: boolean) => ({
  kind: keeps ? seed.pick("again", "part", "part", "tail", "grep", "grep") : ("again" as const),
  /** Milliseconds after the start. */
  at: seed.skewed(seed.pick(5000, 40_000)),
  from: seed.chance(30) ? undefined : spot(seed),
  to: seed.chance(70) ? undefined : spot(seed),
  /** Most bytes or matches of an answer. */
  most: seed.pick(1, 50, 3000, 70_000, 5_000_000),
  /** The last lines, so many; or so many lines before and behind a match. */
  lines: seed.skewed(20) - 1,
  ...pattern(seed, key),
  /** Most pages. */
  pages: seed.skewed(6),
  /** The caller gives up each after so many milliseconds. */
  patience: seed.chance(85) ? never : seed.skewed(3000),
})

/** A place in the output of a process: so much of what there is when it is asked for, in percent. */
export type Spot = ReturnType<typeof spot>

const spot = (seed: Seed) => ({
  kind: seed.pick("seq", "byte", "byte", "line", "time"),
  percent: seed.chance(10) ? 120 : seed.between(0, 100),
})

/** Some characters of what the process will write, or a class of characters; `literal`: the pattern is plain text. */
const pattern = (seed: Seed, key: string): { readonly pattern: string; readonly literal: boolean } => {
  if (seed.chance(30)) return { pattern: seed.pick("^[a-e]", "[q-z]$", "[a-c]{3}", "^$"), literal: false }
  const characters = excerpt(key, seed.skewed(20_000))
  const [line = ""] = characters.slice(0, seed.skewed(5)).join("").split("\n")
  return line === "" ? { pattern: "a", literal: true } : { pattern: line, literal: true }
}

/** The lists of the client of that index. */
export const lists = (seed: Seed, index: number, millis: number): ReadonlyArray<ListPlan> => {
  const plans: Array<ListPlan> = []
  for (let at = seed.between(0, 10_000); at < millis; at += seed.between(1, 20_000))
    plans.push(list(seed, `l${index}.${plans.length}`, at))
  return plans
}

/** A list of the processes, page after page. */
export type ListPlan = ReturnType<typeof list>

const list = (seed: Seed, key: string, at: number) => ({
  /** When, in milliseconds. */
  at,
  key,
  limit: seed.pick(1, 1, 2, 3, 100),
  /** Milliseconds between two pages. */
  pause: seed.chance(50) ? 0 : seed.skewed(3000),
  name: seed.chance(70) ? undefined : seed.pick("build", "test"),
  /** Sessions are listed, too. */
  sessions: seed.chance(20),
})
