/** The type of `connect`, free of the types of a runtime. */
import type * as Client from "../../core/client/Client.ts"
import type * as Dialects from "../../core/client/Dialects.ts"
import type * as V0Client from "../../core/client/v0/V0Client.ts"
import type { Target } from "./Connect.ts"

/**
 * Connects a client. Rejects with `InvalidOption` for a target or an option that does not exist, and with `Connect`,
 * `Server` or `Timeout` if the server cannot be reached or its handshake fails.
 */
export interface ToClient {
  (target: Target, options: Dialects.V0Options): Promise<V0Client.V0Client>
  (target: Target, options?: Dialects.CurrentOptions): Promise<Client.Client>
}
