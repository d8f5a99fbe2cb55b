/**
 * The control server and the broken ones as targets, for tests.
 */
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import type { Capability } from "../suite/Case.ts"
import * as Target from "../suite/Target.ts"
import * as ServerProcess from "../suite/wire/ServerProcess.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

/** What the control server, and so every broken one, does not do. */
export const without: ReadonlySet<Capability> = new Set([
  "arg0",
  "concurrency-flag",
  "env-policy",
  "filesystem",
  "http-client",
  "http-endpoints",
  "pty",
])

/** A server below `targets/`: `control`, or `broken/…`. */
export const target = (name: string, transport: TransportKind): Target.Target => {
  const script = fileURLToPath(new URL(`../targets/${name}.mjs`, import.meta.url))
  const listen = transport === "ws" ? ["--listen", "ws://127.0.0.1:0"] : []
  return Target.command(transport, [process.execPath, script, ...listen])
}

/** Broken servers in one process. */
export interface Together {
  /** One of them. A case that needs a server of its own, or whose fault has ended the process, starts it alone. */
  readonly target: (name: string) => Target.Target
  /** Ends the process. */
  readonly close: () => void
}

/** Starts broken servers over WebSocket; rejects if they do not all listen within `timeoutMs`. */
export const together = async (names: ReadonlyArray<string>, timeoutMs: number): Promise<Together> => {
  const script = fileURLToPath(new URL("../targets/together.mjs", import.meta.url))
  const argv = [process.execPath, script, ...names]
  const server = ServerProcess.launch({ argv, env: Target.serverEnv, token: randomUUID() })
  const urls: { readonly [name: string]: string } = JSON.parse(
    await ServerProcess.firstLine(server, timeoutMs),
  )
  return {
    target: (name) => {
      const alone = target(`broken/${name}`, "ws")
      const here = Target.url(urls[name] ?? "")
      return { ...alone, shared: (needs) => (server.exited() ? alone : here).shared(needs) }
    },
    close: server.kill,
  }
}
