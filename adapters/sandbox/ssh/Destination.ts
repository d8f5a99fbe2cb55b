/** Where `ssh:` leads: `[USER@]HOST[:PORT]` and options, as arguments of `ssh`. */
import * as Either from "effect/Either"
import * as BuiltIn from "../BuiltIn.ts"
import type { SpawnerProblem } from "../SpawnerProblem.ts"

/** A destination. */
export interface Destination {
  /** `USER@HOST:PORT`, as it was given. */
  readonly name: string
  /** So long a connection may be silent before it counts as lost. */
  readonly silenceSeconds: number
  /** The arguments of an `ssh` that is the ControlMaster at this path; the command for the far side follows them. */
  readonly master: (controlPath: string) => ReadonlyArray<string>
}

const usualSilence = "60"

/** What the user's configuration must not change, nor a question stop. */
const fixed = {
  BatchMode: "yes",
  ClearAllForwardings: "yes",
  ControlMaster: "yes",
  ControlPersist: "no",
  ForwardAgent: "no",
  ForwardX11: "no",
  LogLevel: "ERROR",
  PermitLocalCommand: "no",
  RemoteCommand: "none",
  RequestTTY: "no",
  ServerAliveCountMax: "3",
}

/** Reads `[USER@]HOST[:PORT][,identity=FILE,config=FILE,alive=SECONDS]`; an IPv6 address is in brackets. */
export const read = (text = ""): Either.Either<Destination, SpawnerProblem> =>
  Either.gen(function* () {
    const [name = "", ...rest] = text.split(",")
    const [, user, bracketed, plain, port] =
      /^(?:([^@\s][^\s]*)@)?(?:\[([0-9A-Fa-f:.%\w]+)\]|([^@:[\]\s]+))(?::([0-9]+))?$/.exec(name) ?? []
    const host = bracketed ?? plain
    if (host === undefined || host.startsWith("-") || user?.startsWith("-") === true)
      return yield* BuiltIn.invalid(`'${name}' is no destination: expected [USER@]HOST[:PORT]`)
    if (port !== undefined) yield* BuiltIn.whole("the port", port, 1, 65_535)
    const given = yield* BuiltIn.pairs(rest.join(","), ["identity", "config", "alive"])
    const empty = given.find(([, value]) => value === undefined || value === "")
    if (empty !== undefined) return yield* BuiltIn.invalid(`'${empty[0]}' needs a value: ${empty[0]}=VALUE`)
    const { alive = usualSilence, config, identity } = Object.fromEntries(given)
    const silenceSeconds = yield* BuiltIn.whole("alive, in seconds,", alive, 3, 3_600)
    const pairs = (options: object) => Object.entries(options).flatMap((pair) => ["-o", pair.join("=")])
    return {
      name,
      silenceSeconds,
      master: (controlPath) => [
        "-T",
        "-S",
        controlPath,
        ...(config === undefined ? [] : ["-F", config]),
        ...pairs({
          ...fixed,
          ConnectTimeout: silenceSeconds,
          ServerAliveInterval: Math.floor(silenceSeconds / 3),
        }),
        ...(identity === undefined ? [] : ["-i", identity, ...pairs({ IdentitiesOnly: "yes" })]),
        ...(port === undefined ? [] : ["-p", port]),
        ...(user === undefined ? [] : ["-l", user]),
        "--",
        host,
      ],
    }
  })
