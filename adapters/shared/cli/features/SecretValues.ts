/** The values of `run --secret`, which never stand in a command line. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Core from "../../../../core/features/secrets/Secrets.ts"
import * as OsError from "../../host/OsError.ts"
import { readAtMost } from "../../host/TextFile.ts"
import { withoutEnd } from "../../serve/SecretSources.ts"
import * as Flags from "../Flags.ts"

/** The name of a secret, and where its value is. */
interface Source {
  readonly name: string
  readonly kind: string
  readonly from: string
}

const readSource = (text: string): Effect.Effect<Source, Flags.UsageError> => {
  const [, name = "", kind, from] = /^([^=]*)(?:=(env|file):(.+))?$/s.exec(text) ?? []
  // The text is not quoted, because it may be a value.
  return Core.isName(name)
    ? Effect.succeed({ name, kind: kind ?? "env", from: from ?? name })
    : Flags.wrong("invalid value for '--secret': expected NAME, NAME=env:VARIABLE or NAME=file:PATH")
}

const valueOf = ({ name, kind, from }: Source): Effect.Effect<string, Flags.UsageError> => {
  if (kind === "env") {
    const value = process.env[from]
    return value === undefined
      ? Flags.wrong(`--secret ${name}: there is no variable ${from}`)
      : Effect.succeed(value)
  }
  return Effect.try({
    try: () => withoutEnd(readAtMost(from, Core.mostBytes)),
    catch: (error) => OsError.fromUnknown(error).message,
  }).pipe(Effect.catch((reason) => Flags.wrong(`--secret ${name}: cannot read ${from}: ${reason}`)))
}

/** The values of `NAME=VALUE`, by the names of secrets that are there. */
const pairs = (flag: string, texts: ReadonlyArray<string>, names: ReadonlySet<string>) =>
  Effect.map(
    Effect.forEach(texts, (text) => {
      const [, name = "", value = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? []
      return names.has(name)
        ? Effect.succeed([name, value] as const)
        : Flags.wrong(`invalid value for '--${flag}': expected NAME=…, with the NAME of a --secret`)
    }),
    (all) => new Map(all),
  )

/**
 * Reads the secrets of these texts: `NAME`, `NAME=env:VARIABLE` or `NAME=file:PATH`. `hosts` and `bases` have texts
 * `NAME=HOST[,HOST]` and `NAME=VARIABLE`.
 */
export const read = (
  texts: ReadonlyArray<string>,
  hosts: ReadonlyArray<string>,
  bases: ReadonlyArray<string>,
) =>
  Effect.gen(function* () {
    const all = yield* Effect.forEach(texts, (text) =>
      Effect.flatMap(readSource(text), (source) =>
        Effect.map(valueOf(source), (value) => ({ name: source.name, value })),
      ),
    )
    const fault = Core.fault(all)
    if (fault !== undefined) return yield* Flags.wrong(`--secret: ${fault}`)
    const names = new Set(all.map(({ name }) => name))
    const hostsOf = yield* pairs("secret-hosts", hosts, names)
    const baseOf = yield* pairs("secret-base", bases, new Set(hostsOf.keys()))
    return Object.fromEntries(
      all.map(({ name, value }) => {
        const own = hostsOf.get(name)?.split(",")
        const base = baseOf.get(name)
        return [
          name,
          { value, ...(own === undefined ? {} : { hosts: own }), ...(base === undefined ? {} : { base }) },
        ]
      }),
    )
  })
