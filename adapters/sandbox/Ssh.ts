/**
 * `ssh:[USER@]HOST[:PORT]`: processes of another machine, over one connection of `ssh`, without procwire over there.
 *
 * One `ssh` is the ControlMaster, whose own session is the keeper. Each process has an `ssh` that is its client, so it
 * is a session of sshd, which gives it a PTY. `ssh` tells a death by a signal as 255.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import * as Far from "./Far.ts"
import * as RemoteScripts from "./RemoteScripts.ts"
import type { SpawnerProblem } from "./SpawnerProblem.ts"

export const ssh: BuiltIn = {
  name: "ssh",
  options: ":[USER@]HOST[:PORT][,identity=FILE,config=FILE,alive=SECONDS]",
  says:
    "starts processes on another machine over one connection of OpenSSH, with the keys, known hosts and configuration " +
    "of the user; over there it needs a POSIX shell only",
  example: "ssh:build@build-host:2222",
  elsewhere: true,
  missing: () => BuiltIns.lacks("ssh", "openssh-client"),
  read: (text) => Result.map(read(text), layer),
}

/**
 * Runs a command on a terminal that prints into a pipe. The ControlMaster prints in place of its clients, and a
 * terminal without a reader would block it, and with it every other process.
 */
const passing = 'exec 4>&1; exit $({ { "$@" 3>&- 4>&-; echo $? >&3; } | cat >&4 3>&-; } 3>&1)'

/** A spawner on the machine at this destination, which has to let us in. */
const layer = (to: Destination) =>
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "procwire-ssh-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
      ),
      (folder) => {
        // The path of a socket may have about a hundred characters.
        const control = (link: string) => join(folder, link.slice(-8))
        return Far.layer({
          name: `ssh:${to.name}`,
          isContainer: false,
          silenceSeconds: to.silenceSeconds,
          loginSeconds: 60,
          keeper: (link) => ["ssh", ...to.master(control(link)), RemoteScripts.bootstrap],
          exec: (link, { kind }, command) => [
            ...(kind === "pty" ? ["/bin/sh", "-c", passing, "sh"] : []),
            "ssh",
            ...to.session(control(link), kind === "pty"),
            `exec ${command.map(RemoteScripts.quote).join(" ")}`,
          ],
          reason: (said) => said.trim(),
          lost: (why) => `ssh:${to.name}: the connection was lost, and with it its processes: ${why}`,
          notice: `procwire: the connection to ${to.name} was lost`,
        })
      },
    ),
  )

export interface Destination {
  /** `USER@HOST:PORT`, as it was given. */
  readonly name: string
  /** So long a connection may be silent before it counts as lost. */
  readonly silenceSeconds: number
  /** The arguments of an `ssh` that is the ControlMaster at this path; the command for the far side follows them. */
  readonly master: (controlPath: string) => ReadonlyArray<string>
  /** Those of an `ssh` that is its client, and never connects by itself. */
  readonly session: (controlPath: string, isPty: boolean) => ReadonlyArray<string>
}

const usualSilence = "60"

/** Options that the user's configuration must not change, nor a question stop. */
const fixed = {
  BatchMode: "yes",
  ClearAllForwardings: "yes",
  ControlPersist: "no",
  EscapeChar: "none",
  ForwardAgent: "no",
  ForwardX11: "no",
  LogLevel: "ERROR",
  PermitLocalCommand: "no",
  RemoteCommand: "none",
  ServerAliveCountMax: "3",
}

/** Reads `[USER@]HOST[:PORT][,identity=FILE,config=FILE,alive=SECONDS]`; an IPv6 address is in brackets. */
export const read = (text = ""): Result.Result<Destination, SpawnerProblem> =>
  Result.gen(function* () {
    const [name = "", ...rest] = text.split(",")
    const [, user, bracketed, plain, port] =
      /^(?:([^@\s][^\s]*)@)?(?:\[([0-9A-Fa-f:.%\w]+)\]|([^@:[\]\s]+))(?::([0-9]+))?$/.exec(name) ?? []
    const host = bracketed ?? plain
    if (host === undefined || host.startsWith("-") || user?.startsWith("-") === true)
      return yield* BuiltIns.invalid(`'${name}' is no destination: expected [USER@]HOST[:PORT]`)
    if (port !== undefined) yield* BuiltIns.whole("the port", port, 1, 65_535)
    const given = yield* BuiltIns.pairs(rest.join(","), ["identity", "config", "alive"])
    const empty = given.find(([, value]) => value === undefined || value === "")
    if (empty !== undefined) return yield* BuiltIns.invalid(`'${empty[0]}' needs a value: ${empty[0]}=VALUE`)
    const { alive = usualSilence, config, identity } = Object.fromEntries(given)
    const silenceSeconds = yield* BuiltIns.whole("alive, in seconds,", alive, 3, 3_600)
    const pairs = (options: object) => Object.entries(options).flatMap((pair) => ["-o", pair.join("=")])
    const words = (controlPath: string, options: object) => [
      "-S",
      controlPath,
      ...(config === undefined ? [] : ["-F", config]),
      ...pairs({
        ...fixed,
        ...options,
        ConnectTimeout: silenceSeconds,
        ServerAliveInterval: Math.floor(silenceSeconds / 3),
      }),
      ...(identity === undefined ? [] : ["-i", identity, ...pairs({ IdentitiesOnly: "yes" })]),
      ...(port === undefined ? [] : ["-p", port]),
      ...(user === undefined ? [] : ["-l", user]),
      "--",
      host,
    ]
    return {
      name,
      silenceSeconds,
      master: (controlPath) => words(controlPath, { ControlMaster: "yes", RequestTTY: "no" }),
      session: (controlPath, isPty) =>
        words(controlPath, {
          ControlMaster: "no",
          ProxyCommand: "false",
          RequestTTY: isPty ? "force" : "no",
        }),
    }
  })
