/** `procwire down`: ends the server of one's own, with all its processes. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OwnServer from "./server/OwnServer.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"

const command = "procwire down"

const flags = {
  quiet: { type: "boolean", short: "q", help: "print nothing" },
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "down",
  summary: "End the server of your own, with all its processes",
  usage: "[OPTIONS]",
  flags,
  text: `
Its processes get SIGTERM, and SIGKILL after 5 seconds. It returns when the server is gone. It is no error if none
runs.`,
  examples: ["procwire ps && procwire down"],
}

/** Ends it. */
export const down = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { quiet = false } = yield* Flags.parse(command, args, flags)
    const pid = yield* OwnServer.stop(process.env)
    const text =
      pid === undefined ? "no server of your own runs" : `ended the server of your own (pid ${pid})`
    if (!quiet) yield* LocalTerminal.write("stdout", new TextEncoder().encode(`${text}\n`))
  })
