// @ts-check
// A fleet over a real PostgreSQL: its routers are killed and restarted, and a host is frozen past its lease. No line of
// a process may be lost or doubled. A session of a frozen host goes on, or has ended with its process and says so.
import { mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../../../.ci/setup.mjs"
import { sourced } from "../run/sourced.mjs"
import { randomOf, spread, stackOf, stress, within } from "./lib/command.mjs"
import * as Proc from "./lib/proc.mjs"
import { launch } from "./lib/servers.mjs"

/** A PostgreSQL as the tests start theirs, or why there is none. */
const startPostgres = async () => {
  /** @type {typeof import("../../../adapters/shared/directory/testing/PostgresServer.ts")} */
  const { lacking, PostgresServer } = await sourced("adapters/shared/directory/testing/PostgresServer.ts")
  return lacking ?? (await PostgresServer.start())
}

/** A client of ours, of the first of some routers that answers. */
const connect = async (/** @type {readonly string[]} */ url, /** @type {object} */ options = {}) => {
  const { connect } = await import("../../../dist/lib/adapters/node/index.js")
  return connect({ url }, { reconnect: { window: "10 minutes" }, ...options })
}

/** Waits until a client gets a session. */
const connectSoon = async (/** @type {readonly string[]} */ urls) => {
  for (let tries = 0; tries < 300; tries += 1) {
    const client = await connect(urls, { reconnect: false }).catch(() => undefined)
    if (client !== undefined) return client
    await sleep(200)
  }
  throw new Error(`no session at ${urls.join(", ")}`)
}

/** Prints twenty numbers ten times a second, as one process. */
const printer =
  "$| = 1; my $i = 0; for (;;) { print map { $i++ . qq(\\n) } 1..20; select undef, undef, undef, 0.1 }"
const fleetSize = 3

export const fleet = stress({
  says: "kills and restarts the routers of a fleet, and freezes a host",
  options: {
    seconds: { says: "how long routers are killed, and then a host is frozen", usual: 40 },
    floods: { says: "processes that print 200 lines a second", usual: 20 },
  },
  play: async ({ seconds, floods }, { row, fail, skip, over }) => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-stress-"))
    const postgres = await startPostgres()
    if (typeof postgres === "string") return skip(postgres)
    const log = openSync(join(folder, "fleet.log"), "a")
    const run = (/** @type {string[]} */ ...args) =>
      launch(
        [process.execPath, join(root, "dist/procwire.cjs"), ...args],
        { XDG_STATE_HOME: folder },
        { stderr: log },
      )
    const router = async (listen = "ws://127.0.0.1:0") => {
      const program = run("router", "--directory", postgres.url, "--listen", listen)
      return { ...program, url: await program.line() }
    }
    const routers = await Promise.all(Array.from({ length: fleetSize }, () => router()))
    const urls = routers.map(({ url }) => url)
    const joins = urls.map((url) => `--join=${url}`)
    const hosts = urls.map((_, at) => run("serve", ...joins, `--host-id=h${at}`, `--host-label=name=h${at}`))
    for (const at of hosts.keys())
      for (const url of urls) await (await connectSoon([`${url}/?label=name=h${at}`])).close()

    let [lines, killed, ending] = [0, 0, false]
    /** A process that counts, and a client that looks whether each number is the next one. */
    const flood = async (/** @type {number} */ at) => {
      const client = await connect([...urls.slice(at % fleetSize), ...urls.slice(0, at % fleetSize)])
      const child = await client.start({ argv: ["perl", "-e", printer] })
      let next = 0
      for await (const line of child.lines()) {
        if (line !== String(next)) fail(`flood ${at}: ${line} instead of ${next}`)
        next = Number(line) + 1
        lines += 1
        if (ending) break
      }
      if (!ending) fail(`flood ${at} has ended`)
      await client.close()
    }
    /** @type {number[]} */
    const times = []
    /** Clients that come new, and run a command. */
    const come = async () => {
      for (; !over(); await sleep(50)) {
        const began = performance.now()
        const client = await connect(urls)
        const { stdout } = await client.run({ argv: ["echo", String(began)] })
        if (stdout !== `${began}\n`) fail(`echo ${began} has printed ${stdout}`)
        await client.close()
        times.push(performance.now() - began)
      }
    }
    const clients = [come(), ...Array.from({ length: floods }, (_, at) => flood(at))]
    const done = clients.map((client) => client.catch((error) => fail(stackOf(error))))
    for (; !over(); killed += 1) {
      const at = killed % fleetSize
      await routers[at]?.end(killed % 3 === 2 ? "SIGTERM" : "SIGKILL")
      await sleep(500)
      routers[at] = await router(urls[at])
      // No other one dies before a session can begin over it: hosts come back to it.
      await (await connectSoon(urls.slice(at, at + 1))).close()
    }
    ending = true
    // Each prints once more, so that its last outage is over.
    await within(Promise.all(done), 120_000, "the next lines of all")
    row("routers killed or restarted", `${killed}, under ${lines} lines`)
    row("clients that came meanwhile (p50, p99, longest)", `${times.length}: ${spread(times)}`)
    if (killed === 0 || times.length === 0 || lines < floods * 100) fail("nothing was killed, or nothing ran")

    const random = randomOf(1)
    const labelled = urls.map((url) => `${url}/?label=name=h0`)
    /** When the host is lost, and gone, in milliseconds: as usual, or much sooner. */
    const setLease = (lease = 15_000, gone = 300_000) =>
      postgres.query(`update procwire_directory.host set lease_millis = ${lease}, gone_millis = ${gone}`)
    let [kept, lost] = [0, 0]
    const until = performance.now() + seconds * 1000
    for (let round = 0; round < 2 || performance.now() < until; round += 1) {
      const client = await connect(labelled)
      const child = await client.start({ argv: ["sh", "-c", "echo $$; exec cat"], pipeStdin: true })
      const said = child.lines()[Symbol.asyncIterator]()
      const pid = Number((await said.next()).value)
      const living = () => Proc.processes().filter((one) => one.pid === pid && one.state !== "Z")
      // The host confirms its sessions, each time that it renews its lease.
      await sleep(6000)
      hosts[0]?.child.kill("SIGSTOP")
      await setLease(1000, 3000)
      await sleep(round === 0 ? 6000 : 1000 + random.below(4000))
      if (round === 0) {
        const refusal = await connect(labelled, { reconnect: false }).catch((error) => error)
        if (!/no session was started|no host/.test(refusal.message)) fail(`a start on it: ${refusal.message}`)
      }
      hosts[0]?.child.kill("SIGCONT")
      await setLease()
      await (await connectSoon(labelled)).close()
      await child.write("still here\n").catch(() => {})
      const { value } = await said.next().catch(() => ({ value: undefined }))
      if (value === "still here" && living().length === 1) kept += 1
      else {
        lost += 1
        const told = String(await child.exitCode.catch((error) => error.message))
        if (!told.includes("has ended: host gone")) fail(`the client was told ${told}, after ${value}`)
        await Proc.vanish(living, fail, "the process of an ended session goes on")
      }
      await client.close()
    }
    row("sessions kept by a frozen host, and ended everywhere", `${kept}, ${lost}`)
    if (lost === 0) fail("the host was never gone")
    await postgres.remove()
    rmSync(folder, { recursive: true, force: true })
  },
})
