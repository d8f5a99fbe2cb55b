/** `http/request`, on the server. */
import type { Feature } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { http as wire } from "./wire.ts"

const code = Late.make(() => import("./handlers.ts"))

export const http: Feature<typeof wire> = {
  code,
  announces: () => ({}),
  handlers: (connection) => code.get().make(connection),
}
