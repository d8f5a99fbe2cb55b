// @ts-check
// A model that a script plays: the Responses API over server-sent events, on loopback. Each request of the client waits
// until the script says what the model answers.
import { once } from "node:events"
import { createServer } from "node:http"

/**
 * Something that the model or the client says: a message, a call of a tool, or its output.
 * @typedef {{ type: string, call_id?: string, name?: string, [more: string]: unknown }} Item
 *
 * A request of the client: what was said so far, its tools, and how it is answered.
 * @typedef {{ input: Item[], tools: { name: string }[], answer: (items: readonly Item[]) => void }} Turn
 */

/** The address of a server that listens on loopback. @param {import("node:net").Server} server */
export const urlOf = (server) => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen")
  return `http://127.0.0.1:${address.port}`
}

/** @param {import("node:http").IncomingMessage} request @returns {Promise<Pick<Turn, "input" | "tools">>} */
const body = async (request) => {
  const parts = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

const usage = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
}

/** The words of the model as events of one response. @param {readonly Item[]} items @param {string} id */
const events = (items, id) => [
  { type: "response.created", response: { id } },
  ...items.map((item) => ({ type: "response.output_item.done", item })),
  { type: "response.completed", response: { id, usage } },
]

/** @param {string} text @returns {Item} */
export const message = (text) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
})

/**
 * A call of one of the client's tools: JSON arguments, or plain text for a tool that takes it.
 * @param {string} id
 * @param {string} name
 * @param {string | object} args
 * @param {object} [more]
 * @returns {Item}
 */
export const toolCall = (id, name, args, more = {}) =>
  typeof args === "string"
    ? { type: "custom_tool_call", call_id: id, name, input: args, ...more }
    : { type: "function_call", call_id: id, name, arguments: JSON.stringify(args), ...more }

export const open = async () => {
  /** @type {Turn[]} */
  const asked = []
  /** @type {((turn: Turn) => void)[]} */
  const waiting = []
  const server = createServer(async (request, response) => {
    if (request.method !== "POST" || !request.url?.endsWith("/responses")) {
      response.writeHead(404).end()
      return
    }
    const input = await body(request)
    /** @type {Turn["answer"]} */
    const answer = (items) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of events(items, `response-${asked.length}`))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      response.end()
    }
    const turn = { ...input, answer }
    const next = waiting.shift()
    if (next === undefined) asked.push(turn)
    else next(turn)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `${urlOf(server)}/v1`,
    /** The client's next request. @returns {Promise<Turn>} */
    next: () => {
      const turn = asked.shift()
      return turn === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(turn)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
