/**
 * All cases of the wire suite, in the order in which they are listed and run.
 */
import type { Case } from "../Case.ts"
import { environment, info } from "./environment.ts"
import { envelope } from "./envelope.ts"
import { framing } from "./framing.ts"
import { handshake, violation } from "./handshake.ts"
import { concurrency, lifecycle } from "./lifecycle.ts"
import { limits } from "./limits.ts"
import { order, output } from "./output.ts"
import { read, ring } from "./read.ts"
import { session } from "./session.ts"
import { exitCode, signal, terminate } from "./signal.ts"
import { start } from "./start.ts"
import { websocket } from "./websocket.ts"
import { write } from "./write.ts"

export const cases: ReadonlyArray<Case> = [
  ...handshake,
  ...violation,
  ...envelope,
  ...framing,
  ...limits,
  ...websocket,
  ...start,
  ...output,
  ...order,
  ...read,
  ...ring,
  ...write,
  ...signal,
  ...terminate,
  ...exitCode,
  ...info,
  ...environment,
  ...session,
  ...concurrency,
  ...lifecycle,
]
