/**
 * The first three messages of a connection: `initialize`, its answer, `initialized`.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

const hello = { clientName: "x" }

export const handshake = table("handshake", {
  "initialize-returns-session-and-environment": {
    spec: [1],
    says:
      "initialize {clientName} is answered with a result that holds sessionId, a string, and " +
      "environmentInfo, an object.",
    run: async (t) => {
      const wire = await t.connect()
      const result = await wire.ok("initialize", hello)
      Check.isTrue(Check.text(result["sessionId"], "sessionId").length > 0, "sessionId must not be empty")
      const shell = Check.object(
        Check.object(result["environmentInfo"], "environmentInfo")["shell"],
        "its shell",
      )
      Check.text(shell["name"], "the name of the shell")
      Check.text(shell["path"], "the path of the shell")
    },
  },
  "session-id-is-a-uuid": {
    level: "should",
    spec: [1],
    says: "The sessionId is a UUID, and two connections get different ones.",
    run: async (t) => {
      const ids = [
        Check.text((await (await t.connect()).ok("initialize", hello))["sessionId"], "sessionId"),
        Check.text((await (await t.connect()).ok("initialize", hello))["sessionId"], "sessionId"),
      ]
      for (const id of ids)
        Check.isTrue(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id), `${id} is no UUID`)
      Check.isTrue(ids[0] !== ids[1], "two sessions have the same id")
    },
  },
  "empty-client-name-accepted": {
    spec: [2],
    says: "initialize with an empty clientName succeeds.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "" })
    },
  },
  "null-resume-id-accepted": {
    says: "initialize with resumeSessionId null opens a new session.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "x", resumeSessionId: null })
    },
  },
  "initialize-without-params-refused": {
    spec: [3],
    says: "initialize without params is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", undefined, -32602)
    },
  },
  "missing-client-name-is-named": {
    spec: [4],
    says: "initialize {} is refused with -32602 and a message that names clientName.",
    run: async (t) => {
      const message = await (await t.connect()).refused("initialize", {}, -32602)
      Check.contains(message, "clientName", "the message")
    },
  },
  "client-name-of-wrong-type-refused": {
    spec: [5],
    says: "initialize {clientName: 5} is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", { clientName: 5 }, -32602)
    },
  },
  "decoder-texts-of-the-peer": {
    level: "peer",
    spec: [3, 4, 5],
    says: "Params of initialize that do not decode are refused with the exact texts of Codex.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused(
        "initialize",
        undefined,
        -32602,
        "invalid type: null, expected struct InitializeParams",
      )
      await wire.refused("initialize", {}, -32602, "missing field `clientName`")
      await wire.refused("initialize", { clientName: 5 }, -32602, "invalid type: number, expected a string")
    },
  },
  "failed-initialize-can-be-repeated": {
    spec: [6],
    says: "After a refused initialize, a valid one on the same connection succeeds.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("initialize", {}, -32602)
      await wire.handshake()
      await wire.barrier()
    },
  },
  "second-initialize-refused": {
    spec: [7],
    says: "A second initialize is refused with -32600, and the connection stays usable.",
    play: async (wire) => {
      await wire.refused("initialize", hello, -32600, "initialize may only be sent once per connection")
      await wire.barrier()
    },
  },
  "initialized-may-be-repeated": {
    spec: [17],
    says: "initialized may be sent three times, with any params: it has no effect and no answer.",
    play: async (wire) => {
      wire.send({ method: "initialized", params: { odd: [1] } })
      wire.send({ method: "initialized", params: null })
      await wire.barrier()
      Check.equal(wire.inbox.messages.length, 2, "messages from the server")
    },
  },
  "handshake-may-be-pipelined": {
    spec: [18],
    says: "initialize, initialized and process/start sent without waiting are all accepted.",
    run: async (t) => {
      const wire = await t.connect()
      const first = wire.begin("initialize", hello)
      wire.send({ method: "initialized" })
      const child = await Child.start(wire, { script: "exit 4" })
      Check.isTrue((await first).error === undefined, "initialize was refused")
      Check.equal((await child.ended()).exitCode, 4, "exit code")
    },
  },
})
