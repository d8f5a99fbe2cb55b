// @ts-check
// Routers, hosts and floods of `proof:fleet`, as programs.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { root } from "../../../../.ci/setup.mjs"

/** @typedef {Awaited<ReturnType<typeof start>>} Fleet */

const connect = async (/** @type {readonly string[]} */ url, /** @type {object} */ options = {}) => {
  const { connect } = await import("../../../../dist/lib/adapters/node/index.js")
  return connect({ url }, options)
}

/** @param {{ directory: string, folder: string, routers: number, hosts: number }} options */
export const start = async ({ directory, folder, routers: count, hosts }) => {
  /** @type {Set<import("node:child_process").ChildProcess>} */
  const running = new Set()
  const run = (/** @type {string[]} */ ...args) => {
    const child = spawn(process.execPath, [`${root}dist/procwire.mjs`, ...args], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, XDG_STATE_HOME: folder },
    })
    running.add(child)
    child.once("exit", () => running.delete(child))
    return child
  }
  const kill = async (/** @type {import("node:child_process").ChildProcess} */ child) => {
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  }
  const listening = async (/** @type {import("node:child_process").ChildProcess} */ child) => {
    if (child.stdout === null) throw new Error("there is no stdout")
    const [url] = await once(createInterface(child.stdout), "line")
    return { child, url: String(url) }
  }
  const router = (listen = "ws://127.0.0.1:0") =>
    listening(run("router", "--directory", directory, "--listen", listen))
  const routers = await Promise.all(Array.from({ length: count }, () => router()))
  const joins = routers.map(({ url }) => `--join=${url}`)
  for (let at = 1; at < hosts; at++) run("serve", ...joins, `--host-id=h${at}`)
  const direct = await listening(
    run("serve", "--listen=ws://127.0.0.1:0", ...joins, "--host-id=h0", "--host-label=direct=yes"),
  )
  for (const { url } of routers)
    for (;;) {
      const health = /** @type {{ hosts: number, tunnels: number }} */ (
        await (await fetch(`${url.replace("ws:", "http:")}/healthz`)).json()
      )
      if (health.hosts === hosts && health.tunnels === hosts) break
      await new Promise((resume) => setTimeout(resume, 50))
    }
  return {
    urls: routers.map(({ url }) => url),
    direct: direct.url,
    /** Another one begins in its place. */
    killRouter: async (/** @type {number} */ at) => {
      const victim = routers[at]
      if (victim === undefined) return
      await kill(victim.child)
      routers[at] = await router(victim.url)
    },
    end: () => Promise.all([...running].map(kill)),
  }
}

/** An echo, and output that nobody waits for: of one host, directly and by a router. */
export const cost = async (/** @type {Fleet} */ { urls, direct }) => {
  const measured = async (/** @type {string} */ url) => {
    const client = await connect([url])
    const cat = await client.start({ argv: ["cat"], pipeStdin: true })
    const lines = cat.lines()[Symbol.asyncIterator]()
    const echoes = 500
    let began = 0
    for (let echo = -50; echo < echoes; echo++) {
      if (echo === 0) began = performance.now()
      await cat.write("x\n")
      await lines.next()
    }
    const echo = (performance.now() - began) / echoes
    const bytes = 200_000_000
    const since = performance.now()
    const flood = await client.start({ argv: ["head", "-c", String(bytes), "/dev/zero"] })
    let got = 0
    for await (const chunk of flood.output()) got += chunk.length
    const rate = got / 1_000_000 / ((performance.now() - since) / 1000)
    await client.close()
    return { echo, rate }
  }
  return { direct: await measured(direct), routed: await measured(`${urls[0]}/?label=direct=yes`) }
}

/** Processes that count, until they are told to end; what is not the next number is wrong. */
export const flood = async (/** @type {Fleet} */ { urls }, /** @type {number} */ count) => {
  let lines = 0
  let ending = false
  /** @type {string[]} */
  const wrong = []
  /** @type {number[]} */
  const outages = []
  const script = "i=0; while :; do seq $((i * 20)) $((i * 20 + 19)); sleep 0.1; i=$((i + 1)); done"
  const one = async (/** @type {number} */ at) => {
    let since = 0
    const onStatus = (/** @type {{ kind: string }} */ { kind }) => {
      if (kind === "reconnecting") since = performance.now()
      if (kind === "connected") outages.push(performance.now() - since)
    }
    const turned = [...urls.slice(at % urls.length), ...urls.slice(0, at % urls.length)]
    const client = await connect(turned, { onStatus, reconnect: { window: "2 minutes" } })
    const child = await client.start({ argv: ["sh", "-c", script] })
    const reading = (async () => {
      let next = 0
      for await (const line of child.lines()) {
        if (line !== String(next)) wrong.push(`flood ${at}: ${line} instead of ${next}`)
        next = Number(line) + 1
        lines += 1
        if (ending) break
      }
      if (!ending) wrong.push(`flood ${at} has ended`)
      await client.close()
    })().catch((error) => void wrong.push(`flood ${at}: ${error}`))
    return reading
  }
  /** @type {Promise<unknown>[]} */
  const all = []
  for (let at = 0; at < count; at++) all.push(one(at).catch((error) => void wrong.push(String(error))))
  return {
    lines: () => lines,
    end: async () => {
      ending = true
      await Promise.all(all)
      return { lines, wrong, outages }
    },
  }
}
