/** Files with tokens and authorities that a host or a router has been given. */
import * as Effect from "effect/Effect"
import * as TextFile from "../host/TextFile.ts"
import { misconfigured, type ServeError } from "../serve/ServeError.ts"

type Read = Effect.Effect<string | undefined, ServeError, TextFile.TextFiles>

/** The text of a file; undefined without one. `label` is how errors name the option. */
export const readText = (file: string | undefined, label: string): Read =>
  file === undefined
    ? Effect.succeed(undefined)
    : TextFile.readText(file, (reason) => misconfigured(`cannot read ${label} ${file}: ${reason}`))

/** The token in a file, without the white space around it. */
export const read = (file: string | undefined, label: string): Read =>
  Effect.flatMap(readText(file, label), (text) => {
    const token = text?.trim()
    if (token === undefined) return Effect.succeed(undefined)
    return token === "" || /[\r\n]/.test(token)
      ? misconfigured(`${label} ${file ?? ""} must hold one line with a token`)
      : Effect.succeed(token)
  })
