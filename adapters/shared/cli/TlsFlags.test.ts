import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Flags from "./Flags.ts"
import * as TlsFlags from "./TlsFlags.ts"

/** Every file contains its own name. */
const inMemory = FileSystem.layerNoop({
  readFile: (path) => Effect.succeed(new TextEncoder().encode(`contents of ${path}`)),
})

const server = (values: Parameters<typeof TlsFlags.readServer>[1]) =>
  Effect.provide(TlsFlags.readServer("procwire serve", values), inMemory)
const client = (values: Parameters<typeof TlsFlags.readClient>[1]) =>
  Effect.provide(TlsFlags.readClient("procwire run", values), inMemory)

const certificate = { cert: "contents of c", key: "contents of k" }

describe("TlsFlags", () => {
  it("reads the files of a server", () => {
    expect(Effect.runSync(server({}))).toBeUndefined()
    const given = { "tls-cert": "c", "tls-key": "k" }
    expect(Effect.runSync(server(given))).toEqual(certificate)
    const clientCa = "contents of a"
    expect(Effect.runSync(server({ ...given, "tls-client-ca": "a" }))).toEqual({ ...certificate, clientCa })
  })

  it("reads the files of a client", () => {
    expect(Effect.runSync(client({}))).toBeUndefined()
    const given = { "tls-cert": "c", "tls-key": "k" }
    expect(Effect.runSync(client(given))).toEqual(certificate)
    expect(Effect.runSync(client({ "tls-ca": "a" }))).toEqual({ ca: "contents of a" })
    expect(Effect.runSync(client({ ...given, "tls-ca": "a" }))).toEqual({
      ...certificate,
      ca: "contents of a",
    })
  })

  it("refuses a certificate without its key, and a client CA without a certificate", () => {
    const refusal = (values: Parameters<typeof server>[0]) => Effect.runSync(Effect.flip(server(values)))
    expect(refusal({ "tls-cert": "c" })).toEqual(
      new Flags.UsageError({
        command: "procwire serve",
        message: "--tls-cert and --tls-key belong together",
      }),
    )
    expect(refusal({ "tls-key": "k" }).message).toBe("--tls-cert and --tls-key belong together")
    expect(refusal({ "tls-client-ca": "a" }).message).toBe("--tls-client-ca needs --tls-cert and --tls-key")
  })
})
