/** Secrets, on the server: their checks, and lists without them. `Masking` keeps them out of output and errors. */
import * as Effect from "effect/Effect"
import { Keeper } from "../../spawn/Keeper.ts"
import type { Stateful } from "../Feature.ts"
import { code } from "./Masking.ts"
import * as Secrets from "./Secrets.ts"
import type { secrets as wire } from "./wire.ts"

export const secrets: Stateful<typeof wire> = () =>
  Effect.map(Keeper, (keeper) => ({
    code,
    announces: ({ spawner }) => ({ processSecrets: keeper === undefined || spawner.masks === true }),
    fault: (params, { secrets: own, spawner }) => {
      const all = Secrets.ofStart(params, own)
      if (all === undefined) return undefined
      if (keeper !== undefined && spawner.masks !== true) return unheld
      return params.secrets == null ? undefined : Secrets.fault(all)
    },
    options: () => ({ shown: Secrets.facts }),
  }))

const unheld =
  "`secrets` cannot be masked: the holder of processes is of an older version, which ends with the last process in it"
