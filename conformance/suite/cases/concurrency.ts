/**
 * The number of requests of one connection that run at once, and those that never wait. Requests behind a slow
 * `http/request` on the same connection.
 */
import { Check, Child, table, type CaseContext, type Json } from "../Vocabulary.ts"
import type * as HttpOrigin from "../wire/HttpOrigin.ts"
import { type Exchange, originTable } from "./origin.ts"

/** The milliseconds of three reads at once that wait for 300 ms each. */
const threeReads = async (t: CaseContext): Promise<number> => {
  const child = await Child.start(await t.open(), { script: "sleep 300" })
  const began = performance.now()
  const params = { processId: child.id, waitMs: 300 }
  await Promise.all([1, 2, 3].map(() => child.wire.begin("process/read", params)))
  return performance.now() - began
}

export const concurrency = table("concurrency", {
  // guards: one-process
  "long-poll-delays-nobody": {
    level: "should",
    says: `A waiting read delays no other request of its connection: a terminate of the same process is
      answered at once and ends the read.`,
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 300" })
      const order: Array<string> = []
      const poll = child.wire.begin("process/read", { processId: child.id, waitMs: t.timeoutMs * 0.3 })
      const done = poll.then(() => order.push("read"))
      await child.wire.begin("process/terminate", { processId: child.id })
      order.push("terminate")
      await done
      Check.equal(order, ["terminate", "read"], "the order of the answers")
    },
  },
  "serial-by-default": {
    level: "peer",
    spec: [160],
    says: `The requests of one connection are processed one after the other: three reads that wait 300 ms
      take at least 900 ms.`,
    run: async (t) => {
      const took = await threeReads(t)
      Check.isTrue(took >= 890, `three reads took ${Math.round(took)} ms`)
    },
  },
  // guards: one-process
  "pipelined-requests-take-effect-in-order": {
    spec: [163],
    says: `start, write, read and terminate of one process, sent without waiting, are answered with started,
      accepted, a result and running true.`,
    play: async (wire) => {
      for (let round = 0; round < 10; round++) {
        const id = `pipe-${round}`
        const write = { processId: id, chunk: "", writeId: "w" }
        const replies = await Promise.all([
          wire.begin("process/start", Child.params(wire, { id, script: "sleep 60", pipeStdin: true })),
          wire.begin("process/write", write),
          wire.begin("process/read", { processId: id }),
          wire.begin("process/terminate", { processId: id }),
        ])
        for (const { error } of replies)
          Check.equal(error?.message ?? null, null, `an error in round ${round + 1}`)
        const [, written, , ended] = replies.map(({ result }) => Check.object(result, "a result"))
        Check.equal(written?.["status"], "accepted", "the status of the write")
        Check.equal(ended?.["running"], true, "running")
      }
    },
  },
  // guards: one-process
  "pipelined-first-uses-take-effect-in-order": {
    server: "fresh",
    requires: ["process-receipt", "process-wait"],
    says: `The first requests of a new server that use receipts and waits take effect in order, too: start, write, wait
      and a terminate of one process, sent without waiting, are answered with started, accepted, an exit and running
      true.`,
    play: async (wire) => {
      const params = Child.params(wire, { id: "p", script: "sleep 60", pipeStdin: true })
      const wait = { processId: "p", until: [{ exit: true }], timeoutMs: 60_000 }
      const replies = await Promise.all([
        wire.begin("process/start", { ...params, receipt: true }),
        wire.begin("process/write", { processId: "p", chunk: "", writeId: "w" }),
        wire.begin("process/wait", wait),
        wire.begin("process/terminate", { processId: "p" }),
      ])
      for (const { error } of replies) Check.equal(error?.message ?? null, null, "an error")
      const [, written, waited, ended] = replies.map(({ result }) => Check.object(result, "a result"))
      Check.equal(written?.["status"], "accepted", "the status of the write")
      Check.equal(waited?.["met"], 0, "the condition that was met")
      Check.equal(ended?.["running"], true, "running")
    },
  },
  "many-requests-at-once": {
    spec: [160],
    says: "500 requests sent without waiting are all answered, each once.",
    play: async (wire) => {
      await Promise.all(Array.from({ length: 500 }, () => wire.ok("environment/status")))
    },
  },
  "many-processes-at-once": {
    says: "50 processes on one connection run at the same time, each with its own output and exit code.",
    play: async (wire) => {
      const start = (index: number) =>
        Child.start(wire, { script: `echo from ${index}; sleep 0.3; exit ${index}` })
      const children = await Promise.all(Array.from({ length: 50 }, (_, index) => start(index)))
      for (const [index, child] of children.entries()) {
        Check.equal((await child.ended()).exitCode, index, "the exit code")
        Check.equal(child.text(), `from ${index}\n`, "the output")
      }
    },
  },
  "two-at-a-time": {
    level: "peer",
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "2"],
    spec: [161],
    says: "With --concurrent-requests 2, two of three reads that wait 300 ms run at once and the third after them.",
    run: async (t) => {
      const took = await threeReads(t)
      Check.isTrue(took >= 590 && took < 890, `three reads took ${Math.round(took)} ms`)
    },
  },
  "some-methods-never-wait": {
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "2"],
    spec: [162],
    says: `With --concurrent-requests 2 and two reads waiting, signal, terminate, environment/*, initialize
      and unknown methods are answered at once.`,
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "trap '' INT; sleep 300" })
      const params = { processId: child.id, waitMs: t.timeoutMs * 3 }
      void wire.begin("process/read", params)
      void wire.begin("process/read", params)
      await wire.ok("process/signal", { processId: "none", signal: "interrupt" })
      await wire.ok("environment/status")
      await wire.ok("environment/info")
      await wire.refused("initialize", { clientName: "x" }, -32600)
      await wire.refused("nope/method", {}, -32601)
      await wire.ok("process/terminate", { processId: child.id })
    },
  },
  "violation-overtakes": {
    level: "should",
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "2"],
    spec: [144],
    says: "With --concurrent-requests 2 and two reads waiting, a violation ends the connection at once.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "sleep 300" })
      const params = { processId: child.id, waitMs: t.timeoutMs * 3 }
      void wire.begin("process/read", params)
      void wire.begin("process/read", params)
      const from = wire.inbox.messages.length
      wire.sendText('{"method":"bogus"}')
      await wire.endsSilently(from)
    },
  },
  "start-races-end-in-a-known-way": {
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "4"],
    spec: [163],
    says: `With --concurrent-requests 4, start, write, read and terminate of one id sent without waiting
      have only answers that a race can explain.`,
    play: async (wire, t) => {
      const seen = new Map<string, number>()
      for (let round = 0; round < 20; round++) {
        const id = `race-${round}`
        const [started, written, read, ended] = await Promise.all([
          wire.begin("process/start", Child.params(wire, { id, script: "sleep 60", pipeStdin: true })),
          wire.begin("process/write", { processId: id, chunk: "", writeId: "w" }),
          wire.begin("process/read", { processId: id }),
          wire.begin("process/terminate", { processId: id }),
        ])
        const cancelled = started.error?.message
        Check.oneOf(cancelled ?? null, [null, `process ${id} start was cancelled`], "the error of the start")
        const status = Check.object(
          written.result ?? { status: written.error?.message ?? null },
          "the write",
        )["status"]
        const writes = ["accepted", "starting", "unknownProcess", "failed to write to process stdin"]
        Check.oneOf(status, writes, "the answer to the write")
        const reads = [null, `process id ${id} is starting`, `unknown process id ${id}`]
        Check.oneOf(read.error?.message ?? null, reads, "the error of the read")
        const running = Check.flag(
          Check.object(ended.result, "the result of terminate")["running"],
          "running",
        )
        if (cancelled !== undefined) Check.equal(running, true, "running although the start was cancelled")
        const what = `${cancelled === undefined ? "started" : "cancelled"}/${String(status)}/running ${running}`
        seen.set(what, (seen.get(what) ?? 0) + 1)
        if (cancelled === undefined && !running) await wire.begin("process/terminate", { processId: id })
      }
      t.note([...seen].map(([what, count]) => `${count} × ${what}`).join(", "))
    },
  },
})

/** Answers after a delay: a server that is not to answer what came later has the time to do it. */
const slowly: HttpOrigin.Answer = (_, response) => {
  setTimeout(() => response.end("late"), 600)
}

/** Answers when the requests behind it are answered. */
const last: HttpOrigin.Answer = (_, response, released) => {
  void released.then(() => response.end("late"))
}

/** Sends a slow request and two cheap ones behind it; returns the names in the order of their answers. */
const race = async ({ wire, params, origin }: Exchange): Promise<Json> => {
  const order: Array<string> = []
  const run = (name: string, answer: Promise<{ readonly error?: { readonly message: string } }>) =>
    answer.then(({ error }) => {
      if (name === "http") Check.equal(error?.message ?? null, null, "an error of http/request")
      order.push(name)
      if (order.length === 2) origin.release()
    })
  await Promise.all([
    run("http", wire.begin("http/request", params("/"))),
    run("read", wire.begin("process/read", { processId: "none" })),
    run("status", wire.begin("environment/status")),
  ])
  return order
}

export const concurrencyHttp = originTable("concurrency", {
  "slow-http-delays-nobody": {
    level: "should",
    serve: last,
    says: "A slow http/request delays no other request of its connection.",
    run: async (exchange) => {
      Check.equal(await race(exchange), ["read", "status", "http"], "the order of the answers")
    },
  },
  "slow-http-is-waited-for": {
    level: "peer",
    spec: ["b75"],
    serve: slowly,
    says: "With one request at a time, the default, requests sent after a slow http/request are answered after it.",
    run: async (exchange) => {
      Check.equal(await race(exchange), ["http", "read", "status"], "the order of the answers")
    },
  },
  "others-pass-slow-http": {
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "4"],
    spec: ["b75"],
    serve: last,
    says: "With --concurrent-requests 4, requests sent after a slow http/request are answered before it.",
    run: async (exchange) => {
      const order = Check.list(await race(exchange), "the order of the answers")
      Check.equal(order[2], "http", "the last of the answers")
    },
  },
})
