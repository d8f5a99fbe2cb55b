/** Ports of processes, in clients. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../client/ClientError.ts"
import type { Followed } from "../ClientPart.ts"
import type { PortResult } from "./wire.ts"

/** Its call on a process. */
export interface Calls {
  /**
   * An address on the host of the server that leads to this TCP port (from 1 to 65,535), on which the process or a
   * descendant listens, also in a network of its own. It ends with the process, or when nobody has been connected for a
   * quarter of an hour. Fails with `Server` if nothing listens there. Needs the capability `processPort`.
   */
  readonly port: (port: number) => Effect.Effect<PortResult, ClientError>
}

/** The part of the feature in clients. */
export const port = {
  promises: { port: 1 },
  make: ({ id, call }: Followed): Effect.Effect<Calls> =>
    Effect.succeed({ port: (port) => call("process/port", { processId: id, port }) }),
} as const
