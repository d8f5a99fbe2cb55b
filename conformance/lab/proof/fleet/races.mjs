// @ts-check
// Proof 5: many races of two routers for the last place of a quota, each for that of another tenant.
import { createHmac, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { WebSocket } from "real-ws"
import { progress } from "../lib/command.mjs"
import * as Directory from "../lib/directory.mjs"
import * as Fleet from "../lib/fleet.mjs"

/** @import { Proof } from "../fleet.mjs" */

/** The quota of each tenant: the place that is raced for is its last one. */
const quota = 1
/** How many races run at a time; the directory is looked at behind each crowd of them. */
const [atOnce, crowd] = [16, 250]

/** Tokens of tenants, and the files with what makes them. */
const doors = (/** @type {string} */ folder) => {
  const secret = randomBytes(32).toString("hex")
  const files = { secret: join(folder, "jwt.secret"), hosts: join(folder, "hosts.token") }
  writeFileSync(files.secret, secret)
  writeFileSync(files.hosts, randomBytes(32).toString("hex"))
  const part = (/** @type {object} */ json) => Buffer.from(JSON.stringify(json)).toString("base64url")
  const head = part({ alg: "HS256", typ: "JWT" })
  const headers = (/** @type {string} */ tenant) => {
    const said = `${head}.${part({ tenant, exp: Math.floor(Date.now() / 1000) + 3_600 })}`
    return {
      authorization: `Bearer ${said}.${createHmac("sha256", secret).update(said).digest("base64url")}`,
    }
  }
  const auth = ["--ws-auth=signed-bearer-token", `--ws-shared-secret-file=${files.secret}`]
  return {
    headers,
    beside: {
      router: [...auth, `--host-token-file=${files.hosts}`, `--quota=${quota}`],
      // Who has left gives the place back.
      host: [`--join-token-file=${files.hosts}`, "--detached-ttl-ms=1"],
      headers: headers("nobody"),
    },
  }
}

/** A client that has come to a router, and asks for its session when it is told to. */
const come = async (/** @type {string} */ url, /** @type {Record<string, string>} */ headers) => {
  const socket = new WebSocket(url, { headers })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  /** Why it gets none; undefined if it has one. @returns {Promise<string | undefined>} */
  const begin = () =>
    new Promise((resolve, reject) => {
      socket.once("message", (data) => resolve(JSON.parse(String(data)).error?.message))
      socket.once("close", () => reject(new Error("the router has hung up")))
      socket.send(JSON.stringify({ id: 1, method: "initialize", params: { clientName: "proof" } }))
    })
  return { begin, leave: () => socket.terminate() }
}

/** @type {Proof} */
export const races = async ({ directory, folder, options }) => {
  const { headers, beside } = doors(folder)
  const fleet = await Fleet.start({ directory, folder, routers: 2, hosts: 2, beside })
  const seen = await Directory.open(directory)
  /** @type {string[]} */
  const failures = []
  const won = [0, 0]
  /** Two ask for a place at the same moment, each by another router. */
  const race = async (/** @type {string} */ tenant) => {
    const clients = await Promise.all(fleet.urls().map((url) => come(url, headers(tenant))))
    const answers = await Promise.all(clients.map(({ begin }) => begin()))
    for (const [at, answer] of answers.entries())
      if (answer === undefined) won[at] = (won[at] ?? 0) + 1
      else if (!answer.includes("quota")) failures.push(`${tenant}: ${answer}`)
    const granted = answers.filter((answer) => answer === undefined).length
    if (granted !== 1) failures.push(`${tenant}: ${granted} have got the last place`)
    return clients
  }
  const began = performance.now()
  for (let done = 0; done < options.races; done += crowd) {
    const last = Math.min(options.races, done + crowd)
    /** @type {Awaited<ReturnType<typeof come>>[]} */
    const clients = []
    let next = done
    const run = async () => {
      while (next < last) clients.push(...(await race(`t${next++}`)))
    }
    await Promise.all(Array.from({ length: atOnce }, run))
    /** @type {Map<string, number>} */
    const has = new Map()
    for (const { tenant } of (await seen.list()).sessions) has.set(tenant, (has.get(tenant) ?? 0) + 1)
    for (const [tenant, sessions] of has)
      if (sessions > quota) failures.push(`${tenant} has ${sessions} sessions`)
    for (const { leave } of clients) leave()
    await Fleet.until("all places are free", async () => (await seen.list()).sessions.length === 0)
    if ((done / crowd) % 4 === 3) progress(`${last} races, ${failures.length} failures`)
  }
  const seconds = (performance.now() - began) / 1000
  await seen.close()
  return {
    rows: [
      ["races", `${options.races}, ${(options.races / seconds).toFixed(0)} a second`],
      ["won by the one router, and by the other", won.join(", ")],
      ["tenants above their quota, or with a free place", String(failures.length)],
    ],
    failures: failures.slice(0, 10),
  }
}
