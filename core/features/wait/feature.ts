/** `process/wait`, on the server. */
import * as Effect from "effect/Effect"
import { ProcessEvidence } from "../../spawn/ProcessEvidence.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { wait as wire } from "./wire.ts"

const code = Late.make(() => import("./handlers.ts"))

export const wait: Stateful<typeof wire> = (shared) =>
  Effect.map(ProcessEvidence, (evidence) => ({
    code,
    announces: () => ({
      processWait: true,
      processWaitPort: evidence.tells.port,
      processWaitInput: evidence.tells.input,
    }),
    handlers: (connection) => code.get().make(connection, shared, evidence),
  }))
