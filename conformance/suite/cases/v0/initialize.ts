/** v0: `initialize` returns the version; no other method requires it. */
import * as Check from "../../Check.ts"
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
        Check.equal(
          await wire.ok("initialize", params),
          { protocolVersion: "exec-server.v0" },
          "the result of initialize",
        )
      }
    },
  },
})
