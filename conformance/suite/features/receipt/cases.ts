/**
 * An extension that a server may announce as `processReceipt` in `environmentInfo.capabilities`: what a process wrote
 * and how it ended, in `process/closed` and `process/read`, by `receipt: true` of `process/start`.
 */
import { createHash } from "node:crypto"
import { Check, Child, table, type JsonObject, type Wire } from "../../Vocabulary.ts"
import * as Gate from "../../cases/gate.ts"
import { begin, resumed } from "../../cases/resuming.ts"

const receipts = { requires: ["process-receipt"] } as const

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

const start = (wire: Wire, options: Child.StartOptions): Promise<Child.Child> =>
  Child.start(wire, { ...options, params: { receipt: true, ...options.params } })

const receiptOf = async (child: Child.Child): Promise<JsonObject> => {
  const closed = (await child.ended()).events.find(({ kind }) => kind === "closed")
  return Check.object(closed?.params["receipt"], "receipt in process/closed")
}

const streamsOf = (receipt: JsonObject): JsonObject =>
  Check.object(receipt["streams"], "streams of the receipt")

/** Checks that the receipt has exactly what arrived of these streams. */
const checkStreams = async (child: Child.Child, names: ReadonlyArray<string>): Promise<void> => {
  const streams = streamsOf(await receiptOf(child))
  Check.equal(Object.keys(streams).sort(), [...names].sort(), "the streams of the receipt")
  for (const name of names) {
    const bytes = child.bytes(name)
    const seqs = child
      .events()
      .filter(({ kind, params }) => kind === "output" && params["stream"] === name)
      .map(({ seq }) => seq)
    const wanted = {
      bytes: bytes.length,
      sha256: sha256(bytes),
      chunks: seqs.length,
      ...(seqs.length === 0 ? {} : { firstSeq: Math.min(...seqs), lastSeq: Math.max(...seqs) }),
      unreadBytes: 0,
    }
    Check.equal(Check.object(streams[name], name), wanted, `the receipt of ${name}`)
  }
}

const memberOf = async (
  wire: Wire,
  options: Child.StartOptions,
  end?: (child: Child.Child) => Promise<void>,
) => {
  const child = await start(wire, options)
  await end?.(child)
  const { endedBy, signal } = await receiptOf(child)
  return { endedBy: endedBy ?? null, signal: signal ?? null }
}

export const processReceipt = table("process/receipt", receipts, {
  // guards: receipt, whole-output
  "of-what-was-written": {
    says: `process/closed of a process that was started with receipt: true has the bytes, their SHA-256 in
      hex, the chunks and the first and last seq of each of its streams, also of one without output.`,
    play: async (wire) => {
      const both = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; head -c 300000 /dev/zero; exit 3"
      await checkStreams(await start(wire, { script: both }), ["stdout", "stderr"])
      await checkStreams(await start(wire, { script: "printf '\\377'" }), ["stdout", "stderr"])
      await checkStreams(await start(wire, { script: ":" }), ["stdout", "stderr"])
    },
  },
  "of-a-terminal": {
    requires: ["process-receipt", "pty"],
    says: "The receipt of a process with a terminal has one stream, pty.",
    play: async (wire) => {
      await checkStreams(await start(wire, { script: "seq 1000", tty: true }), ["pty"])
    },
  },
  "only-when-asked": {
    says: "Without receipt: true (absent, null or false) neither process/closed nor process/read has a receipt.",
    play: async (wire) => {
      for (const params of [{}, { receipt: null }, { receipt: false }]) {
        const child = await Child.start(wire, { script: "echo", params })
        const closed = (await child.ended()).events.find(({ kind }) => kind === "closed")
        Check.equal(Object.keys(closed?.params ?? {}).sort(), ["processId", "seq"], "process/closed")
        Check.equal("receipt" in (await child.read()), false, "receipt in the result of process/read")
      }
    },
  },
  "read-has-it-too": {
    says: "process/read of a closed process has the receipt of process/closed, and of one that runs none.",
    play: async (wire) => {
      const child = await start(wire, { script: "echo up; read line", pipeStdin: true })
      await child.says("up")
      Check.equal("receipt" in (await child.read()), false, "receipt of a process that runs")
      await child.write("\n")
      const receipt = await receiptOf(child)
      Check.equal((await child.read())["receipt"] ?? null, receipt, "receipt in the result of process/read")
    },
  },
  "says-who-ended-it": {
    says: `endedBy is exit for a process that exited, signal (with its number) for one that died of a
      signal, and terminate for one that process/terminate has killed; one that had exited before is not
      ended by a terminate.`,
    play: async (wire) => {
      const exited = { endedBy: "exit", signal: null }
      Check.equal(await memberOf(wire, { script: "exit 7" }), exited, "after an exit")
      const killed = { endedBy: "signal", signal: 15 }
      Check.equal(await memberOf(wire, { script: "kill -TERM $$" }), killed, "after a signal")
      const terminate = async (child: Child.Child) => void (await child.terminate())
      const terminated = { endedBy: "terminate", signal: 9 }
      Check.equal(await memberOf(wire, { argv: ["sleep", "600"] }, terminate), terminated, "after terminate")
      const late = async (child: Child.Child) => {
        await child.exited()
        await child.terminate()
      }
      Check.equal(
        await memberOf(wire, { script: "exit 7" }, late),
        exited,
        "after a terminate that came late",
      )
    },
  },
  "has-its-times": {
    says: "startedAtMs and endedAtMs are milliseconds since 1970, and as far apart as the process ran.",
    play: async (wire) => {
      const receipt = await receiptOf(await start(wire, { argv: ["sleep", "0.3"] }))
      const startedAt = Check.integer(receipt["startedAtMs"], "startedAtMs")
      const endedAt = Check.integer(receipt["endedAtMs"], "endedAtMs")
      Check.isTrue(startedAt > 1.6e12, `startedAtMs is ${startedAt}`)
      Check.isTrue(endedAt - startedAt >= 290, `a sleep of 0.3 s took ${endedAt - startedAt} ms`)
    },
  },
  "counts-what-nobody-got": {
    requires: ["process-receipt", "resume"],
    transports: "ws",
    says: `While no client is attached output may leave the ring: unreadBytes counts it, and bytes and
      sha256 are of everything that the process wrote all the same.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = await t.open()
      const lost = await Gate.make(Gate.shell(other))
      const size = 3_000_000
      // The server gets time to notice that there is no reader any more; if it notices later, less is unread.
      const script = `echo pid $$.; ${lost.wait}; sleep 0.5; head -c ${size} /dev/zero`
      const child = await start(wire, { script })
      await child.says(".\n")
      const said = child.text()
      wire.channel.drop()
      await Gate.shell(other)(lost.open)
      await Gate.gone(other, Number(/pid (\d+)\./.exec(said)?.[1]))
      const again = await resumed(t, session)
      const state = await Child.attach(again, child.id).read({ afterSeq: 1_000_000, waitMs: t.timeoutMs })
      const receipt = Check.object(state["receipt"], "receipt in the result of process/read")
      const stdout = Check.object(streamsOf(receipt)["stdout"], "stdout of the receipt")
      const all = Buffer.concat([Buffer.from(said), Buffer.alloc(size)])
      Check.has(stdout, { bytes: all.length, sha256: sha256(all) }, "the stdout")
      const pushed = [child, Child.attach(again, child.id)]
        .flatMap((part) => part.events())
        .filter(({ kind }) => kind === "output")
      const seen = new Map<number, number>()
      for (const { seq, params } of pushed) {
        seen.set(seq, Buffer.from(Check.text(params["chunk"], "a chunk"), "base64").length)
      }
      for (const { seq, bytes } of Child.chunks(await Child.attach(again, child.id).read())) {
        seen.set(seq, bytes.length)
      }
      const got = [...seen.values()].reduce((sum, bytes) => sum + bytes, 0)
      const unread = Check.integer(stdout["unreadBytes"], "unreadBytes of stdout")
      // Output that was pushed on the dropped connection may not have arrived here.
      Check.isTrue(
        unread <= all.length - got,
        `unreadBytes is ${unread}, and ${got} of ${all.length} bytes were got`,
      )
    },
  },
})
