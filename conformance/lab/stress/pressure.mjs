// @ts-check
// Back-pressure from the socket to the child's pipe, on every transport and runtime. While the client does not read, a
// child that counts what it has written must block; when it reads again, every byte must come.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { each, mebibytes, stackOf, stress, within } from "./lib/command.mjs"
import * as Members from "./lib/members.mjs"
import { runtimeNames, serve, transportNames } from "./lib/servers.mjs"

const transports = [...transportNames, "wss", "tls"]

export const pressure = stress({
  says: "stops reading on every transport and runtime: children must block, and nothing may be lost",
  options: {
    runtimes: { says: `of ${runtimeNames}`, standard: `${runtimeNames}`, choices: runtimeNames },
    transports: { says: `of ${transports}`, standard: `${transports}`, choices: transports },
    mebibytes: { says: "what each child writes in all", standard: 32 },
  },
  play: async (options, { row, fail }) => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-stress-"))
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    const how = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    execFileSync("openssl", ["req", ...how.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" })
    const blocks = Math.ceil((options.mebibytes * 2 ** 20) / Members.block)
    const size = blocks * Members.block

    /** The bytes that the child says it has written, once that has not changed for a second. */
    const heldAt = async (/** @type {string} */ counter) => {
      for (let [before, still] = [0, 0]; ;) {
        await sleep(100)
        const now = existsSync(counter) ? Number(readFileSync(counter, "utf8")) * Members.block : 0
        still = now === before && now > 0 ? still + 1 : 0
        before = now
        if (still >= 10) return now
      }
    }

    const [runtimes, kinds] = [options.runtimes.split(","), options.transports.split(",")]
    const table = runtimes.flatMap((runtime) =>
      kinds.flatMap((kind) => [
        [runtime, kind],
        [runtime, kind, "PTY"],
      ]),
    )
    await each(table, 2, async ([runtime = "", transport = "", tty = ""]) => {
      const tls = /^(wss|tls)$/.test(transport)
      // A server on Deno does not listen with TLS.
      if (tls && runtime === "deno") return
      const name = `${runtime} ${transport} ${tty || "pipe"}`
      const args = tls ? ["--tls-cert", cert, "--tls-key", key] : []
      const server = await serve({ runtime, transport, args })
      try {
        const member = await Members.connect(server)
        const counter = join(folder, name.replaceAll(" ", "-"))
        const counted = await member.flood("p", blocks, { counter, tty: tty !== "" })
        member.wire.pause()
        const held = await within(heldAt(counter), 60_000, "the count to stand still")
        const unread = held - counted.bytes
        member.wire.resume()
        await within(counted.ended, 120_000, "the rest")
        row(name, `blocked at ${mebibytes(held)}, all ${mebibytes(counted.bytes)} came`)
        if (unread > 12 * 2 ** 20) fail(`${name}: blocked only after ${mebibytes(unread)}`)
        if (held >= size) fail(`${name}: never blocked`)
        if (counted.bytes !== size || counted.wrong !== undefined)
          fail(`${name}: ${counted.bytes} bytes of ${size} came, the first wrong one is ${counted.wrong}`)
      } catch (error) {
        fail(`${name}: ${stackOf(error)}`)
      }
      server.child.stdin.end()
      await server.stop()
    })
    rmSync(folder, { recursive: true })
  },
})
