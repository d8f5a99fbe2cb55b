/** The name and the labels of a start, checked. */
import * as Effect from "effect/Effect"
import type { Names } from "../process/Listed.ts"
import type { ParamsOf } from "../protocol/Methods.ts"
import { mostNaming } from "../protocol/Process.ts"
import { ParamsError } from "./WireError.ts"

/** The names that a start gives its process. */
export const fromStart = ({
  name,
  labels,
}: Pick<ParamsOf<"process/start">, "name" | "labels">): Effect.Effect<Names, ParamsError> => {
  const fault = (name == null ? undefined : faultOfName("name", name)) ?? faultOfLabels(labels ?? {})
  return fault === undefined
    ? Effect.succeed({ name: name ?? undefined, labels: labels ?? undefined })
    : Effect.fail(new ParamsError({ message: fault }))
}

const faultOfName = (what: string, { length }: string): string | undefined =>
  length >= 1 && length <= mostNaming.name
    ? undefined
    : `${what} must have from 1 to ${mostNaming.name} characters: it has ${length}`

const faultOfLabels = (labels: Readonly<Record<string, string>>): string | undefined => {
  const entries = Object.entries(labels)
  if (entries.length > mostNaming.labels)
    return `labels has ${entries.length} members: the limit is ${mostNaming.labels}`
  for (const [key, { length }] of entries) {
    const fault = faultOfName("the key of a label", key)
    if (fault !== undefined) return fault
    if (length > mostNaming.value)
      return `the label ${key} must have at most ${mostNaming.value} characters: it has ${length}`
  }
  return undefined
}
