/** All that `procwire/node`, `procwire/bun` and `procwire/deno` export but what is bound to the runtime. */
export type {
  CommandOptions,
  InProcessTarget,
  RemoteTarget,
  Serve,
  Target,
  ToClient,
  UrlOptions,
  UrlTarget,
} from "./Program.ts"
export * from "../../core/client/door.ts"
export type { V0Options } from "../../core/client/Dialects.ts"
export type { V0Client } from "../../core/client/v0/V0Client.ts"
export * from "./serve/index.ts"
