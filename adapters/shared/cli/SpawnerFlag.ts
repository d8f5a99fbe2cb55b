/** `--contain` and `--spawner` of `procwire run` and `procwire mcp`, as `procwire serve` has them. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Platform } from "../Platform.ts"
import type * as Containment from "../process/contain/Containment.ts"
import { behaviour } from "../serve/OptionTable.ts"
import type { ServeError } from "../serve/ServeError.ts"
import * as SpawnerLayer from "../serve/SpawnerLayer.ts"
import * as Flags from "./Flags.ts"
import * as OptionFlags from "./OptionFlags.ts"
import type { Target } from "./TargetFlags.ts"

const helpOf = ({ default: usual, help }: (typeof behaviour)["contain" | "spawner"]) =>
  `${help} [default: ${usual}]`

export const flags = {
  contain: Flags.choice(behaviour.contain.shows, behaviour.contain.of, helpOf(behaviour.contain)),
  spawner: Flags.texts(behaviour.spawner.shows, helpOf(behaviour.spawner)),
} satisfies Flags.FlagTable

export interface Choice {
  readonly spawner?: ReadonlyArray<string> | undefined
  readonly contain?: Containment.Choice | undefined
}

/** True if one of them is given, for which the server has to be in this process. */
export const isGiven = ({ contain, spawner }: Flags.Values<typeof flags>): boolean =>
  contain !== undefined || spawner !== undefined

/** Reads them. A flag that has no effect is refused: another server has its own spawner. */
export const read = (
  { contain, spawner }: Flags.Values<typeof flags>,
  target: Target,
): Effect.Effect<Choice, Flags.UsageError> => {
  const given = spawner !== undefined ? "spawner" : contain !== undefined ? "contain" : undefined
  return given === undefined || "inProcess" in target
    ? Effect.succeed({ spawner, contain })
    : Flags.wrong(
        `--${given} is for the server in this process: give it to the \`procwire serve\` that is used`,
      )
}

/**
 * The platform whose processes are started so; they live as long as the scope. Wrong use of the flags, and a machine
 * that lacks their needs, end the command with 2.
 */
export const apply = (
  platform: Platform,
  { contain, spawner }: Choice,
  target: Target,
): Effect.Effect<Platform, ServeError | Flags.UsageError | Flags.ConfigurationError, Scope.Scope> => {
  if (!("inProcess" in target)) return Effect.succeed(platform)
  return SpawnerLayer.choose(platform, { contain, mayAdopt: true, spawner }, (option) => `--${option}`).pipe(
    Effect.map((chosen) => chosen.platform),
    Effect.mapError(OptionFlags.toFlagError),
  )
}
