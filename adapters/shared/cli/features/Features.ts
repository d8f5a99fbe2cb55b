/** The features of servers that commands know, in the order of their flags. */
import * as Effect from "effect/Effect"
import type { StartOptions } from "../../../../core/client/StartOptions.ts"
import type * as Flags from "../Flags.ts"
import { answers } from "./Answers.ts"
import { deadlines } from "./Deadlines.ts"
import type { Feature, Run, ToOptions } from "./Feature.ts"
import { egress } from "./Egress.ts"
import { restart } from "./Restart.ts"
import { secrets } from "./Secrets.ts"

export const features: ReadonlyArray<Feature> = [restart, answers, deadlines, secrets, egress]

export const flags: Flags.FlagTable = Object.assign({}, ...features.map((feature) => feature.flags))

export const read = (
  values: Flags.Values<Flags.FlagTable>,
  run: Run,
): Effect.Effect<ToOptions, Flags.UsageError> =>
  Effect.map(
    Effect.forEach(features, (feature) => feature.read(values, run)),
    (all) => (capabilities) =>
      Effect.map(
        Effect.forEach(all, (toOptions) => toOptions(capabilities)),
        (options): Partial<StartOptions> => Object.assign({}, ...options),
      ),
  )
