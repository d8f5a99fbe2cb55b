/**
 * An extension that a server may announce as `requestCancel` in `environmentInfo.capabilities`: the notification
 * `request/cancel {id}` says that the answer to a request is not awaited any more. One that waits, and would
 * leave nothing half done, ends then; it is answered all the same, once. `request/cancel` of requests that are not
 * about processes: HTTP exchanges and files.
 */
import { Check, Child, pause, table, type CaseContext, type Json, type Wire } from "../Vocabulary.ts"
import type { Reply } from "../wire/Reply.ts"
import { base64, folderTable } from "./folder.ts"
import * as Gate from "./gate.ts"
import { deltas, originTable } from "./origin.ts"
import { begin, resumed } from "./resuming.ts"

export const cancelling = { requires: ["request-cancel"] } as const

export const cancel = (wire: Wire, id: Json): void => wire.send({ method: "request/cancel", params: { id } })

/** A request of which the id is known. */
export const ask = (wire: Wire, method: string, params: Json) => {
  const reply = wire.begin(method, params)
  return { id: Math.max(...wire.asked), reply }
}

/** A read that waits for ten minutes. */
export const poll = ({ wire, id: processId }: Child.Child, afterSeq = 0) =>
  ask(wire, "process/read", { processId, afterSeq, waitMs: 600_000 })

export const wasCancelled = async (reply: Promise<Reply>): Promise<void> => {
  const { error } = await reply
  Check.equal([error?.code ?? null, error?.message ?? null], [-32800, "request was cancelled"], "the error")
}

/** A process that echoes its input, and has said nothing yet. */
const echoing = (wire: Wire) => Child.start(wire, { argv: ["cat"], pipeStdin: true })

/** Writes a line, which a poll has to be answered with. */
const wakes = async (child: Child.Child, reply: Promise<Reply>, line = "woken\n"): Promise<void> => {
  await child.write(line)
  const { error, result } = await reply
  Check.equal(error?.message ?? null, null, "an error of the read")
  Check.equal(Child.chunks(Check.object(result, "the result")).length, 1, "the number of chunks")
}

/** A server on which two requests run at once, and two polls that take both slots. */
const full = async (t: CaseContext) => {
  const child = await echoing(await t.open())
  const polls = [poll(child), poll(child)] as const
  await child.wire.barrier()
  return { child, polls }
}

const twoSlots = {
  ...cancelling,
  requires: ["request-cancel", "concurrency-flag"],
  server: "owned",
  args: ["--concurrent-requests", "2"],
} as const

export const requestCancel = table("request/cancel", cancelling, {
  "ends-a-long-poll": {
    says:
      "A process/read that waits is answered with -32800 `request was cancelled` when it is cancelled; the process " +
      "runs on, and its output is read as before.",
    run: async (t) => {
      const child = await echoing(await t.open())
      for (let round = 0; round < 3; round++) {
        const { id, reply } = poll(child)
        await child.wire.barrier()
        cancel(child.wire, id)
        await wasCancelled(reply)
      }
      await wakes(child, poll(child).reply)
      await child.says("woken\n")
    },
  },
  "many-at-once": {
    says: "Of 200 reads that wait, those that are cancelled are answered with -32800, each once, and the others wait on.",
    run: async (t) => {
      const child = await echoing(await t.open())
      const polls = Array.from({ length: 200 }, () => poll(child))
      await child.wire.barrier()
      const [odd, even] = [1, 0].map((rest) => polls.filter(({ id }) => id % 2 === rest))
      for (const { id } of odd ?? []) cancel(child.wire, id)
      await Promise.all((odd ?? []).map(({ reply }) => wasCancelled(reply)))
      await child.write("on\n")
      for (const { error } of await Promise.all((even ?? []).map(({ reply }) => reply)))
        Check.equal(error?.message ?? null, null, "an error of a read that was not cancelled")
    },
  },
  "answered-once": {
    says: `A read that is cancelled while its output arrives is answered once, with the output or with
      -32800, in 50 rounds; no output is lost.`,
    run: async (t) => {
      const child = await echoing(await t.open())
      for (let round = 0; round < 50; round++) {
        const { id, reply } = poll(child, round)
        const written = child.write(`${round}\n`)
        if (round % 2 === 0) await written
        cancel(child.wire, id)
        cancel(child.wire, id)
        const { error } = await reply
        Check.isTrue(error === undefined || error.code === -32800, `a read was refused with ${error?.code}`)
        await written
        await child.says(`${round}\n`)
      }
      await child.wire.barrier()
    },
  },
  "gives-the-slot-back": {
    ...twoSlots,
    says: `With --concurrent-requests 2 and two reads waiting, a third request is answered as soon as one of
      the reads is cancelled, in 20 rounds.`,
    run: async (t) => {
      const { child, polls } = await full(t)
      let [first, second] = polls
      for (let round = 0; round < 20; round++) {
        const third = child.wire.begin("process/read", { processId: child.id })
        cancel(child.wire, first.id)
        await wasCancelled(first.reply)
        Check.equal((await third).error?.message ?? null, null, "an error of the third request")
        ;[first, second] = [second, poll(child)]
        await child.wire.barrier()
      }
    },
  },
  "before-its-turn": {
    ...twoSlots,
    says: `A request that still waits for a slot is answered with -32800 when it is cancelled, at once, and
      those that have the slots wait on.`,
    run: async (t) => {
      const { child, polls } = await full(t)
      const third = poll(child)
      const fourth = child.wire.begin("process/read", { processId: child.id })
      cancel(child.wire, third.id)
      await wasCancelled(third.reply)
      cancel(child.wire, polls[0].id)
      await wasCancelled(polls[0].reply)
      await fourth
      await wakes(child, polls[1].reply)
    },
  },
  "other-ids-are-ignored": {
    says: `Ids that are unknown or answered, ids of another type, and params that name none mean nothing: no
      answer, the connection goes on, and reads that wait wait on.`,
    run: async (t) => {
      const child = await echoing(await t.open())
      const answered = ask(child.wire, "process/read", { processId: child.id })
      await answered.reply
      const { id, reply } = poll(child)
      for (const other of [answered.id, id + 1, `${id}`, -1, "", null, true, [id], { id }])
        cancel(child.wire, other)
      child.wire.send({ method: "request/cancel" })
      for (const params of [null, {}, [], "x"]) child.wire.send({ method: "request/cancel", params })
      const sent = child.wire.inbox.messages.length
      await child.wire.barrier()
      Check.equal(child.wire.inbox.messages.length, sent + 1, "the number of messages behind the cancels")
      await wakes(child, reply)
    },
  },
  "before-its-request": {
    says: "A cancel that comes before the request of its id is forgotten: the request is answered as any other.",
    run: async (t) => {
      const child = await echoing(await t.open())
      const next = Math.max(...child.wire.asked) + 1
      cancel(child.wire, next)
      const { id, reply } = poll(child)
      Check.equal(id, next, "the id of the request")
      await wakes(child, reply)
    },
  },
  "what-has-an-effect-goes-on": {
    says: "A start and a write that are cancelled are carried out whole, and answered with their results.",
    play: async (wire, t) => {
      const gate = await Gate.make(Gate.shell(wire))
      const params = Child.params(wire, { script: `${gate.wait}; exec cat`, pipeStdin: true })
      const start = ask(wire, "process/start", params)
      cancel(wire, start.id)
      Check.equal((await start.reply).error?.message ?? null, null, "an error of the start")
      const { processId } = params
      const chunk = Buffer.alloc(1_000_000, "x").toString("base64")
      const write = ask(wire, "process/write", { processId, chunk, writeId: "w" })
      await wire.barrier()
      cancel(wire, write.id)
      await Gate.shell(await t.open())(gate.open)
      Check.equal((await write.reply).error?.message ?? null, null, "an error of the write")
      await Child.attach(wire, Check.text(processId, "processId")).has(1_000_000)
    },
  },
  "does-not-stand-for-initialized": {
    says: "A cancel between initialize and initialized is ignored: methods of processes are refused as before.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.ok("initialize", { clientName: "x" })
      cancel(wire, 1)
      const message = "client must send initialized before using exec methods"
      await wire.refused("process/read", { processId: "p" }, -32600, message)
    },
  },
  "of-its-connection-only": {
    transports: "sockets",
    says: "An id names a request of the same connection: one that has the same id on another connection waits on.",
    run: async (t) => {
      const child = await echoing(await t.open())
      const { id, reply } = poll(child)
      await child.wire.barrier()
      const other = await t.open()
      cancel(other, id)
      await other.barrier()
      await wakes(child, reply)
    },
  },
  "across-a-resume": {
    requires: ["request-cancel", "resume"],
    transports: "sockets",
    says: `Behind a resume an id names a request of the new connection: the request that had it before is no
      more, and the new one is cancelled.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await echoing(wire)
      const before = poll(child)
      await wire.barrier()
      wire.channel.drop()
      const again = Child.attach(await resumed(t, session), child.id)
      cancel(again.wire, before.id)
      const [first, second] = [poll(again), poll(again)]
      cancel(again.wire, first.id)
      await wasCancelled(first.reply)
      await wakes(again, second.reply)
    },
  },
})

export const requestCancelHttp = originTable("request/cancel", {
  "ends-an-http-exchange": {
    ...cancelling,
    serve: (_seen, response, released) => void released.then(() => response.end()),
    says: `An http/request whose origin does not answer, streamed or not, is answered with -32800 when it is
      cancelled, and its connection to the origin ends. The requestId of a stream can be used again.`,
    run: async ({ wire, origin, params }) => {
      const many = [{}, { streamResponse: true, requestId: "s" }, { streamResponse: true, requestId: "s" }]
      for (const [index, other] of many.entries()) {
        const { id, reply } = ask(wire, "http/request", params("/slow", other))
        const until = performance.now() + wire.timeoutMs
        while (origin.seen.length <= index && performance.now() < until) await pause(20)
        cancel(wire, id)
        await wasCancelled(reply)
        while (origin.aborted() <= index && performance.now() < until) await pause(20)
        Check.equal(origin.aborted(), index + 1, "exchanges that the origin has seen end")
      }
    },
  },
  "ends-a-streamed-body": {
    ...cancelling,
    serve: (_seen, response) => void response.write("early"),
    says: `A streamed http/request that is cancelled after its answer gets no second one: its body ends with
      an error, its connection to the origin ends, and its requestId can be used again.`,
    run: async ({ wire, origin, params }) => {
      for (const round of [1, 2]) {
        const { id, reply } = ask(wire, "http/request", params("/", { streamResponse: true, requestId: "s" }))
        Check.equal((await reply).error?.code ?? null, null, "an error of the request")
        cancel(wire, id)
        const ends = () => deltas(wire, "s").filter(({ done }) => done)
        const last = await wire.inbox.wait("the end of the body", wire.timeoutMs, () => ends()[round - 1])
        Check.isTrue(typeof last.error === "string", "the last frame has an error")
        const until = performance.now() + wire.timeoutMs
        while (origin.aborted() < round && performance.now() < until) await pause(20)
        Check.equal(origin.aborted(), round, "exchanges that the origin has seen end")
      }
    },
  },
})

export const requestCancelFiles = folderTable("request/cancel", {
  "looks-hold-up-nothing": {
    ...cancelling,
    says: `fs/getMetadata, fs/readFile and fs/readDirectory that are cancelled at once are answered, each
      once, with their results or with -32800; what changes files behind them is carried out, in 20 rounds.`,
    run: async ({ wire, uri, sh, cat }) => {
      await sh("echo x > a")
      for (let round = 0; round < 20; round++) {
        const looks = ["fs/getMetadata", "fs/readFile", "fs/readDirectory"].map((method) =>
          ask(wire, method, { path: uri(method === "fs/readDirectory" ? "" : "a") }),
        )
        const path = uri(`b${round}`)
        const write = ask(wire, "fs/writeFile", { path, dataBase64: base64(`${round}`) })
        for (const { id } of [...looks, write]) cancel(wire, id)
        for (const { error } of await Promise.all(looks.map(({ reply }) => reply)))
          Check.isTrue(error === undefined || error.code === -32800, `it was refused with ${error?.code}`)
        Check.equal((await write.reply).error?.message ?? null, null, "an error of the write")
      }
      Check.equal((await cat("b19")).toString(), "19", "the file that was written last")
    },
  },
})
