/**
 * The control server and the broken ones as targets, for tests.
 */
import { fileURLToPath } from "node:url"
import type { Capability } from "../suite/Case.ts"
import * as Target from "../suite/Target.ts"
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
