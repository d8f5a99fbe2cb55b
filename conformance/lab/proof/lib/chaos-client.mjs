// @ts-check
// A client that lives until it is killed: takes up a session if it is given one, keeps a few children of all kinds
// running, and checks that their seqs only grow. Prints `session ID`, `resumed COUNT` and `wrong TEXT`.
import { setTimeout as sleep } from "node:timers/promises"
import * as Peers from "./peers.mjs"
import { markName } from "./proc.mjs"
import * as Random from "./random.mjs"

const [url = "", seed, session = ""] = process.argv.slice(2)
const random = Random.make(Number(seed))
/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`)
const ids = Array.from({ length: 6 }, (_, index) => `c${index}`)

/** Children of all kinds: silent, loud, with descendants, ignoring signals, reading, short. */
const programs = [
  ["sleep", "600"],
  ["sh", "-c", "yes | head -c 3000000; exec sleep 600"],
  ["sh", "-c", "sleep 600 & sleep 600 & wait"],
  ["sh", "-c", "trap '' TERM INT HUP; sleep 600; sleep 600"],
  ["cat"],
  ["true"],
]

/** @type {Map<string, number>} The last seq of each process. */
const seqs = new Map()
/** @type {Peers.Notified} */
const notified = (method, { processId, seq }) => {
  const before = seqs.get(processId) ?? 0
  if (seq <= before) say(`wrong ${method} of ${processId} has seq ${seq} behind ${before}`)
  if (method === "process/closed") seqs.delete(processId)
  else seqs.set(processId, seq)
}

const server = { transport: "ws", url }

/** Takes up the session, if it still exists. The server may not know yet that its last client is dead. */
const resume = async () => {
  for (let tries = 0; session !== "" && tries < 5; tries += 1) {
    const peer = await Peers.connect(server, { notified })
    try {
      await peer.handshake({ resumeSessionId: session })
      return peer
    } catch (error) {
      peer.wire.destroy()
      if (!String(error).includes("attached")) return undefined
      await sleep(50)
    }
  }
  return undefined
}

const resumed = await resume()
const peer = resumed ?? (await Peers.connect(server, { notified }))
say(`session ${resumed === undefined ? await peer.handshake() : session}`)
const { call } = peer
if (resumed !== undefined) {
  const reads = ids.map((processId) =>
    call("process/read", { processId, maxBytes: 1000 }).then(
      () => true,
      () => false,
    ),
  )
  say(`resumed ${(await Promise.all(reads)).filter(Boolean).length}`)
}

const env = { PATH: process.env["PATH"], [markName]: process.env[markName] }
/** @param {string} processId */
const begin = (processId) =>
  call(
    "process/start",
    Peers.start(processId, random.pick(programs), {
      env,
      tty: random.chance(0.3),
      pipeStdin: random.chance(0.5),
    }),
  )

/** @type {readonly ((processId: string) => Promise<unknown>)[]} */
const acts = [
  begin,
  begin,
  (processId) =>
    call("process/write", {
      processId,
      chunk: Buffer.from("hello\n").toString("base64"),
      writeId: String(random.next()),
    }),
  (processId) => call("process/terminate", { processId }),
  (processId) => call("process/signal", { processId, signal: "interrupt" }),
]
for (;;) {
  // Requests about unknown ids, and starts with ids in use, are refused: that is wanted.
  await random
    .pick(acts)(random.pick(ids))
    .catch(() => {})
  if (peer.wire.ended) process.exit(0)
  await sleep(random.below(30))
}
