/**
 * `request/cancel` of requests that are not about processes: HTTP exchanges and files.
 */
import * as Check from "../Check.ts"
import { pause } from "../Deadline.ts"
import { ask, cancel, cancelling, wasCancelled } from "./cancelling.ts"
import { base64, folderTable } from "./folder.ts"
import { deltas, originTable } from "./origin.ts"

export const requestCancelHttp = originTable("request/cancel", {
  "ends-an-http-exchange": {
    ...cancelling,
    serve: (_seen, response, released) => void released.then(() => response.end()),
    says:
      "An http/request whose origin does not answer, streamed or not, is answered with -32800 when it is cancelled, " +
      "and its connection to the origin ends. The requestId of a stream can be used again.",
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
    says:
      "A streamed http/request that is cancelled after its answer gets no second one: its body ends with an error, its " +
      "connection to the origin ends, and its requestId can be used again.",
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
    says:
      "fs/getMetadata, fs/readFile and fs/readDirectory that are cancelled at once are answered, each once, with their " +
      "results or with -32800; what changes files behind them is carried out, in 20 rounds.",
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
