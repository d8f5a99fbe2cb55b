import { describe, expect, it } from "vitest"
import * as Dialects from "../protocol/dialect/Dialects.ts"
import type { Request } from "../protocol/Message.ts"
import * as Handshake from "./Handshake.ts"

const request = (method: string, params: Request["params"] = null): Request => ({
  kind: "request",
  id: 1,
  method,
  params,
})

const make = (dialect: Dialects.Name = "current") => Handshake.make<string>(Dialects.table[dialect])

/** Behind the `initialize` that opens the session. */
const initialized = (dialect: Dialects.Name = "current") => {
  const handshake = make(dialect)
  expect(handshake.begin()).toBeUndefined()
  handshake.succeed("session")
  return handshake
}

describe("Handshake", () => {
  it("refuses every family before initialize, and before initialized for another reason", () => {
    const handshake = make()
    expect(handshake.refusal("exec")).toMatchObject({ reason: "NotInitialized", family: "exec" })
    handshake.begin()
    expect(handshake.refusal("http")).toMatchObject({ reason: "NotInitialized", family: "http" })
    handshake.succeed("session")
    expect(handshake.refusal("exec")).toMatchObject({ reason: "NotReady", family: "exec" })
    expect(handshake.notification("initialized")).toBe("initialized")
    expect(handshake.refusal("exec")).toBeUndefined()
    expect(handshake.session()).toBe("session")
  })

  it("takes one initialize, and another one only if the first has failed", () => {
    const handshake = make()
    expect(handshake.begin()).toBeUndefined()
    expect(handshake.begin()).toMatchObject({ reason: "Repeated" })
    handshake.fail()
    expect(handshake.begin()).toBeUndefined()
    handshake.succeed("session")
    expect(handshake.begin()).toMatchObject({ reason: "Repeated" })
    handshake.notification("initialized")
    expect(handshake.begin()).toMatchObject({ reason: "Repeated" })
  })

  it("takes what it knows behind initialize only, and is ready behind initialized only", () => {
    const handshake = make()
    expect(handshake.notification("initialized")).toBe(false)
    expect(handshake.notification("request/cancel")).toBe(false)
    handshake.begin()
    expect(handshake.notification("initialized")).toBe(false)
    handshake.succeed("session")
    expect(handshake.notification("exit")).toBe(false)
    expect(handshake.notification("request/cancel")).toBe("request/cancel")
    expect(handshake.refusal("exec")).toMatchObject({ reason: "NotReady" })
    expect(handshake.notification("initialized")).toBe("initialized")
    expect(handshake.notification("initialized")).toBe("initialized")
  })

  it("refuses nothing in a dialect without a handshake, which keeps the session it is bound to", () => {
    const handshake = make("v0")
    expect(handshake.refusal("exec")).toBeUndefined()
    handshake.bind("bound")
    expect(handshake.decide(request("command/exec"))).toBeUndefined()
    expect(handshake.session()).toBe("bound")
  })

  it("ends the session of the handshake when the next request decides for a dialect without one", () => {
    const handshake = initialized("auto")
    handshake.notification("initialized")
    expect(handshake.decide(request("command/exec"))).toBe("session")
    expect(handshake.session()).toBeUndefined()
    expect(handshake.dialect()).toBe(Dialects.table.v0)
    expect(handshake.decide(request("command/exec"))).toBeUndefined()
  })

  it("keeps the session when the next request decides for the current wire", () => {
    const handshake = initialized("auto")
    expect(handshake.decide(request("initialize", { clientName: "x" }))).toBeUndefined()
    expect(handshake.dialect()).toBe(Dialects.table.auto)
    expect(handshake.decide(request("process/read"))).toBeUndefined()
    expect(handshake.dialect()).toBe(Dialects.table.current)
    expect(handshake.session()).toBe("session")
  })
})
