/**
 * `http/request` with `streamResponse`: the answer first, then the body in `http/request/bodyDelta` notifications.
 */
import { Check, pause } from "../Vocabulary.ts"
import { deltas, originTable, streamed, type Delta } from "./origin.ts"

const stream = { streamResponse: true }

const seqs = (frames: ReadonlyArray<Delta>): ReadonlyArray<number> => frames.map(({ seq }) => seq)

/** Fails unless the seqs begin at 1 and only the last frame is done, and empty. */
const wellFormed = (frames: ReadonlyArray<Delta>): void => {
  Check.equal(
    [...seqs(frames)],
    frames.map((_, index) => index + 1),
    "the seqs of the frames",
  )
  Check.equal(
    frames.findIndex(({ done }) => done),
    frames.length - 1,
    "the position of the frame with done",
  )
  Check.equal(frames.at(-1)?.bytes.length ?? -1, 0, "the bytes in the frame with done")
}

/** A body, made when a case wants it: every start of the suite would pay for it otherwise. */
const noise = () => {
  const bytes = Buffer.allocUnsafe(6_000_000)
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = index * 31 + (index >> 8)
  return bytes
}

export const httpStream = originTable("http/stream", {
  "response-first": {
    spec: ["b61"],
    serve: (_, response) => {
      response.write("one ")
      setTimeout(() => response.end("two"), 100)
    },
    says: `A streamed request is answered with status, headers and an empty bodyBase64; frames follow with
      seq from 1, the last one empty, with done true and error null.`,
    run: async ({ wire, params }) => {
      const given = params("/", stream)
      const { result, message } = await wire.begin("http/request", given)
      const answer = Check.object(result, "the result")
      Check.has(answer, { status: 200, bodyBase64: "" }, "the answer")
      const frames = await streamed(wire, given["requestId"])
      wellFormed(frames)
      Check.isTrue((frames[0]?.index ?? -1) > message.index, "a frame came before the answer")
      Check.equal(Buffer.concat(frames.map(({ bytes }) => bytes)).toString("utf8"), "one two", "the body")
      for (const { error } of frames) Check.equal(error, null, "error")
    },
  },
  "frames-come-as-they-are-sent": {
    spec: ["b61"],
    serve: (seen, response) => {
      response.write("early")
      if (seen.path === "/end") response.end()
    },
    says: "Frames are sent while the body is still coming: the first bytes of an endless body arrive.",
    run: async ({ wire, params }) => {
      const given = params("/", stream)
      await wire.ok("http/request", given)
      await wire.inbox.wait("the first frame", wire.timeoutMs, () => deltas(wire, given["requestId"])[0])
    },
  },
  "empty-body": {
    spec: ["b61"],
    says: "An empty body gives one frame: seq 1, done true.",
    run: async ({ wire, params }) => {
      const given = params("/", stream)
      await wire.ok("http/request", given)
      const frames = await streamed(wire, given["requestId"])
      wellFormed(frames)
      Check.equal(frames.length, 1, "the number of frames")
    },
  },
  "cut-by-the-origin": {
    spec: ["b62"],
    serve: (_, response) => {
      response.write("some", () => setTimeout(() => response.destroy(), 50))
    },
    says: "A body that is cut off ends with an empty frame with done true and an error text.",
    run: async ({ wire, params }) => {
      const given = params("/", stream)
      await wire.ok("http/request", given)
      const frames = await streamed(wire, given["requestId"])
      wellFormed(frames)
      Check.text(frames.at(-1)?.error, "error in the last frame")
      Check.equal(Buffer.concat(frames.map(({ bytes }) => bytes)).toString("utf8"), "some", "the body")
    },
  },
  "duplicate-id-refused": {
    spec: ["b63"],
    serve: (seen, response) => {
      response.write("x")
      if (seen.path === "/end") response.end()
    },
    says: `A streamed request with the id of a live one is refused with -32602; the id is free again after
      the last frame, and after a failed request.`,
    run: async ({ wire, params, origin }) => {
      const at = (path: string, requestId: string) => params(path, { ...stream, requestId })
      await wire.ok("http/request", at("/never", "a"))
      await wire.refused("http/request", at("/end", "a"), -32602)
      await wire.ok("http/request", at("/end", "b"))
      wellFormed(await streamed(wire, "b"))
      const before = wire.inbox.messages.length
      await wire.ok("http/request", at("/end", "b"))
      await wire.inbox.wait("the second end of b", wire.timeoutMs, () =>
        deltas(wire, "b").find(({ index, done }) => done && index >= before),
      )
      await wire.refused("http/request", { ...at("/", "c"), url: "http://127.0.0.1:1/" }, -32603)
      await wire.ok("http/request", { ...at("/end", "c") })
      Check.equal(origin.seen.length, 4, "requests that arrived")
    },
  },
  "buffered-ids-unchecked": {
    level: "peer",
    spec: ["b63"],
    serve: (seen, response) => {
      response.write("x")
      if (seen.path === "/end") response.end()
    },
    says: "A request that is not streamed may have the id of a live stream.",
    run: async ({ wire, params }) => {
      await wire.ok("http/request", params("/never", { ...stream, requestId: "a" }))
      await wire.ok("http/request", params("/end", { requestId: "a" }))
    },
  },
  "timeout-ends-the-body": {
    spec: ["b64"],
    serve: (_, response) => response.write("x"),
    says: `timeoutMs covers the body, too: a stalled body ends with a frame with done true and an error;
      without timeoutMs it goes on.`,
    run: async ({ wire, params }) => {
      const patient = params("/", stream)
      await wire.ok("http/request", patient)
      let hasty = patient
      // The headers have to come in time, too: a busy machine gets more.
      for (const timeoutMs of [300, 3_000, 30_000]) {
        hasty = params("/", { ...stream, timeoutMs })
        const { error } = await wire.begin("http/request", hasty)
        if (error === undefined) break
      }
      const frames = await streamed(wire, hasty["requestId"])
      wellFormed(frames)
      Check.text(frames.at(-1)?.error, "error in the last frame")
      const done = deltas(wire, patient["requestId"]).some((frame) => frame.done)
      Check.equal(done, false, "whether the stream without timeoutMs has ended")
    },
  },
  "frames-below-2-mib": {
    spec: ["b65"],
    serve: (_, response) => response.end(noise()),
    says: "A body of six megabytes arrives byte for byte in frames of less than 2 MiB of JSON each.",
    run: async ({ t, wire, params }) => {
      const given = params("/", stream)
      await wire.ok("http/request", given)
      const frames = await streamed(wire, given["requestId"])
      wellFormed(frames)
      Check.isTrue(Buffer.concat(frames.map(({ bytes }) => bytes)).equals(noise()), "the body came changed")
      const largest = Math.max(...frames.map(({ length }) => length))
      Check.isTrue(largest < 2 * 1024 * 1024, `the largest frame has ${largest} bytes`)
      t.note(`${frames.length} frames, the largest of ${largest} bytes`)
    },
  },
  "dropped-connection-aborts": {
    level: "should",
    transports: "sockets",
    serve: (_, response) => response.write("x"),
    says: "When the client drops its connection, the server aborts its streamed requests.",
    run: async ({ t, wire, params, origin }) => {
      await wire.ok("http/request", params("/", stream))
      Check.equal(origin.aborted(), 0, "aborted exchanges before")
      wire.channel.drop()
      const until = performance.now() + t.timeoutMs
      while (origin.aborted() === 0 && performance.now() < until) await pause(20)
      Check.equal(origin.aborted(), 1, "aborted exchanges")
    },
  },
  "error-texts-of-the-peer": {
    level: "peer",
    spec: ["b62", "b63"],
    serve: (_, response, released) => {
      response.write("some")
      void released.then(() => response.destroy())
    },
    says: "A cut body and a duplicate id have the exact texts of Codex.",
    run: async ({ wire, params, origin }) => {
      await wire.ok("http/request", params("/", { ...stream, requestId: "a" }))
      const text = "http/request streamResponse requestId `a` is already active"
      await wire.refused("http/request", params("/", { ...stream, requestId: "a" }), -32602, text)
      origin.release()
      const frames = await streamed(wire, "a")
      Check.equal(frames.at(-1)?.error, "error decoding response body", "error in the last frame")
    },
  },
})
