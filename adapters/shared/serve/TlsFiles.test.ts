import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import * as Certificates from "../testing/Certificates.ts"
import * as Flags from "../cli/Flags.ts"
import * as TargetFlags from "../cli/TargetFlags.ts"
import * as TextFile from "../host/TextFile.ts"
import type { TlsOptions } from "./Options.ts"
import * as TlsFiles from "./TlsFiles.ts"

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
const inMemory = TextFile.layerMemory(contents)

const server = (tls: TlsOptions) =>
  Effect.provide(TlsFiles.readServer({ options: { tls }, label: (path) => path }), inMemory)
const client = (values: Parameters<typeof TargetFlags.readTls>[0]) =>
  Effect.provide(TargetFlags.readTls(values), inMemory)

const refusal = (tls: TlsOptions) => Effect.runSync(Effect.flip(server(tls))).message

const certificate = { cert: made.server.cert, key: made.server.key }

describe("TlsFiles", () => {
  it("reads the files of a server", () => {
    expect(Effect.runSync(server({}))).toBeUndefined()
    const given = { certFile: "c", keyFile: "k" }
    expect(Effect.runSync(server(given))).toEqual(certificate)
    const clientCa = made.authority.cert
    expect(Effect.runSync(server({ ...given, clientCaFile: "a" }))).toEqual({ ...certificate, clientCa })
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
    expect(refusal({ certFile: "c" })).toBe("tls.certFile and tls.keyFile belong together")
    expect(refusal({ keyFile: "k" })).toBe("tls.certFile and tls.keyFile belong together")
    expect(refusal({ clientCaFile: "a" })).toBe("tls.clientCaFile needs tls.certFile and tls.keyFile")
    expect(Effect.runSync(Effect.flip(client({ "tls-key": "k" })))).toEqual(
      new Flags.UsageError({ message: "--tls-cert and --tls-key belong together" }),
    )
  })

  it("names the file that is no certificate or key, and a key of another certificate", () => {
    expect(refusal({ certFile: "none", keyFile: "k" })).toBe("tls.certFile none holds no certificate in PEM")
    expect(refusal({ certFile: "c", keyFile: "none" })).toBe("tls.keyFile none holds no private key in PEM")
    expect(refusal({ certFile: "c", keyFile: "other" })).toBe(
      "tls.keyFile other is not the key of the certificate in tls.certFile c",
    )
  })
})
