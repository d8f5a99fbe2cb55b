/** A feature on the server: its capabilities there, and its part in a process whose start asks for it. */
import type { Extend } from "../process/Lifecycle.ts"
import type { StartParams } from "../protocol/Process.ts"
import type { Wire } from "./Wire.ts"

/** A feature on the server. */
export interface Feature<W extends Wire = Wire> {
  /** Its capabilities: true if it works here. */
  readonly announces: () => { readonly [K in keyof W["capabilities"]]: boolean }
  /** Its part in a process; undefined if these params do not ask for it. */
  readonly extend?: (params: StartParams) => Extend | undefined
}
