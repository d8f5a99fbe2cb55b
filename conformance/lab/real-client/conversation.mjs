// @ts-check
// The model's side of the talk with a client: tools that it calls, and what the client answers.
import assert from "node:assert/strict"
import { within } from "../stress/lib/command.mjs"
import * as Model from "./model.mjs"

/**
 * @import { Client } from "./client.mjs"
 * @import { Item, Turn } from "./model.mjs"
 *
 * @typedef {[tool: string, args: string | object, more?: object]} Call
 *
 * The client's words about a command; NaN where it gives no exit code or no session.
 * @typedef {{ text: string, code: number, session: number, output: string }} Reply
 */

/** The longest step of the client, in milliseconds. */
const patience = 90_000

/** @param {string} text @returns {Reply} */
const replyOf = (text) => ({
  text,
  code: Number(/^Process exited with code (-?\d+)$/m.exec(text)?.[1] ?? Number.NaN),
  session: Number(/^Process running with session ID (\d+)$/m.exec(text)?.[1] ?? Number.NaN),
  output: text.slice(text.indexOf("\nOutput:\n") + "\nOutput:\n".length),
})

/** @param {Item} item */
const textOf = ({ output }) => (typeof output === "string" ? output : JSON.stringify(output))

/**
 * @param {Awaited<ReturnType<typeof Model.open>>} model
 * @param {(who: string, text: string) => void} note gets what is said
 */
export const make = (model, note) => {
  /** @type {Client | undefined} */
  let running
  /** @type {Turn | undefined} */
  let turn
  let count = 0
  let over = false

  const client = () => {
    if (running === undefined) throw new Error("no client was started")
    return running
  }
  const current = () => {
    if (turn === undefined) throw new Error("the client has not asked yet")
    return turn
  }

  /** Waits for the client's next request to the model. */
  const asked = async () => {
    const end = client().ended.then(({ code, stderr }) => {
      throw new Error(`the client ended with ${code} instead of asking the model\n${stderr}`)
    })
    turn = await within(Promise.race([model.next(), end]), patience, "the client's request to the model")
    return turn
  }

  /** Calls tools in one turn; their outputs, in that order. @param {readonly Call[]} list */
  const calls = async (list) => {
    const items = list.map(([tool, args, more]) => Model.toolCall(`call-${(count += 1)}`, tool, args, more))
    for (const item of items) note("model", `${item.name} ${item["arguments"] ?? item["input"]}`)
    current().answer(items)
    const { input } = await asked()
    return items.map(({ call_id: id }) => {
      const output = input.findLast((item) => item.call_id === id && item.type.endsWith("_output"))
      assert.ok(output, `no output for ${id}`)
      note("client", textOf(output))
      return textOf(output)
    })
  }
  /** Calls one tool. @param {Call} one */
  const call = async (...one) => (await calls([one]))[0] ?? ""
  const ended = () => {
    over = true
    return within(client().ended, patience, "the end of the client")
  }

  return {
    client,
    /** True if a client was started. */
    started: () => running !== undefined,
    /** True if a client was started whose end was not awaited. */
    goesOn: () => running !== undefined && !over,
    /** Takes up a client that was just started; returns when it asks the model. @param {Client} next */
    begin: (next) => {
      running = next
      over = false
      return asked()
    },
    /** All messages of the client to the model so far. */
    input: () => current().input,
    tools: () => current().tools,
    calls,
    call,
    /** Runs a command. @param {string} cmd @param {object} [more] */
    exec: async (cmd, more = {}) => replyOf(await call("exec_command", { cmd, ...more })),
    /** Writes to a command, or polls it. @param {number} session @param {string} chars @param {object} [more] */
    stdin: async (session, chars, more = {}) =>
      replyOf(await call("write_stdin", { session_id: session, chars, ...more })),
    /** The model says its last word, and the client ends. */
    done: (text = "done") => {
      current().answer([Model.message(text)])
      return ended()
    },
    ended,
  }
}
