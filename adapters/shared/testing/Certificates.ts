/**
 * Certificates for the tests of TLS, made by `openssl` in the folder of a test: one of a server at 127.0.0.1, one of a
 * client of the same authority, and one of a stranger.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A PEM certificate and its key, as texts and as files. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly certFile: string
  readonly keyFile: string
}

export interface Certificates {
  readonly authority: Certificate
  readonly server: Certificate
  readonly client: Certificate
  /** Signed by itself. */
  readonly stranger: Certificate
}

/** `names` are those of the server and the client, as OpenSSL writes them. */
export const make = (folder: string, names = "IP:127.0.0.1"): Certificates => {
  const file = (name: string) => join(folder, name)
  const openssl = (...args: ReadonlyArray<string>) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" })
  const read = (name: string): Certificate => ({
    cert: readFileSync(file(`${name}.pem`), "utf8"),
    key: readFileSync(file(`${name}.key`), "utf8"),
    certFile: file(`${name}.pem`),
    keyFile: file(`${name}.key`),
  })
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const selfSigned = (name: string): Certificate => {
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
    )
    return read(name)
  }
  const signed = (name: string): Certificate => {
    writeFileSync(file(`${name}.ext`), `subjectAltName=${names}\n`)
    openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`)
    const by = [
      "-CA",
      "authority.pem",
      "-CAkey",
      "authority.key",
      "-CAcreateserial",
      "-extfile",
      `${name}.ext`,
    ]
    openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, "-days", "2", ...by)
    return read(name)
  }
  const authority = selfSigned("authority")
  return { authority, server: signed("server"), client: signed("client"), stranger: selfSigned("stranger") }
}
