/**
 * Not cases: tries upgrades at a WebSocket server with flags for authentication. Cases with the same flags share it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Check, within, type CaseContext } from "../Vocabulary.ts"
import { probe, upgradeHeaders, type Answer } from "../wire/HttpProbe.ts"
import { awaitExit } from "../wire/ServerProcess.ts"

export interface Guarded {
  /** The answer to an upgrade with this `Authorization` header; `undefined` sends none. */
  readonly upgrade: (authorization?: string, headers?: { readonly [name: string]: string }) => Promise<Answer>
  readonly get: (path: string, headers?: { readonly [name: string]: string }) => Promise<Answer>
  /** An upgrade with this header must succeed. */
  readonly accepts: (authorization: string, what: string) => Promise<void>
  /** An upgrade with this header must be refused with 401. */
  readonly refuses: (authorization: string | undefined, what: string) => Promise<Answer>
}

export const start = async (t: CaseContext, args: ReadonlyArray<string>): Promise<Guarded> => {
  const { url = "" } = await t.withArgs(args)
  const upgrade: Guarded["upgrade"] = (authorization, headers = {}) => {
    const credential = authorization === undefined ? {} : { authorization }
    return probe(url, { path: "/", headers: { ...upgradeHeaders, ...credential, ...headers } }, t.timeoutMs)
  }
  return {
    upgrade,
    get: (path, headers = {}) => probe(url, { path, headers }, t.timeoutMs),
    accepts: async (authorization, what) => {
      const { status, body } = await upgrade(authorization)
      Check.equal(status, 101, `the status of an upgrade with ${what} (${body})`)
    },
    refuses: async (authorization, what) => {
      const answer = await upgrade(authorization)
      Check.equal(answer.status, 401, `the status of an upgrade with ${what}`)
      return answer
    },
  }
}

/** Starts a server that must not start; returns its exit code and what it wrote. */
export const playStart = async (t: CaseContext, flags: ReadonlyArray<string>, listen?: string) => {
  const server = t.launch(flags, listen)
  let out = ""
  server.child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString("utf8")))
  const silent = new Promise((resolve) => server.child.once("close", resolve))
  const { code } = await awaitExit(server, t.timeoutMs)
  await within(silent, t.timeoutMs, "the end of the standard error")
  return { code, out, said: server.errors() }
}

/** Runs `use` with the path of a file of this content and removes the file afterwards. */
export const withFile = async <A>(content: string, use: (path: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-secret-"))
  try {
    const path = join(folder, "secret")
    writeFileSync(path, content, { mode: 0o600 })
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
