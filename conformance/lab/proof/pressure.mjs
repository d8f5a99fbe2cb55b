// @ts-check
// `npm run proof:pressure`: back-pressure from the socket to the child's pipe, on every transport and runtime. While
// the client does not read, a child that counts what it has written must block; when it reads again, every byte must
// come.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { finish, flags, mebibytes, progress, stackOf, within } from "./lib/command.mjs"
import * as Crowds from "./lib/crowds.mjs"
import { ready, runtimeNames, serve, transportNames } from "./lib/servers.mjs"

/** A case of this proof: whether the child has a terminal, and where. @typedef {{ runtime: string, transport: string, tty: boolean }} Case */
/** @import { Row } from "./lib/command.mjs" */

/** A server on Deno does not listen with TLS. @param {string} runtime */
const served = (runtime) => [...transportNames, ...(runtime === "deno" ? [] : ["wss", "tls"])]

const transports = [...transportNames, "wss", "tls"]
const options = flags(
  "proof:pressure",
  "A client stops reading: its child must block, on pipes and PTYs, and nothing may be lost.",
  {
    runtimes: {
      says: `of ${runtimeNames.join(", ")}`,
      standard: runtimeNames.join(","),
      choices: runtimeNames,
    },
    transports: { says: `of ${transports.join(", ")}`, standard: transports.join(","), choices: transports },
    mebibytes: { says: "what each child writes in all", standard: 64 },
    "bound-mebibytes": { says: "the most that it may write while nobody reads", standard: 24 },
    parallel: { says: "rows at the same time", standard: 2 },
  },
)

ready()
const folder = mkdtempSync(join(tmpdir(), "procwire-pressure-"))
const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]
execFileSync("openssl", ["req", "-x509", ...newKey, "-out", cert, ...subject], { stdio: "ignore" })

/** @param {string} runtime @returns {Case[]} */
const rowsOf = (runtime) =>
  options.transports
    .split(",")
    .filter((transport) => served(runtime).includes(transport))
    .flatMap((transport) => [false, true].map((tty) => ({ runtime, transport, tty })))

/** @param {Case} one */
const nameOf = ({ runtime, transport, tty }) => `${runtime} ${transport} ${tty ? "PTY" : "pipe"}`

const blocks = Math.ceil((options.mebibytes * 2 ** 20) / Crowds.block)

/** The bytes that the child says it has written. @param {string} counter */
const written = (counter) => {
  try {
    return Number(readFileSync(counter, "utf8")) * Crowds.block
  } catch {
    return 0
  }
}

/** The count once it has not changed for a second. @param {string} counter */
const heldAt = async (counter) => {
  for (let [before, still] = [-1, 0]; ;) {
    await sleep(100)
    const now = written(counter)
    still = now === before && now > 0 ? still + 1 : 0
    before = now
    if (still >= 10) return now
  }
}

/** @param {Case} one @returns {Promise<{ row: Row, wrong: string[] }>} */
const play = async (one) => {
  const tls = one.transport === "wss" || one.transport === "tls"
  const args = tls ? ["--tls-cert", cert, "--tls-key", key] : []
  const server = await serve({ ...one, args })
  try {
    const member = await Crowds.member(server, tls ? { ca: readFileSync(cert) } : {})
    const counter = join(folder, nameOf(one).replaceAll(" ", "-"))
    const counted = await member.flood("p", { blocks, counter, tty: one.tty })
    member.wire.pause()
    const held = await within(heldAt(counter), 60_000, "the count to stand still")
    const received = counted.bytes
    member.wire.resume()
    await within(counted.ended, 120_000, "the rest")
    const size = blocks * Crowds.block
    const wrong = []
    if (held - received > options["bound-mebibytes"] * 2 ** 20)
      wrong.push(`blocked only after ${mebibytes(held - received)}`)
    if (held >= size) wrong.push("never blocked")
    if (counted.bytes !== size) wrong.push(`${counted.bytes} bytes of ${size} came`)
    if (counted.wrong !== undefined) wrong.push(`another byte came: ${counted.wrong}`)
    return {
      row: [nameOf(one), `blocked at ${mebibytes(held)}, all ${mebibytes(counted.bytes)} came`],
      wrong,
    }
  } catch (error) {
    return { row: [nameOf(one), "failed"], wrong: [stackOf(error)] }
  } finally {
    server.child.stdin.end()
    await server.stop()
  }
}

const table = options.runtimes.split(",").flatMap(rowsOf)
const results = await Crowds.each(table, options.parallel, async (one) => {
  const result = await play(one)
  progress(`${result.row.join(": ")} ${result.wrong.join(", ")}`)
  return result
})
rmSync(folder, { recursive: true })
finish(
  `back-pressure, ${options.mebibytes} MiB for each row`,
  results.map(({ row }) => row),
  results.flatMap(({ row, wrong }) => wrong.map((text) => `${row[0]}: ${text}`)),
)
