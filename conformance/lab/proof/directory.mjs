// @ts-check
// `npm run proof:directory`: many races of two claimers for the last place of a quota, on a PostgreSQL of its own.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { root } from "../../../.ci/setup.mjs"
import { finish, flags } from "./lib/command.mjs"
import * as Postgres from "./lib/postgres.mjs"
import { ready } from "./lib/servers.mjs"

const options = flags(
  "proof:directory",
  "Races for the last place of a quota: one claim is granted each time.",
  {
    races: { says: "how many races", standard: 10_000 },
    quota: { says: "the quota of each tenant, whose last place is raced for", standard: 3 },
    atOnce: { says: "how many races at a time", standard: 8 },
  },
)

ready()
const folder = mkdtempSync(join(tmpdir(), "procwire-proof-"))
/** @type {typeof import("../../../adapters/shared/directory/postgres.ts")} */
const { PostgresDirectory } = await import(join(root, "dist/adapters/shared/directory/postgres.js"))

/** @typedef {import("../../../core/directory/Directory.ts").DirectoryService} DirectoryService */

/**
 * One race: all places but one are taken, and two claim the last one. How many were granted, and what the tenant has.
 * @param {readonly DirectoryService[]} routers
 * @param {string} tenant
 */
const race = (routers, tenant) =>
  Effect.gen(function* () {
    const [first] = routers
    if (first === undefined) return yield* Effect.die("no router")
    const { quota } = options
    for (let i = 1; i < quota; i++) yield* first.claim({ sessionId: `${tenant}.${i}`, tenant, quota })
    const claims = routers.map((each, by) => each.claim({ sessionId: `${tenant}.last${by}`, tenant, quota }))
    const got = yield* Effect.all(claims.map(Effect.either), { concurrency: "unbounded" })
    const { sessions } = yield* first.list({ tenant })
    const others = got.flatMap((each) => (each._tag === "Left" ? [each.left.reason] : []))
    return { has: sessions.length, others }
  })

const program = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => Postgres.start(folder)),
    (server) => Effect.promise(() => server.remove()),
  )
  const patience = { leaseMillis: 86_400_000, goneMillis: 86_400_000, claimMillis: 86_400_000 }
  const make = PostgresDirectory.make({ url: server.url, connections: options.atOnce, ...patience })
  const routers = [yield* make, yield* make]
  const host = { epoch: 1, labels: {}, capacity: 1_000_000 }
  for (const hostId of ["a", "b", "c"]) yield* routers[0]?.announce({ ...host, hostId }) ?? Effect.void
  const began = performance.now()
  const races = Array.from({ length: options.races }, (_, index) => race(routers, `t${index}`))
  const ended = yield* Effect.all(races, { concurrency: options.atOnce })
  return { ended, millis: performance.now() - began }
})

const { ended, millis } = await Effect.runPromise(Effect.scoped(program))
rmSync(folder, { recursive: true, force: true })
const above = ended.filter(({ has }) => has > options.quota).length
const below = ended.filter(({ has }) => has < options.quota).length
const other = ended.flatMap(({ others }) => others).filter((reason) => reason !== "QuotaExceeded")
const decisions = options.races * (options.quota + 1)
finish(
  "races for the last place of a quota",
  [
    ["races", String(options.races)],
    ["above the quota", String(above)],
    ["below the quota", String(below)],
    ["decisions a second", (decisions / (millis / 1000)).toFixed(0)],
  ],
  above + below + other.length === 0
    ? []
    : [`${above} above, ${below} below, other refusals: ${other.slice(0, 5)}`],
)
