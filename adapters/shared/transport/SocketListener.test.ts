import { execFile } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListenerService } from "../../../core/transport/Listener.ts"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as SocketClient from "./SocketClient.ts"
import * as SocketListener from "./SocketListener.ts"

let folder = ""
beforeAll(() => (folder = fs.mkdtempSync(join(tmpdir(), "procwire-listen-"))))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

let count = 0
const freePath = () => join(folder, `${++count}.sock`)
const unix = (path: string): SocketListener.Options => ({ kind: "unix", path })
const tcp: SocketListener.Options = { kind: "tcp", host: "127.0.0.1", port: 0 }

const echo = (transport: Transport) =>
  transport.incoming.take.pipe(
    Effect.map((text) => void transport.write(text)),
    Effect.forever,
    Effect.ignore,
  )

/** Runs a listener while `test` uses it. */
const listening = <A>(
  address: SocketListener.Options,
  test: (listener: ListenerService) => Promise<A>,
  serve: (transport: Transport) => Effect.Effect<void> = echo,
): Promise<A> =>
  Effect.gen(function* () {
    const listener = yield* SocketListener.make(address)
    yield* Effect.forkScoped(listener.run(serve))
    return yield* Effect.promise(() => test(listener))
  }).pipe(Effect.scoped, Effect.runPromise)

const dial = async (text: string): Promise<net.Socket> => {
  const address = SocketAddress.parse(text)
  if (address === undefined) throw new Error(`no address: ${text}`)
  const socket = net.connect(address.kind === "unix" ? { path: address.path } : { ...address })
  await once(socket, "connect")
  return socket.setEncoding("utf8")
}

const ask = async (text: string, message = "1"): Promise<string> => {
  const socket = await dial(text)
  socket.write(`${message}\n`)
  const [answer] = (await once(socket, "data")) as [string]
  socket.destroy()
  return answer
}

/** A socket file without a listener, as a killed server leaves it. */
const stale = async (): Promise<string> => {
  const [bound, path] = [freePath(), freePath()]
  const server = net.createServer()
  await new Promise<void>((done) => server.listen(bound, done))
  fs.linkSync(bound, path)
  await new Promise((done) => server.close(done))
  return path
}

const refusal = (address: SocketListener.Options) =>
  listening(address, () => Promise.resolve("it listens")).catch((error: unknown) => (error as Error).message)

for (const [name, wanted] of Object.entries({ "a unix socket": () => unix(freePath()), TCP: () => tcp })) {
  describe(name, () => {
    // guards: slow-reader, busy-child
    it("serves one client while another does not read", async () => {
      const flood = (transport: Transport) =>
        Effect.gen(function* () {
          const first = yield* transport.incoming.take
          if (first === '"flood"') while (transport.write("x".repeat(65_536)));
          yield* echo(transport)
        }).pipe(Effect.ignore)
      await listening(
        wanted(),
        async ({ address }) => {
          const deaf = await dial(address)
          deaf.pause()
          deaf.write('"flood"\n')
          for (const text of ["1", "2", "3"]) {
            const socket = await dial(address)
            socket.write(`0\n${text}\n`)
            expect(await once(socket, "data")).toEqual([`${text}\n`])
            socket.destroy()
          }
          deaf.destroy()
        },
        flood,
      )
    })

    it("takes the end of a client's side for its end, and answers what came before", async () => {
      await listening(wanted(), async ({ address }) => {
        const socket = await dial(address)
        let came = ""
        socket.on("data", (text: string) => (came += text))
        socket.end('1\n"cut off"')
        await once(socket, "close")
        expect(came).toBe("1\n")
      })
    })

    it("ends its connections and its address when it is closed", async () => {
      let client: net.Socket | undefined
      const address = await listening(wanted(), async (listener) => {
        expect(await ask(listener.address)).toBe("1\n")
        client = await dial(listener.address)
        client.write("1\n")
        await once(client, "data")
        return listener.address
      })
      client?.resume()
      if (client?.destroyed === false) await once(client, "close")
      const error = await dial(address).catch((cause: unknown) => cause)
      expect((error as NodeJS.ErrnoException).code).toMatch(/ENOENT|ECONNREFUSED/)
    })

    it("connects our client, and tells it why it cannot", async () => {
      const address = await listening(wanted(), async (listener) => {
        const parsed = SocketAddress.parse(listener.address) as SocketAddress.SocketAddress
        const answer = Effect.flatMap(SocketClient.connect(parsed), (transport) => {
          transport.write('"x"')
          return transport.incoming.take
        })
        expect(await Effect.runPromise(Effect.scoped(answer))).toBe('"x"')
        return parsed
      })
      const failed = Effect.flip(Effect.scoped(SocketClient.connect(address)))
      expect(await Effect.runPromise(failed)).toMatchObject({
        reason: "Open",
        message: expect.stringMatching(/^cannot connect to (unix|tcp):.*\(os error (2|111)\)$/) as string,
      })
    })
  })
}

describe("the file of a unix socket", () => {
  // guards: unix-socket
  it("is there for its user alone, as soon as it is there, and gone at the end", async () => {
    const path = freePath()
    // The last look begins after the word to stop, so it finds the socket.
    const once = `[ -e "$0.stop" ]; last=$?; m=$(stat -c %a "$0" 2>/dev/null) && echo $m; [ $last = 0 ] && break`
    const look = `while :; do ${once}; done | sort -u`
    const seen = new Promise<string>((done) => execFile("sh", ["-c", look, path], (_, out) => done(out)))
    for (let i = 0; i < 100; i++) {
      await listening(unix(path), () => Promise.resolve())
      expect(fs.existsSync(path)).toBe(false)
    }
    await listening(unix(path), async ({ address }) => {
      expect(address).toBe(`unix:${path}`)
      expect(fs.lstatSync(path).mode & 0o777).toBe(0o600)
      fs.writeFileSync(`${path}.stop`, "")
      expect(await seen).toBe("600\n")
    })
    expect(fs.readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([])
  })

  it("replaces one that nobody listens on", async () => {
    const path = await stale()
    await listening(unix(path), async ({ address }) => expect(await ask(address)).toBe("1\n"))
  })

  it("is refused where another server listens, which goes on", async () => {
    await listening(unix(freePath()), async ({ address }) => {
      const path = address.slice("unix:".length)
      expect(await refusal(unix(path))).toBe(`cannot listen on ${address}: Address in use (os error 98)`)
      expect(await ask(address)).toBe("1\n")
    })
  })

  it("is taken by one of many servers that begin at once", async () => {
    const path = await stale()
    const served = Array.from({ length: 8 }, () =>
      listening(unix(path), ({ address }) =>
        ask(address).then(() => new Promise((done) => setTimeout(done, 300))),
      ),
    )
    const outcomes = await Promise.allSettled(served)
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("leaves every other file alone", async () => {
    const path = freePath()
    fs.writeFileSync(path, "mine")
    expect(await refusal(unix(path))).toBe(`cannot listen on unix:${path}: a file that is no socket is there`)
    expect(fs.readFileSync(path, "utf8")).toBe("mine")
    expect(await refusal(unix(folder))).toBe(
      `cannot listen on unix:${folder}: a file that is no socket is there`,
    )
  })

  it("is not removed at the end if it is another server's by then", async () => {
    const path = freePath()
    await listening(unix(path), async () => {
      fs.rmSync(path)
      fs.writeFileSync(path, "another's")
    })
    expect(fs.readFileSync(path, "utf8")).toBe("another's")
  })

  it("is named where it cannot be", async () => {
    const long = join(folder, "x".repeat(100))
    expect(await refusal(unix(long))).toContain(`path too long for a unix socket: ${long} takes`)
    const lost = join(folder, "no", "such")
    expect(await refusal(unix(lost))).toBe(
      `cannot listen on unix:${lost}: No such file or directory (os error 2)`,
    )
  })
})
