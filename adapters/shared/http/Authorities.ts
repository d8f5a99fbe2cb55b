/**
 * Authorities that are trusted beside the runtime's own: those that `CODEX_CA_CERTIFICATE` (a variable of the peer
 * implementation), `SSL_CERT_FILE` or `SSL_CERT_DIR` (variables of OpenSSL) name.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { SecureContext } from "node:tls"

/** Reads them. The result is empty where the environment names none. */
export const read = async (env: NodeJS.ProcessEnv): Promise<Trusted> => {
  const file = env["CODEX_CA_CERTIFICATE"] || env["SSL_CERT_FILE"]
  const folder = file ? undefined : env["SSL_CERT_DIR"]
  if (!file && !folder) return {}
  const texts = file ? [await readFile(file, "utf8")] : await readAll(folder ?? "")
  // `ca` replaces the runtime's authorities, so they have to be in the list too.
  const extra = env["NODE_EXTRA_CA_CERTS"]
  if (extra) texts.push(await readFile(extra, "utf8").catch(() => ""))
  const { createSecureContext, rootCertificates } = await import("node:tls")
  const ca = [...rootCertificates, ...texts.filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))]
  // Share one context: parsing hundreds of certificates for each connection would take longer than the connection.
  return { ca, secureContext: createSecureContext({ ca }) }
}

export interface Trusted {
  readonly ca?: Array<string>
  readonly secureContext?: SecureContext
}

/** The readable files of a folder, which may hold more than certificates. */
const readAll = async (folder: string): Promise<Array<string>> => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")))
}
