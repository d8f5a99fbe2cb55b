import { once } from "node:events"
import * as net from "node:net"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { WebSocket } from "real-ws"
import type { Transport } from "../../../core/transport/Transport.ts"
import { connect, echo, listening, nextMessage } from "../testing/WebSockets.ts"

/** Waits for the next message, even if several arrive together. */
const received = (socket: WebSocket, wanted: (text: string) => boolean) =>
  new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      if (wanted(String(data))) resolve()
    })
  })

const closeCode = (socket: WebSocket) => once(socket, "close").then(([code]) => code as unknown)

const upgrade = (path: string, ...more: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", ...more].join("\n")
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
const version = "Sec-WebSocket-Version: 13"

/** A masked client frame with the mask zero. */
const frame = (first: number, payload: Uint8Array, length = payload.length) => {
  const header = Buffer.alloc(14)
  header[0] = first
  header[1] = 0xff
  header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

/** A connection after an upgrade written by hand. */
const rawConnect = async (port: number) => {
  const socket = net.connect(port, "127.0.0.1")
  socket.on("error", () => {})
  socket.write(`${upgrade("/", key, version).replaceAll("\n", "\r\n")}\r\nHost: x\r\n\r\n`)
  await once(socket, "data")
  return socket
}

/** Bytes: the longest message, which is longer than the longest frame. */
const limit = 20_000_000

describe("WebSocketConnection", () => {
  it("carries 4,000 messages both ways in order, as text", () =>
    listening(echo, async (url) => {
      const socket = await connect(url)
      const texts = Array.from({ length: 4000 }, (_, i) => `{"id":${i},"text":"é"}`)
      const echoed: Array<string> = []
      const all = received(socket, (text) => echoed.push(text) === texts.length)
      for (const [i, text] of texts.entries()) socket.send(text, { binary: i % 2 === 0 })
      await all
      expect(echoed).toEqual(texts)
    }))

  it("sends strings and bytes of every frame size as text", () => {
    const sizes = [0, 1, 125, 126, 65_535, 65_536, 200_000]
    const serve = (transport: Transport) =>
      Effect.sync(() => {
        for (const size of sizes) {
          transport.write("é".repeat(size / 2))
          transport.write(new Uint8Array(size).fill(97))
        }
      }).pipe(Effect.andThen(Effect.never))
    return listening(serve, async (url) => {
      const socket = new WebSocket(url)
      const received: Array<number> = []
      await new Promise<void>((resolve) => {
        socket.on("message", (data, binary) => {
          expect(binary).toBe(false)
          if (received.push((data as Buffer).length) === sizes.length * 2) resolve()
        })
      })
      expect(received).toEqual(sizes.flatMap((size) => [Math.floor(size / 2) * 2, size]))
    })
  })

  it("takes a message of 18 MB in three fragments", () =>
    listening(echo, async (url) => {
      const socket = await connect(url)
      const part = "x".repeat(6_000_000)
      socket.send(part, { fin: false })
      socket.send(part, { fin: false })
      socket.send(part, { fin: true })
      expect((await nextMessage(socket)).text.length).toBe(18_000_000)
    }))

  it("delivers an empty frame as an empty text and does not split several values", () =>
    listening(echo, async (url) => {
      const socket = await connect(url)
      socket.send("")
      expect((await nextMessage(socket)).text).toBe("")
      socket.send("1\n2")
      expect((await nextMessage(socket)).text).toBe("1\n2")
    }))

  it.each([
    ["a frame over 16 MiB", frame(0x81, Buffer.alloc(0), 16_777_217), "MessageTooLarge"],
    [
      "a fragment over 16 MiB",
      Buffer.concat([frame(0x01, Buffer.from("x")), frame(0x80, Buffer.alloc(0), 16_777_217)]),
      "MessageTooLarge",
    ],
    [
      "a message over its limit, whose frames are not",
      Buffer.concat([
        frame(0x01, Buffer.alloc(limit / 2)),
        frame(0x00, Buffer.alloc(limit / 2)),
        frame(0x80, Buffer.from("x")),
      ]),
      "MessageTooLarge",
    ],
    ["text that is not UTF-8", frame(0x81, Buffer.from([0xff])), "InvalidUtf8"],
    ["a frame without a mask", Buffer.from([0x81, 0x00]), "Io"],
  ])("fails on %s, and TCP just ends", async (_, bytes, reason) => {
    const reasons: Array<string> = []
    const serve = (transport: Transport) =>
      Effect.matchEffect(transport.incoming.await, {
        onFailure: (error) => Effect.sync(() => void reasons.push(error.reason)),
        onSuccess: () => Effect.sync(() => void reasons.push("end")),
      })
    const use = async (__: string, { port }: { readonly port: number }) => {
      const socket = await rawConnect(port)
      const received: Array<Buffer> = []
      socket.on("data", (chunk) => received.push(chunk))
      socket.write(bytes)
      await once(socket, "close")
      expect(Buffer.concat(received).length).toBe(0)
    }
    await listening(serve, use, { terms: { maxMessageBytes: limit } })
    expect(reasons).toEqual([reason])
  })

  it("takes a frame of exactly 16 MiB", () =>
    listening(echo, async (url) => {
      const socket = await connect(url)
      socket.send("x".repeat(16_777_216))
      expect((await nextMessage(socket)).text.length).toBe(16_777_216)
    }))

  it("never sends a Close frame, whoever closes first", async () => {
    await listening(echo, async (url) => {
      const socket = await connect(url)
      socket.close(1000)
      expect(await closeCode(socket)).toBe(1006)
    })
    await listening(
      (transport) => Effect.sync(() => void transport.write("bye")),
      async (url) => {
        const socket = new WebSocket(url)
        const last = nextMessage(socket)
        expect(await closeCode(socket)).toBe(1006)
        expect((await last).text).toBe("bye")
      },
    )
  })

  it("ends incoming when the client is gone", async () => {
    const ended: Array<Transport> = []
    const serve = (transport: Transport) =>
      Effect.map(Effect.ignore(transport.incoming.await), () => void ended.push(transport))
    await listening(serve, async (url) => {
      const polite = await connect(url)
      polite.close()
      await closeCode(polite)
      const rude = await connect(url)
      rude.terminate()
      while (ended.length < 2) await new Promise(setImmediate)
    })
  })

  it("answers a Ping with its payload and sends an empty Ping every 30 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] })
    await listening(echo, async (url) => {
      const pings: Array<string> = []
      const socket = await connect(url)
      socket.on("ping", (data) => pings.push(data.toString()))
      socket.ping("abc")
      const [pong] = await once(socket, "pong")
      expect(String(pong)).toBe("abc")
      vi.advanceTimersByTime(29_000)
      socket.send("1")
      await nextMessage(socket)
      expect(pings).toEqual([])
      for (const passed of [1000, 30_000]) {
        const ping = once(socket, "ping")
        vi.advanceTimersByTime(passed)
        await ping
      }
      expect(pings).toEqual(["", ""])
      socket.terminate()
    }).finally(() => vi.useRealTimers())
  })

  it("answers false to a writer whose client does not read, serves others, and drains", () => {
    const bytes = new Uint8Array(65_536).fill(97)
    const stalls: Array<string> = []
    const serve = (transport: Transport) =>
      Effect.gen(function* () {
        if ((yield* transport.incoming.take) !== "flood")
          return yield* Effect.sync(() => void transport.write("hello"))
        transport.onDrain(() => {
          stalls.push("drained")
          transport.write("last")
        })
        for (let i = 0; i < 512; i++)
          if (!transport.write(bytes) && stalls.length === 0) stalls.push("stalled")
        yield* Effect.never
      }).pipe(Effect.ignore)
    return listening(serve, async (url) => {
      const slow = await connect(url)
      slow.send("flood")
      slow.pause()
      while (stalls.length === 0) await new Promise(setImmediate)
      const other = await connect(url)
      other.send("hi")
      expect((await nextMessage(other)).text).toBe("hello")
      expect(stalls).toEqual(["stalled"])
      slow.resume()
      await received(slow, (text) => text === "last")
      expect(stalls).toEqual(["stalled", "drained"])
    })
  })

  it("stops reading from a client while nobody takes, and goes on when somebody does", () => {
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    const serve = (transport: Transport) =>
      Effect.andThen(
        Effect.promise(() => started),
        echo(transport),
      )
    return listening(serve, async (url) => {
      const socket = await connect(url)
      const text = "x".repeat(100_000)
      let sent = 0
      for (let i = 0; i < 300; i++) socket.send(text, () => sent++)
      let quiet = 0
      for (let before = -1; quiet < 100; before = sent) {
        await new Promise(setImmediate)
        quiet = before === sent ? quiet + 1 : 0
      }
      expect(sent).toBeLessThan(300)
      start()
      let back = 0
      await received(socket, (echoed) => echoed.length === text.length && ++back === 300)
    })
  })
})
