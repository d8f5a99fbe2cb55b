/**
 * v0: `initialize` returns the version; no other method requires it. unknown methods and malformed messages. Each
 * case begins with a `command/exec`, so that a server that detects the dialect by itself has done so.
 */
import { Check, isObject, type CaseContext } from "../../Vocabulary.ts"
import { start, table } from "./process.ts"

export const initialize = table("initialize", {
  "answers-the-version": {
    says: "initialize {clientName} is answered with protocolVersion exec-server.v0.",
    run: async (t) => {
      const result = await (await t.connect()).ok("initialize", { clientName: "x" })
      Check.equal(result["protocolVersion"], "exec-server.v0", "protocolVersion")
    },
  },
  "not-needed": {
    says: "The first message of a connection may be command/exec: no handshake is needed.",
    run: async (t) => {
      const child = await start(await t.connect(), { script: "echo hi" })
      Check.equal(await child.exited(), 0, "the exit code")
      Check.equal(child.text(), "hi\n", "the output")
    },
  },
  "initialized-not-needed": {
    says: "Requests are answered without the notification initialized, which may be sent later and twice.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.ok("initialize", { clientName: "x" })
      await (await start(wire)).exited()
      wire.send({ method: "initialized", params: {} })
      wire.send({ method: "initialized" })
      await (await start(wire)).exited()
    },
  },
  "may-be-repeated": {
    level: "should",
    says: "After a command/exec, initialize is answered every time, also without params.",
    run: async (t) => {
      const wire = await t.connect()
      await (await start(wire)).exited()
      for (const params of [{ clientName: "x" }, undefined, {}]) {
        await wire.ok("initialize", params, { protocolVersion: "exec-server.v0" })
      }
    },
  },
})

const spoken = async (t: CaseContext) => {
  const wire = await t.connect()
  await (await start(wire)).exited()
  return wire
}

export const unknown = table("unknown", {
  "method-refused": {
    says: "A request with an unknown method, also one of later versions, is refused with -32600 unknown method: X.",
    run: async (t) => {
      const wire = await spoken(t)
      for (const method of [
        "nope/method",
        "process/start",
        "environment/status",
        "initialized",
        "",
        "toString",
      ]) {
        await wire.refused(method, {}, -32600, `unknown method: ${method}`)
      }
    },
  },
  "notification-answered-with-minus-one": {
    says: `An unknown notification is answered with id -1 and the error -32600 unexpected notification
      method: X, and the connection stays usable.`,
    run: async (t) => {
      const wire = await spoken(t)
      for (const method of ["bogus", "command/exec"]) {
        const { message, error } = await wire.exchange(JSON.stringify({ method, params: {} }))
        Check.equal(isObject(message.json) ? message.json["id"] : undefined, -1, "the id of the answer")
        Check.equal(error?.code, -32600, "the code")
        Check.equal(error?.message, `unexpected notification method: ${method}`, "the message")
      }
      await (await start(wire)).exited()
    },
  },
  "answers-ignored": {
    says: "A result or an error that answers no request is ignored, and the connection stays usable.",
    run: async (t) => {
      const wire = await spoken(t)
      const before = wire.inbox.messages.length
      wire.send({ id: 5, result: {} })
      wire.send({ id: 6, error: { code: 1, message: "x" } })
      const child = await start(wire)
      const came = wire.inbox.messages.slice(before).map(({ json }) => (isObject(json) ? json["id"] : null))
      Check.isTrue(!came.includes(5) && !came.includes(6), "an answer was answered")
      await child.exited()
    },
  },
  "malformed-ends-the-connection": {
    level: "should",
    says: "A text that is not JSON ends the connection without an answer.",
    run: async (t) => {
      const wire = await spoken(t)
      wire.sendText("{bad")
      await wire.endsSilently()
    },
  },
})
