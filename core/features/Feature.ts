/** A feature on the server: its capabilities there, and its part in a process whose start asks for it. */
import type { Extend } from "../process/Lifecycle.ts"
import type { StartParams } from "../protocol/Process.ts"
import type { HostInfo } from "../spawn/Host.ts"
import type { Wire } from "./Wire.ts"

/** The params of a start, as far as features look at them. */
export type Asked = Partial<StartParams>

/** A feature on the server. */
export interface Feature<W extends Wire = Wire> {
  /** Its capabilities: true if it works here. */
  readonly announces: (host: HostInfo) => { readonly [K in keyof W["capabilities"]]: boolean }
  /** The fault of these params, as the text of an error; undefined if it can do what they ask for. */
  readonly fault?: (params: Asked) => string | undefined
  /** Its part in a process; undefined if these params do not ask for it. */
  readonly extend?: (params: Asked, host: HostInfo) => Extend | undefined
}
