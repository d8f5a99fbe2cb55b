// @ts-check
// The proxy of egress rules. Its parser gets messages of HTTP and SOCKS5, cut at every byte, mutated, in pieces, mixed
// and random: nothing may crash or stay open, no name may be resolved and no address dialled that was not judged. Then
// a thousand connections go through one: its memory must stay flat, and an echo takes little longer than without it.
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { spawn } from "node:child_process"
import { mebibytes, quantile, randomOf, stress, within } from "./lib/command.mjs"
import * as Proc from "./lib/proc.mjs"
import { allowing, onDial } from "./lib/proxies.mjs"

/** @typedef {(most: number) => number} Random a whole number below `most` */

const hidden = "10.0.0.1"

/** A server on loopback, and its port. @param {(socket: net.Socket) => void} serve */
const listening = async (serve) => {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on("error", () => {})
    serve(socket)
  })
  server.listen(0, "127.0.0.1", 4096)
  await once(server, "listening")
  return { server, port: /** @type {net.AddressInfo} */ (server.address()).port }
}

/** @param {string} name @param {number} port */
const socks = (name, port) =>
  `\x05\x01\x00\x05\x01\x00\x03${String.fromCharCode(name.length)}${name}${String.fromCharCode(port >> 8, port & 255)}`

/** Messages that are right, some of which are denied. @param {number} open @param {number} shut */
const messages = (open, shut) => {
  const hosts = ["allowed.test", "127.0.0.1", "rebind.test", "denied.test", "[::1]", "0x7f.1"]
  return [open, shut].flatMap((port) =>
    hosts.flatMap((host) => {
      const at = `${host}:${port}`
      return [
        `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\n\r\nhello`,
        `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\n\r\n\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03`,
        `GET http://${at}/a HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`,
        `POST http://${at}/b HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 5\r\n\r\nhello`,
        `POST http://${at}/c HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
        `GET ws://${at}/ HTTP/1.1\r\nHost: ${at}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
        `${socks(host, port)}hello`,
        `\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01${String.fromCharCode(port >> 8, port & 255)}hello`,
        `\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01${String.fromCharCode(port >> 8, port & 255)}`,
        `\x04\x01${String.fromCharCode(port >> 8, port & 255)}\x7f\x00\x00\x01\x00`,
      ]
    }),
  )
}

/** Something else in place of some bytes. @param {string} text @param {Random} below */
const mutate = (text, below) => {
  const at = below(text.length + 1)
  const byte = String.fromCharCode(below(256))
  const odd = ["\0", "\r\n", "\r\n\r\n", " ", ":", "@", "[", "%2e", "\xff\xff", ".", "/", "#", "443"]
  const piece = odd[below(odd.length)] ?? ""
  switch (below(6)) {
    case 0:
      return text.slice(0, at) + byte + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + piece + text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + below(8))
    case 3:
      return text.slice(0, at) + text.slice(below(text.length + 1))
    case 4:
      return text.slice(0, at) + "a".repeat(below(20_000)) + text.slice(at)
    default:
      return text.slice(0, at) + text.slice(at).toUpperCase()
  }
}

/** The messages in turn: cut at every byte first, then seeded ones without end. @param {Random} below */
const made = function* (/** @type {readonly string[]} */ right, below) {
  for (const text of right) for (let cut = 0; cut <= text.length; cut += 1) yield text.slice(0, cut)
  const one = () => right[below(right.length)] ?? ""
  for (;;) {
    yield one() + one()
    yield String.fromCharCode(...Array.from({ length: below(200) }, () => below(256)))
    let text = one()
    for (let left = 1 + below(4); left > 0; left -= 1) text = mutate(text, below)
    yield text
    yield mutate(one(), below)
  }
}

/** @param {{ messages: number, seed: number }} options @param {import("./lib/command.mjs").Telling} telling */
const fuzz = async ({ messages: count, seed }, { row, fail, failed }) => {
  const { below } = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), "procwire-stress-"))
  let [strays, reached] = [0, 0]
  const open = await listening((socket) => {
    reached += 1
    socket.once("data", () =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
    )
    socket.on("end", () => socket.end()).resume()
  })
  const shut = await listening((socket) => {
    strays += 1
    socket.destroy()
  })
  /** Addresses that may be dialled, and how often. @type {Map<string, number>} */
  const judged = new Map()
  /** Names that may be resolved, and how often. @type {Map<string, number>} */
  const decided = new Map()
  const take = (/** @type {Map<string, number>} */ from, /** @type {string} */ key) => {
    const left = from.get(key) ?? 0
    from.set(key, left - 1)
    return left > 0
  }
  const add = (/** @type {Map<string, number>} */ to, /** @type {string} */ key) =>
    to.set(key, (to.get(key) ?? 0) + 1)
  let dials = 0
  onDial((target) => {
    dials += 1
    if (!take(judged, target)) fail(`${target} was dialled and not judged`)
  })
  const counts = { allowed: 0, denied: 0 }
  const lookup = async (/** @type {string} */ name) => {
    if (!take(decided, name)) fail(`${name} was resolved and not allowed`)
    return name === "rebind.test" ? [hidden] : ["127.0.0.1"]
  }
  const rules = [`allow:allowed.test:${open.port}`, `allow:127.0.0.1:${open.port}`, "allow:rebind.test"]
  const { proxy } = await allowing(rules, { lookup, headMillis: 100 }, (gate) => ({
    decide: async (attempt) => {
      const decision = await gate.decide(attempt)
      if (decision.allowed) add(decided, attempt.host)
      return decision
    },
    mayDial: (attempt, address, decision) => {
      const judgement = gate.mayDial(attempt, address, decision)
      if (judgement.allowed) add(judged, `${address} ${attempt.port}`)
      return judgement
    },
    told: (_, { allowed }) => void (counts[allowed ? "allowed" : "denied"] += 1),
  }))
  const path = join(folder, "proxy")
  const server = net.createServer({ allowHalfOpen: true }, proxy.accept).listen(path)
  await once(server, "listening")

  const source = made(messages(open.port, shut.port), below)
  const play = async (/** @type {string} */ text) => {
    const socket = net.connect({ path })
    socket.on("error", () => {}).resume()
    const closed = new Promise((resolve) => socket.once("close", resolve))
    const bytes = Buffer.from(text, "latin1")
    for (let at = 0, pieces = below(3); at < bytes.length; pieces -= 1) {
      const end = pieces > 0 ? at + 1 + below(bytes.length - at) : bytes.length
      socket.write(bytes.subarray(at, end))
      at = end
      if (pieces > 0) await new Promise((resolve) => setImmediate(resolve))
    }
    if (below(8) === 0) socket.destroy()
    else socket.end()
    const late = sleep(30_000, "late", { ref: false })
    if ((await Promise.race([closed, late])) === "late") {
      fail(`a connection stays open behind ${JSON.stringify(text.slice(0, 300))}`)
      socket.destroy()
    }
  }
  let left = count
  const worker = async () => {
    for (; left > 0 && !failed();) {
      left -= 1
      await play(/** @type {string} */ (source.next().value))
    }
  }
  const descriptors = () => readdirSync("/proc/self/fd").length
  const [before, began] = [descriptors(), performance.now()]
  await Promise.all(Array.from({ length: 128 }, worker))
  const seconds = (performance.now() - began) / 1000
  row("messages", `${count - left}, ${((count - left) / seconds).toFixed(0)} a second`)
  row("attempts", `${counts.allowed} allowed, ${counts.denied} denied`)
  row("connections dialled, and seen by the server that is allowed", `${dials}, ${reached}`)
  if (strays > 0) fail(`a server that no rule allows was reached ${strays} times`)
  if (reached === 0 || counts.denied === 0) fail("no message came through, or none was denied")
  if (!(await Proc.eventually(() => descriptors() <= before, 10_000)))
    fail(`${descriptors() - before} descriptors are left`)
  proxy.close()
  for (const one of [server, open.server, shut.server]) one.close()
  rmSync(folder, { recursive: true })
}

/** A connection that says something and gets it back: the milliseconds. @param {net.Socket} socket */
const echo = async (socket) => {
  const began = performance.now()
  socket.write("x".repeat(64))
  for (let got = 0; got < 64;) got += (await once(socket, "data"))[0].length
  return performance.now() - began
}

/** @param {{ connections: number, rounds: number }} options @param {import("./lib/command.mjs").Telling} telling */
const load = async ({ connections, rounds }, { row, fail }) => {
  const echoing = await listening((socket) => void socket.pipe(socket))
  const target = `127.0.0.1:${echoing.port}`
  const inside = fileURLToPath(new URL("./lib/egress-inside.mjs", import.meta.url))
  const child = spawn(process.execPath, [inside, target, `${connections + 16}`], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const port = Number(String((await once(child.stdout, "data"))[0]))
  const dial = async (/** @type {number} */ to) => {
    const socket = net.connect({ host: "127.0.0.1", port: to, noDelay: true })
    socket.on("error", ({ message }) => fail(message))
    await once(socket, "connect")
    return socket
  }
  const tunnel = async () => {
    const socket = await dial(port)
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
    const [answer] = await once(socket, "data")
    if (!String(answer).includes(" 200 ")) fail(`a tunnel is refused: ${answer}`)
    return socket
  }
  const idle = Proc.descriptors(child.pid)
  /** @type {number[]} */
  const memory = []
  const [direct, proxied] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
  const plain = await dial(echoing.port)
  const began = performance.now()
  for (let round = 0; round < rounds; round += 1) {
    const sockets = []
    for (let at = 0; at < connections; at += 50)
      sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, connections - at) }, tunnel))))
    await within(Promise.all(sockets.map(echo)), 120_000, "an echo of each")
    for (let at = 0; at < 300; at += 1) {
      direct.push(await echo(plain))
      proxied.push(await echo(/** @type {net.Socket} */ (sockets[(at * 37) % sockets.length])))
    }
    memory.push(Proc.rss(child.pid))
    for (const socket of sockets) socket.end()
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, "close")))
  }
  row(
    "tunnels",
    `${rounds} times ${connections}, ${((performance.now() - began) / 1000).toFixed(0)} s in all`,
  )
  const spread = (/** @type {number[]} */ all) =>
    [0.5, 0.99].map((share) => `${quantile(all, share).toFixed(3)} ms`).join(", ")
  row("an echo without the proxy, p50 and p99", spread(direct))
  row("an echo through it", spread(proxied))
  const more = quantile(proxied, 0.5) - quantile(direct, 0.5)
  row("more at the median", `${more.toFixed(3)} ms`)
  if (!(more < 0.5)) fail(`an echo takes ${more.toFixed(3)} ms more`)
  const [first = 0, last = 0] = [memory[Math.min(2, rounds - 1)], memory.at(-1)]
  row("resident memory with all of them open, in each round", memory.map(mebibytes).join(", "))
  if (!(last - first <= 16 * 2 ** 20)) fail(`the memory has grown by ${mebibytes(last - first)}`)
  if (!(await Proc.eventually(() => Proc.descriptors(child.pid) <= idle, 10_000)))
    fail(`${Proc.descriptors(child.pid) - idle} descriptors are left`)
  plain.destroy()
  echoing.server.close()
  child.stdin.end()
  await once(child, "exit")
}

export const egress = stress({
  says: "fuzzes the proxy of egress rules, and opens a thousand connections through one",
  options: {
    messages: { says: "how many the parser gets", usual: 200_000 },
    connections: { says: "how many at once go through one proxy", usual: 1000 },
    rounds: { says: "how often all of them are opened", usual: 10 },
    seed: { says: "where the random numbers begin", usual: 1 },
  },
  play: async (options, telling) => {
    await load(options, telling)
    await fuzz(options, telling)
  },
})
