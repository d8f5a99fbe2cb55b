/** The body of a request as JSON, where it has such a body, and a short one. */
import type { IncomingMessage } from "node:http"
import type { Refusal } from "./Answer.ts"

/** Longer bodies are refused; a token has some kilobytes at most. */
const mostBytes = 16_384

/** How long a body may take. */
const mostMillis = 10_000

/** The value, or the HTTP status of the refusal and why. */
export type JsonBody = Refusal | { readonly status?: undefined; readonly value: unknown }

const slow = { status: 408, body: "the body did not come" }
const long = { status: 413, body: `the body may have at most ${mostBytes} bytes` }
const broken = { status: 400, body: "the body is not JSON" }

/** True for what no form of another site can send without being asked for it (CORS). */
export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType ?? "")

/** Reads it. A body that does not come is refused. */
export const read = (request: IncomingMessage): Promise<JsonBody> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const end = (body: JsonBody) => {
      clearTimeout(timer)
      resolve(body)
    }
    const timer = setTimeout(() => end(slow), mostMillis)
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > mostBytes) end(long)
      else chunks.push(chunk)
    })
    request.on("end", () => end(parse(Buffer.concat(chunks).toString())))
    request.on("error", () => end(broken))
    request.on("close", () => end(broken))
  })

const parse = (text: string): JsonBody => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return broken
  }
}
