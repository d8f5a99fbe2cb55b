// @ts-check
// Routers and hosts of `proof:fleet`, as programs, and clients that use them.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../../../../.ci/setup.mjs"

/** @import { ChildProcess } from "node:child_process" */

/**
 * What `/healthz` of a router says.
 * @typedef {{ hosts: number, tunnels: number, sessions: number }} Health
 *
 * @typedef {{ child: ChildProcess, url: string }} Program
 * @typedef {Awaited<ReturnType<typeof start>>} Fleet
 * @typedef {import("../../../../dist/lib/adapters/node/index.js").Client} Client
 */

/** A client of ours. @returns {Promise<Client>} */
export const connect = async (/** @type {readonly string[]} */ url, /** @type {object} */ options = {}) => {
  const { connect } = await import("../../../../dist/lib/adapters/node/index.js")
  return connect({ url }, { reconnect: { window: "3 minutes" }, ...options })
}

/** Asks until it holds, every so many milliseconds. */
export const until = async (
  /** @type {string} */ what,
  /** @type {() => unknown} */ holds,
  /** @type {number} */ millis = 120_000,
  /** @type {number} */ every = 50,
) => {
  const deadline = performance.now() + millis
  for (;;) {
    const answer = await Promise.resolve()
      .then(holds)
      .catch(() => false)
    if (answer) return
    if (performance.now() > deadline) throw new Error(`not within ${millis} ms: ${what}`)
    await sleep(every)
  }
}

/** @returns {Promise<Health>} */
export const healthOf = async (
  /** @type {string} */ url,
  /** @type {Record<string, string>} */ headers = {},
) => {
  const answer = await fetch(`${url.replace("ws:", "http:")}/healthz`, { headers })
  return /** @type {Health} */ (await answer.json())
}

export const kill = async (
  /** @type {ChildProcess} */ child,
  /** @type {NodeJS.Signals} */ signal = "SIGKILL",
) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill(signal)
  await gone
}

/** What has been started, and ends with this program. @type {Set<ChildProcess>} */
const running = new Set()
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")))
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1))

/** Ends every router and host. */
export const end = async () => {
  await Promise.all([...running].map((child) => kill(child)))
}

/**
 * What is said beside the usual: to routers, to hosts, and by who asks routers for their health.
 * @typedef {{ router?: string[], host?: string[], headers?: Record<string, string> }} Beside
 *
 * Starts routers, and hosts `h0`, `h1`, … that join all of them; each has the label `name`.
 * @param {{ directory: string, folder: string, routers: number, hosts: number, beside?: Beside }} options
 */
export const start = async ({ directory, folder, routers: count, hosts, beside = {} }) => {
  const log = join(folder, "fleet.log")
  const run = (/** @type {string[]} */ ...args) => {
    const child = spawn(process.execPath, [join(root, "dist/procwire.mjs"), ...args], {
      stdio: ["ignore", "pipe", openSync(log, "a")],
      env: { ...process.env, XDG_STATE_HOME: folder },
    })
    running.add(child)
    child.once("exit", () => running.delete(child))
    return child
  }
  /** @returns {Promise<Program>} */
  const listening = async (/** @type {ChildProcess} */ child) => {
    if (child.stdout === null) throw new Error("there is no stdout")
    const [url] = await once(createInterface(child.stdout), "line")
    return { child, url: String(url) }
  }
  const router = (listen = "ws://127.0.0.1:0", /** @type {string[]} */ ...args) =>
    listening(run("router", "--directory", directory, "--listen", listen, ...(beside.router ?? []), ...args))
  const routers = await Promise.all(Array.from({ length: count }, () => router()))
  const joins = () => routers.map(({ url }) => `--join=${url}`)
  const host = (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    run(
      "serve",
      ...joins(),
      `--host-id=${name}`,
      `--host-label=name=${name}`,
      ...(beside.host ?? []),
      ...args,
    )
  for (let at = 1; at < hosts; at++) host(`h${at}`)
  // The first one listens, too, for what is compared with it.
  const direct = hosts > 0 ? await listening(host("h0", "--listen=ws://127.0.0.1:0")) : undefined
  const complete = async (/** @type {string} */ url, expected = hosts) => {
    const { hosts: up, tunnels } = await healthOf(url, beside.headers)
    return up >= expected && tunnels >= expected
  }
  const all = (expected = hosts) =>
    until(`${expected} hosts at every router`, async () =>
      (await Promise.all(routers.map(({ url }) => complete(url, expected)))).every(Boolean),
    )
  await all()
  return {
    routers,
    router,
    host,
    complete,
    all,
    /** Where a host listens itself. */
    direct: direct?.url ?? "",
    hostProcess: direct?.child,
    urls: () => routers.map(({ url }) => url),
    /** Every line that they have logged. */
    logged: () => readFileSync(log, "utf8"),
    /** Ends a router; another one begins in its place after a while, which `begun` waits for. */
    replace: async (
      /** @type {number} */ at,
      /** @type {NodeJS.Signals} */ signal = "SIGKILL",
      /** @type {number} */ afterMs = 0,
    ) => {
      const victim = routers[at]
      if (victim === undefined) throw new Error(`there is no router ${at}`)
      await kill(victim.child, signal)
      const begin = async () => {
        await sleep(afterMs)
        routers[at] = await router(victim.url)
      }
      return { begun: begin() }
    },
  }
}

/** Tells how long a part of some durations took at most. */
export const quantile = (/** @type {readonly number[]} */ millis, /** @type {number} */ part) => {
  const sorted = [...millis].sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}

/** @returns {string} */
export const spread = (/** @type {readonly number[]} */ millis) =>
  [0.5, 0.99, 1].map((part) => `${quantile(millis, part).toFixed(0)} ms`).join(", ")
