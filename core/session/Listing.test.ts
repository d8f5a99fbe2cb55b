/** Pages over many processes: they are complete, stable, and each does bounded work, which is counted, not timed. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as Metrics from "../process/Metrics.ts"
import { type HasNumber, Numbered } from "../process/Numbered.ts"
import * as OutputLog from "../process/OutputLog.ts"
import { Process } from "../process/Process.ts"
import { ProcessTable } from "../process/ProcessTable.ts"
import * as Fake from "../spawn/Fake.ts"
import type { SpawnSpec } from "../spawn/Spawner.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as Listing from "./Listing.ts"
import { SessionIds } from "./SessionIds.ts"
import * as SessionRegistry from "./SessionRegistry.ts"

const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: false } }
const holder: SessionRegistry.Holder = { taken: () => () => {} }

/** A registry with so many sessions, and so many processes in each. */
const registry = (sessions: number, each: number) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make()
    let ids = 0
    const layer = Layer.succeed(SessionIds, { next: Effect.sync(() => `s${(ids += 1)}`) })
    const registry = yield* Effect.provide(
      SessionRegistry.make(SessionRegistry.defaultOptions),
      Layer.merge(fake.layer, layer),
    )
    const opened: Array<SessionRegistry.Session> = []
    for (let at = 0; at < sessions; at++) {
      const session = yield* registry.open(holder)
      opened.push(session)
      for (let one = 0; one < each; one++) yield* session.processes.start(`p${one}`, spec)
    }
    return { fake, registry, opened }
  })

/** So many sessions with tables of so many started processes each, without their children: 10,000 are soon made. */
const tables = (sessions: number, each: number, argv: SpawnSpec["argv"] = spec.argv): Listing.Sessions => {
  const metrics = Metrics.make()
  const open = new Numbered<Listing.OpenSession & HasNumber>()
  for (let number = 1; number <= sessions; number++) {
    const table = new ProcessTable()
    for (let one = 0; one < each; one++) {
      const process = new Process(`p${one}`, spec, OutputLog.defaultCapacity, { metrics })
      const entry = table.reserve(process, { argv, cwd: "/", startedAtMs: 0, name: `n${one}` })
      table.decide(entry, Exit.succeed(process))
    }
    const processes = { after: (number: number) => table.after(number), count: () => table.size }
    open.add({ number, session: { number, processes }, detachment: undefined, openedAtMs: 0 })
  }
  return (number) => open.after(number)
}

/** The sessions, and what has been looked at since `take`. */
const counted = (sessions: Listing.Sessions) => {
  let looks = 0
  const count = function* <A>(items: Iterable<A>, map: (item: A) => A) {
    for (const item of items) {
      looks += 1
      yield map(item)
    }
  }
  const within = (open: Listing.OpenSession): Listing.OpenSession => {
    const { processes } = open.session
    const after = (number: number) => count(processes.after(number), (entry) => entry)
    return { ...open, session: { ...open.session, processes: { ...processes, after } } }
  }
  const seen: Listing.Sessions = (number) => count(sessions(number), within)
  const take = () => {
    const taken = looks
    looks = 0
    return taken
  }
  return { seen, take }
}

/** Every page, with the looks of each. */
const pages = (sessions: Listing.Sessions, wanted: Listing.Wanted, rows: number) => {
  const { seen, take } = counted(sessions)
  const found: Array<{ readonly rows: ReadonlyArray<string>; readonly looks: number }> = []
  for (let from: Listing.Place | undefined = Listing.begin; from !== undefined;) {
    const page: Listing.Page<{ readonly session: number; readonly processId: string }> = Listing.processes(
      seen,
      from,
      wanted,
      rows,
    )
    found.push({
      rows: page.rows.map(({ session, processId }) => `${session} ${processId}`),
      looks: take(),
    })
    from = page.next
  }
  return found
}

describe("Listing", () => {
  it("gives 10,000 processes in pages of which each looks at no more than its rows, and a few", () => {
    const found = pages(tables(20, 500), {}, 100)
    expect(new Set(found.flatMap(({ rows }) => rows)).size).toBe(10_000)
    // Beside the rows: the session that a page begins in, one that begins in it, and what shows that more follows.
    for (const { rows, looks } of found) expect(looks - rows.length).toBeLessThanOrEqual(3)
  })

  it("bounds the looks of a page also where few match, or none", () => {
    const sessions = tables(20, 500)
    const found = pages(sessions, { name: "n499" }, 100)
    expect(found.flatMap(({ rows }) => rows).length).toBe(20)
    expect(pages(sessions, { name: "nobody" }, 100).flatMap(({ rows }) => rows)).toEqual([])
    for (const { looks } of found) expect(looks).toBeLessThanOrEqual(Listing.mostLooks + 2)
  })

  it("bounds the looks of a page also where sessions are empty", () => {
    const found = pages(tables(2500, 0), {}, 100)
    expect(found.flatMap(({ rows }) => rows)).toEqual([])
    expect(found.length).toBe(3)
    for (const { looks } of found) expect(looks).toBeLessThanOrEqual(Listing.mostLooks + 1)
  })

  it("ends a page where its arguments are long, with one row at least", () => {
    const found = pages(tables(1, 10, ["a", "x".repeat(Listing.mostCharacters)]), {}, 100)
    expect(found.map(({ rows }) => rows.length)).toEqual(Array(10).fill(1))
  })

  it(
    "keeps its place while processes and sessions come and go",
    effect(function* () {
      const { registry: sessions, opened, fake } = yield* registry(3, 4)
      const [first, second] = opened
      const page = Listing.processes(sessions.after, Listing.begin, {}, 6)
      expect(page.rows.map(({ session, processId }) => `${session} ${processId}`)).toEqual([
        "1 p0",
        "1 p1",
        "1 p2",
        "1 p3",
        "2 p0",
        "2 p1",
      ])
      if (first === undefined || second === undefined) throw new Error("there are three sessions")
      yield* sessions.end(first)
      yield* second.processes.start("late", spec)
      fake.children[6]?.finish(3)
      yield* settle
      const rest = Listing.processes(sessions.after, page.next ?? Listing.begin, {}, 100)
      expect(rest.next).toBeUndefined()
      expect(rest.rows.map(({ session, processId, state }) => `${session} ${processId} ${state}`)).toEqual([
        "2 p2 closed",
        "2 p3 running",
        "2 late running",
        "3 p0 running",
        "3 p1 running",
        "3 p2 running",
        "3 p3 running",
      ])
    }),
  )
})
