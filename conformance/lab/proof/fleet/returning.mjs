// @ts-check
// Proof 7: a crowd of hosts is lost, because all routers are away, and comes back at once. The tunnels and what goes
// over them are those of `procwire serve --join`; the hosts have no servers.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { root } from "../../../../.ci/setup.mjs"
import { progress } from "../lib/command.mjs"
import * as Directory from "../lib/directory.mjs"
import * as Fleet from "../lib/fleet.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** Begins hosts without a server; interrupting ends them. */
const begin = async (/** @type {number} */ count, /** @type {readonly string[]} */ urls) => {
  const from = (/** @type {string} */ path) => import(join(root, "dist", path))
  /** @type {typeof import("../../../../core/fleet/HostLink.ts")} */
  const HostLink = await from("core/fleet/HostLink.js")
  /** @type {typeof import("../../../../adapters/shared/fleet/FleetUrl.ts")} */
  const FleetUrl = await from("adapters/shared/fleet/FleetUrl.js")
  /** @type {typeof import("../../../../adapters/shared/transport/LazyWebSockets.ts")} */
  const WebSockets = await from("adapters/shared/transport/LazyWebSockets.js")
  const one = (/** @type {number} */ at) => {
    let epoch = 0
    const doors = urls.map((url) => ({
      name: url,
      tunnel: WebSockets.connect(FleetUrl.of(url, "host"), { plain: true }),
      dial: (/** @type {string} */ connection) =>
        WebSockets.connect(FleetUrl.of(url, "dial", { connection }), { plain: true }),
    }))
    const nextEpoch = (/** @type {number} */ above) => Effect.sync(() => (epoch = Math.max(above, epoch) + 1))
    const host = { hostId: `s${at}`, labels: {}, capacity: 10, nextEpoch, doors }
    return HostLink.run(host, () => Effect.never)
  }
  const all = Array.from({ length: count }, (_, at) => one(at))
  return Effect.runFork(
    Effect.all(all, { concurrency: "unbounded", discard: true }).pipe(
      Logger.withMinimumLogLevel(LogLevel.None),
    ),
  )
}

/** @type {Proof} */
export const returning = async ({ directory, folder, options }) => {
  const { crowd } = options
  const fleet = await Fleet.start({ directory, folder, routers: 2, hosts: 0 })
  const seen = await Directory.open(directory)
  const up = async () => (await seen.list()).hosts.filter(({ state }) => state === "up").length
  const isBack = async () =>
    (await Promise.all(fleet.urls().map((url) => fleet.complete(url, crowd)))).every(Boolean) &&
    (await up()) === crowd

  /** How long it takes until all are there, and the most statements in a second meanwhile. */
  const measure = async () => {
    const began = performance.now()
    let [most, at, before] = [0, began, await seen.statements()]
    await Fleet.until(
      `${crowd} hosts are there`,
      async () => {
        const now = performance.now()
        if (now - at >= 1_000) {
          const statements = await seen.statements()
          most = Math.max(most, ((statements - before) / (now - at)) * 1_000)
          at = now
          before = statements
        }
        return isBack()
      },
      120_000,
      250,
    )
    return { millis: performance.now() - began, most }
  }
  const hosts = await begin(crowd, fleet.urls())
  const first = await measure()
  progress(`${crowd} hosts have come within ${(first.millis / 1000).toFixed(1)} s`)
  const routers = [...fleet.routers]
  await Promise.all(routers.map(({ child }) => Fleet.kill(child)))
  await Fleet.until("all hosts are lost", async () => (await up()) === 0, 120_000, 1_000)
  progress("all hosts are lost")
  fleet.routers.splice(0, routers.length, ...(await Promise.all(routers.map(({ url }) => fleet.router(url)))))
  const again = await measure()
  const [since, before] = [performance.now(), await seen.statements()]
  await new Promise((resume) => setTimeout(resume, 10_000))
  const steady = ((await seen.statements()) - before) / ((performance.now() - since) / 1000)
  await Effect.runPromise(Fiber.interrupt(hosts))
  await seen.close()
  const told = (/** @type {typeof again} */ { millis, most }) =>
    `${(millis / 1000).toFixed(1)} s, at most ${most.toFixed(0)} statements a second`
  return {
    rows: [
      ["hosts, each with a tunnel to both routers", String(crowd)],
      ["all there when they come first", told(first)],
      ["all back behind an absence of all routers", told(again)],
      ["statements a second when nothing happens", steady.toFixed(0)],
    ],
    failures: again.millis < 30_000 ? [] : [`they are back after ${(again.millis / 1000).toFixed(1)} s`],
  }
}
