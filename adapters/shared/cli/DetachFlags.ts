/** `--detach`, `--name` and `--label` of `procwire run`: what a process in the background is called. */
import { randomBytes } from "node:crypto"
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as ProcessName from "../../../core/client/ProcessName.ts"
import * as Flags from "./Flags.ts"
import * as RestartFlag from "./RestartFlag.ts"
import type { Target } from "./TargetFlags.ts"

/** A process in the background. */
export interface Detached {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Its start is printed as JSON. */
  readonly json: boolean
  /** It is removed as soon as it has ended. */
  readonly autoRemove: boolean
  /** When it is started again; undefined if nothing is said of that. */
  readonly restart: RestartFlag.Restart | undefined
}

/** What the flags say. */
export interface Values {
  readonly detach?: boolean
  readonly name?: string
  readonly label?: ReadonlyArray<string>
  readonly json?: boolean
  readonly restart?: string
  readonly rm?: boolean
}

/** What a process is called; undefined in the foreground, where it has no name. */
export const read = (
  command: string,
  { detach = false, name, label = [], json = false, restart, rm = false }: Values,
  argv: ReadonlyArray<string>,
  target: Target,
): Effect.Effect<Detached | undefined, Flags.UsageError> =>
  Effect.gen(function* () {
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    if (!detach) {
      const given = { "--name": name, "--label": label[0], "--json": json || undefined, "--restart": restart }
      const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
      return flag === undefined ? undefined : yield* wrong(`${flag} needs --detach`)
    }
    if ("inProcess" in target || ("command" in target && target.command === "/bin/sh"))
      return yield* wrong(
        "--detach needs a server that stays: leave --server-cmd out, or name one with --server",
      )
    if (name !== undefined && !ProcessName.isName(name))
      return yield* wrong(`invalid value '${name}' for '--name': expected ${ProcessName.expected}`)
    return {
      name: name ?? nameOf(argv),
      labels: yield* labelsOf(command, label),
      json,
      autoRemove: rm,
      restart: yield* RestartFlag.read(command, restart),
    }
  })

/** `K=V` of all flags. */
export const labelsOf = (
  command: string,
  labels: ReadonlyArray<string>,
  flag = "--label",
): Effect.Effect<Readonly<Record<string, string>>, Flags.UsageError> =>
  Effect.map(
    Effect.forEach(labels, (text) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      return key === undefined
        ? new Flags.UsageError({
            command,
            message: `invalid value '${text}' for '${flag}': expected KEY=VALUE`,
          })
        : Effect.succeed([key, value ?? ""] as const)
    }),
    Object.fromEntries<string>,
  )

/** The program, and four random characters that are not mistaken for each other. */
const nameOf = ([program = ""]: ReadonlyArray<string>): string => {
  const word =
    basename(program)
      .replaceAll(/[^\p{L}\p{N}._-]/gu, "")
      .replace(/^[._-]+/, "") || "process"
  return `${word.slice(0, 32)}-${Array.from(randomBytes(4), (byte) => letters[byte % letters.length]).join("")}`
}

const letters = "23456789abcdefghjkmnpqrstuvwxyz"
