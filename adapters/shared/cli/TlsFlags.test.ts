import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import * as Certificates from "../testing/Certificates.ts"
import * as Flags from "./Flags.ts"
import * as TlsFlags from "./TlsFlags.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-tls-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const made = Certificates.make(folder)

/** The files by the names that the tests give. */
const contents: Readonly<Record<string, string>> = {
  c: made.server.cert,
  k: made.server.key,
  a: made.authority.cert,
  other: made.stranger.key,
  none: "nothing\n",
}
const inMemory = FileSystem.layerNoop({
  readFile: (path) => Effect.succeed(new TextEncoder().encode(contents[path])),
})

const server = (values: Parameters<typeof TlsFlags.readServer>[1]) =>
  Effect.provide(TlsFlags.readServer("procwire serve", values), inMemory)
const client = (values: Parameters<typeof TlsFlags.readClient>[1]) =>
  Effect.provide(TlsFlags.readClient("procwire run", values), inMemory)

const certificate = { cert: made.server.cert, key: made.server.key }

describe("TlsFlags", () => {
  it("reads the files of a server", () => {
    expect(Effect.runSync(server({}))).toBeUndefined()
    const given = { "tls-cert": "c", "tls-key": "k" }
    expect(Effect.runSync(server(given))).toEqual(certificate)
    const clientCa = made.authority.cert
    expect(Effect.runSync(server({ ...given, "tls-client-ca": "a" }))).toEqual({ ...certificate, clientCa })
  })

  it("reads the files of a client", () => {
    expect(Effect.runSync(client({}))).toBeUndefined()
    const given = { "tls-cert": "c", "tls-key": "k" }
    expect(Effect.runSync(client(given))).toEqual(certificate)
    expect(Effect.runSync(client({ "tls-ca": "a" }))).toEqual({ ca: made.authority.cert })
    expect(Effect.runSync(client({ ...given, "tls-ca": "a" }))).toEqual({
      ...certificate,
      ca: made.authority.cert,
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

  it("names the file that is no certificate or key, and a key of another certificate", () => {
    const refusal = (values: Parameters<typeof server>[0]) =>
      Effect.runSync(Effect.flip(server(values))).message
    expect(refusal({ "tls-cert": "none", "tls-key": "k" })).toBe(
      "--tls-cert none holds no certificate in PEM",
    )
    expect(refusal({ "tls-cert": "c", "tls-key": "none" })).toBe("--tls-key none holds no private key in PEM")
    expect(refusal({ "tls-cert": "c", "tls-key": "other" })).toBe(
      "--tls-key other is not the key of the certificate in --tls-cert c",
    )
  })
})
