/** `process/port`, on the server. */
import * as Effect from "effect/Effect"
import { ProcessEvidence } from "../../spawn/ProcessEvidence.ts"
import { ProcessPorts } from "../../spawn/ProcessPorts.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { port as wire } from "./wire.ts"

const code = Late.make(() => import("./Forwards.ts"))

export const port: Stateful<typeof wire> = () =>
  Effect.gen(function* () {
    const [evidence, ports, scope] = yield* Effect.all([ProcessEvidence, ProcessPorts, Effect.scope])
    return {
      code,
      announces: () => ({ processPort: evidence.tells.port && ports.available }),
      handlers: (connection) => code.get().handlers(connection, { evidence, ports, scope }),
    }
  })
