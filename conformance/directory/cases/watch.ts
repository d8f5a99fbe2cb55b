/** Cases about watching: what there is, and then every change. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Change } from "../../../core/directory/Directory.ts"
import * as Check from "../../suite/Check.ts"
import { hostIs, sessionIs, table, type Connection } from "../DirectoryContext.ts"
import { announce, claimed, host, running } from "./Parts.ts"

/** The ids of sessions that a watch tells of, as soon as there are so many. */
const seen = (by: Connection, count: number): Promise<ReadonlySet<string>> =>
  by.ask(() =>
    by.service.watch.pipe(
      Stream.filterMap(sessionIdOf),
      Stream.scan(
        () => new Set<string>(),
        (ids, id) => ids.add(id),
      ),
      Stream.filter((ids) => ids.size >= count),
      Stream.runHead,
      Effect.map(Option.getOrElse(() => new Set<string>())),
    ),
  )

const sessionIdOf = (change: Change): Result.Result<string, void> =>
  change.kind === "session" ? Result.succeed(change.session.sessionId) : Result.failVoid

export const watches = table("directory/watch", {
  "begins-with-what-is-there": {
    says: "A watch begins with every host, and with every session that has not ended.",
    run: async (t) => {
      const one = await t.one()
      await announce(one, host("a"))
      const over = await running(one, "over")
      await one.ask((directory) => directory.end(over, "closed"))
      await running(one, "s")
      await one.until(hostIs("a", "up"), "the host")
      const ids = await seen(one, 1)
      Check.equal([...ids], ["s"], "the sessions")
    },
  },
  "tells-what-others-change": {
    says: "A watch tells what another connection does: a host, a claim, its confirmation and its end.",
    run: async (t) => {
      const [one, other] = await t.open(2)
      if (one === undefined || other === undefined) return Check.fail("no connection")
      const there = one.until(hostIs("a", "up"), "the host")
      await announce(other, host("a"))
      await there
      const isClaimed = one.until(sessionIs("s", "claimed"), "the claim")
      const session = await claimed(other, "s")
      await isClaimed
      const isRunning = one.until(sessionIs("s", "running"), "the confirmation")
      await other.ask((directory) => directory.confirm(session))
      await isRunning
    },
  },
  "tells-of-an-end": {
    says: "A watch that has told of a session tells how it ended.",
    run: async (t) => {
      const [one, other] = await t.open(2)
      if (one === undefined || other === undefined) return Check.fail("no connection")
      await announce(other, host("a"))
      const session = await running(other, "s")
      const told: Array<string> = []
      await one.ask(({ watch }) =>
        watch.pipe(
          Stream.filter(({ kind }) => kind === "session"),
          Stream.tap((change) =>
            Effect.promise(async () => {
              if (change.kind !== "session") return
              told.push(`${change.session.state} ${change.session.ending ?? ""}`.trim())
              if (change.session.state === "running")
                await other.ask((directory) => directory.end(session, "released"))
            }),
          ),
          Stream.takeUntil((change) => change.kind === "session" && change.session.state === "ended"),
          Stream.runDrain,
        ),
      )
      Check.equal(told, ["running", "ended released"], "what was told")
    },
  },
  "misses-nothing": {
    says: "300 claims by three connections at the same time are all told to two watches.",
    run: async (t) => {
      const connections = await t.open(3)
      const [one, other] = connections
      if (one === undefined || other === undefined) return Check.fail("no connection")
      await announce(one, host("a", { capacity: 500 }))
      const watching = [seen(one, 300), seen(other, 300)]
      const claims = connections.flatMap((each, by) =>
        Array.from({ length: 100 }, (_, index) => claimed(each, `s-${by}-${index}`)),
      )
      await Promise.all(claims)
      for (const ids of await Promise.all(watching)) Check.equal(ids.size, 300, "sessions that were told")
    },
  },
})
