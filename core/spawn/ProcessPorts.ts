/**
 * Ways to the ports of running children, from the host: a child in a network namespace of its own has no route to the
 * outside, and none from there. A service with a default that has none, because few systems can make them.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Port } from "./ProcessEvidence.ts"

/** No way leads to the port; `message` is the end of a sentence. */
export class PortError extends Data.TaggedError("PortError")<{ readonly message: string }> {}

/** A listener on the host. */
export interface Forward {
  /** An address of the loopback. */
  readonly host: string
  /** The TCP port. */
  readonly port: number
  /** Completes when nobody has been connected for a while. */
  readonly idle: Effect.Effect<void>
}

/** Makes listeners on the host that lead to ports of children. */
export interface ProcessPortsService {
  /** True if it can make them here. */
  readonly available: boolean
  /**
   * Opens a listener on the loopback of the host until the scope ends, and then ends its connections. Each one becomes
   * a connection to the socket that `look` finds, from within the network of the process that has it. `look` is asked
   * at once, and again when that socket takes no connection.
   */
  readonly open: (look: Effect.Effect<Port>) => Effect.Effect<Forward, PortError, Scope.Scope>
}

/** No port can be reached. */
export const none: ProcessPortsService = {
  available: false,
  open: () => Effect.fail(new PortError({ message: "this server has no way to the ports of its processes" })),
}

/** The service; the default is `none`. */
export const ProcessPorts = Context.Reference("procwire/ProcessPorts", {
  defaultValue: (): ProcessPortsService => none,
})
