/** Certificates that are trusted beside the runtime's own: those that the variables of OpenSSL, or the peer's own, name. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** Options of `node:tls`; empty where the runtime's own authorities are all there are. */
export const read = async (env: NodeJS.ProcessEnv): Promise<{ readonly ca?: Array<string> }> => {
  const file = env["CODEX_CA_CERTIFICATE"] || env["SSL_CERT_FILE"]
  const folder = file ? undefined : env["SSL_CERT_DIR"]
  if (!file && !folder) return {}
  const texts = file ? [await readFile(file, "utf8")] : await readAll(folder ?? "")
  const { rootCertificates } = await import("node:tls")
  return { ca: [...rootCertificates, ...texts.filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))] }
}

/** What in a folder can be read: it may hold more than certificates. */
const readAll = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")))
}
