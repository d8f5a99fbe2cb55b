// A host that is frozen: it takes the session `s`, says so, renews its lease until it is refused, and tells how each of
// its late words was answered. Its argument is the options of its directory as JSON.
import { argv, stdin, stdout } from "node:process"
import * as Effect from "effect/Effect"
import { PostgresDirectory } from "../../../../dist/adapters/shared/directory/postgres.js"

/** Prints a line of JSON. */
const tell = (told) => stdout.write(`${JSON.stringify(told)}\n`)

const program = Effect.gen(function* () {
  const directory = yield* PostgresDirectory.make(JSON.parse(argv[2] ?? ""))
  const host = { hostId: "frozen", epoch: 1, labels: { frozen: "yes" }, capacity: 4 }
  yield* directory.announce(host)
  const session = yield* directory.claim({ sessionId: "s", tenant: "t", labels: host.labels })
  yield* directory.confirm(session)
  const brief = { ...host, leaseMillis: 300, goneMillis: 600 }
  yield* directory.announce(brief)
  tell("running")
  const renewing = Effect.tap(directory.renew(host), () => Effect.sleep(50))
  const renewal = yield* Effect.flip(Effect.forever(renewing))
  const late = [directory.confirm(session), directory.end(session, "closed"), directory.announce(brief)]
  const refusals = yield* Effect.forEach(late, (words) => Effect.flip(words))
  const held = { upTo: session.fence, sessions: [session] }
  const next = yield* directory.announce({ ...host, epoch: 2, held })
  tell({ refusals: [renewal, ...refusals].map(({ reason }) => reason), over: next.over })
})

stdin.resume()
await Effect.runPromise(Effect.scoped(program))
