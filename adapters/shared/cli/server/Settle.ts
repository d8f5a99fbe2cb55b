/** The server of one's own, found or started, in the place of its name. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Connect from "../../Connect.ts"
import type { Platform } from "../../Platform.ts"
import * as Colours from "../show/Colours.ts"
import type { Target } from "../TargetFlags.ts"
import * as OwnServer from "./OwnServer.ts"

/** The target of a connection; the server of one's own is started if it does not run. */
export const settle = (platform: Platform, target: Target) =>
  "own" in target
    ? Effect.map(OwnServer.ensure(platform, process.env), ({ url, started }): Connect.Target => {
        if (started && process.stderr.isTTY)
          process.stderr.write(Colours.of("stderr").dim(`started a server of your own at ${url}\n`))
        return { url }
      })
    : Effect.succeed<Connect.Target>(target)
