/** Certificates that are trusted beside the runtime's own: those that the variables of OpenSSL, or the peer's own, name. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { SecureContext } from "node:tls"

/** Options of `node:tls`; empty where the runtime's own authorities are all there are. */
export const read = async (env: NodeJS.ProcessEnv): Promise<Trusted> => {
  const file = env["CODEX_CA_CERTIFICATE"] || env["SSL_CERT_FILE"]
  const folder = file ? undefined : env["SSL_CERT_DIR"]
  if (!file && !folder) return {}
  const texts = file ? [await readFile(file, "utf8")] : await readAll(folder ?? "")
  // Named authorities take the place of the runtime's own, so that these have to be named as well.
  const extra = env["NODE_EXTRA_CA_CERTS"]
  if (extra) texts.push(await readFile(extra, "utf8").catch(() => ""))
  const { createSecureContext, rootCertificates } = await import("node:tls")
  const ca = [...rootCertificates, ...texts.filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))]
  // Reading hundreds of them anew for each connection would take longer than the connection.
  return { ca, secureContext: createSecureContext({ ca }) }
}

export interface Trusted {
  readonly ca?: Array<string>
  readonly secureContext?: SecureContext
}

/** What in a folder can be read: it may hold more than certificates. */
const readAll = async (folder: string): Promise<Array<string>> => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")))
}
