/**
 * A small HTTP server on the loopback interface, for servers under test that make HTTP requests.
 *
 * Guarantees: every request is recorded (method, path, raw headers, body); `close` ends all connections at once.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Seen {
  readonly method: string
  readonly path: string
  /** Names and values in turn, as they were written. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
}

/** Answers one request, or goes on to answer it when `released` is fulfilled: when the case calls `release`. */
export type Answer = (seen: Seen, response: ServerResponse, released: Promise<void>) => void

export interface HttpOrigin {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** The number of exchanges that the other side has cut off. */
  readonly aborted: () => number
  readonly release: () => void
  readonly close: () => void
}

/** Listens on a free port. */
export const start = async (answer: Answer): Promise<HttpOrigin> => {
  const seen: Array<Seen> = []
  let aborted = 0
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (bytes: Buffer) => parts.push(bytes))
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    response.on("close", () => {
      if (!response.writableFinished) aborted++
    })
    request.on("end", () => {
      const { method = "", url = "", rawHeaders } = request
      const one = { method, path: url, rawHeaders, body: Buffer.concat(parts) }
      seen.push(one)
      answer(one, response, released)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    aborted: () => aborted,
    release,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const values = ({ rawHeaders }: Seen, name: string): ReadonlyArray<string> =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)

/** The names of all headers of a request, in lower case and sorted. */
export const names = ({ rawHeaders }: Seen): ReadonlyArray<string> =>
  rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .sort()
