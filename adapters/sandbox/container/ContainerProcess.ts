/** A process in a container: an `exec` of the engine, whose streams are those of the process. */
import { randomUUID } from "node:crypto"
import { constants } from "node:os"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { PlainChild } from "../../../core/spawn/PlainSpawner.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type { ChildHandle, ExitStatus, SpawnEvents, SpawnSpec } from "../../../core/spawn/Spawner.ts"
import * as SignalNumber from "../../shared/process/SignalNumber.ts"
import { type Container, lastLine, ownEnv } from "./Container.ts"
import * as Scripts from "./ContainerScripts.ts"

const refusals: { readonly [errno: string]: () => SpawnError.SpawnError } = {
  2: SpawnError.notFound,
  13: SpawnError.permissionDenied,
  20: SpawnError.notADirectory,
  36: () =>
    new SpawnError.SpawnError({ reason: "InvalidArgument", message: "Filename too long (os error 36)" }),
}

/** What the kernel takes of one argument, and of all of them with the environment (a quarter of the usual stack). */
const wordBytes = 131_072
const allBytes = 2_000_000

/** Starts it. Rejects with a `SpawnError`; nothing is left of it then. */
export const start = async (
  container: Container,
  spec: SpawnSpec,
  events: SpawnEvents,
): Promise<PlainChild> => {
  if (isTooLong(spec)) throw SpawnError.argumentsTooLong()
  const token = randomUUID()
  const scope = Effect.runSync(Scope.make())
  const life = makeLife(events)
  container.listen(token, life.onLine)
  let noise = ""
  const running = container.inner.spawn(toExec(container, spec, token), {
    output: (stream, bytes) => {
      if (!life.isBorn() && noise.length < 4_096) noise += Buffer.from(bytes).toString()
      events.output(stream, bytes)
    },
    end: events.end,
    exit: () => {
      // What was said before comes before this answer. Without a word the helper was killed, or the container ended.
      void Effect.runPromise(container.ask("sync")).then(() => life.lost(noise))
    },
  })
  const release = async () => {
    container.forget(token)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  try {
    const started = await Effect.runPromise(Effect.either(Scope.extend(running, scope)))
    if (Either.isLeft(started)) throw started.left
    return childOf(container, started.right, life, await life.born, release)
  } catch (error) {
    await release()
    throw error
  }
}

const isTooLong = ({ argv, env }: SpawnSpec): boolean => {
  const sizes = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].map(
    (word) => Buffer.byteLength(word) + 1,
  )
  // Each word has a pointer, too.
  return sizes.some((size) => size > wordBytes) || sizes.reduce((sum, size) => sum + size + 8, 0) > allBytes
}

/** Warnings of the engine, as of a resize that meets the end, would be output of the process. */
const quiet = "--log-level=error"

/** The command of the engine; the spec is in its environment, which no list of processes shows. */
const toExec = ({ detachKeys, name, program }: Container, spec: SpawnSpec, token: string): SpawnSpec => {
  const { stdio } = spec
  const flags = stdio.kind === "pty" ? ["-i", "-t"] : stdio.stdin ? ["-i"] : []
  const variables = Scripts.toVariables(spec)
  const passed = Object.keys(variables).flatMap((variable) => ["-e", variable])
  const helper = Scripts.toHelper(token, stdio.kind === "pty" ? stdio.size : undefined)
  return {
    argv: [program, quiet, "exec", ...flags, `--detach-keys=${detachKeys}`, ...passed, name, ...helper],
    cwd: "/",
    env: { ...ownEnv(), ...variables },
    stdio,
  }
}

/** What is known of a process. */
interface Life {
  /** Its group, and the group of its helper. */
  readonly born: Promise<readonly [group: string, helper: string]>
  readonly isBorn: () => boolean
  readonly onLine: (words: ReadonlyArray<string>) => void
  /** The helper has ended, and nothing follows. */
  readonly lost: (noise: string) => void
  readonly isOver: () => boolean
  readonly exited: Promise<void>
  /** True until the process has exited and its group is known to be empty. */
  readonly mayLive: () => boolean
  readonly isEmpty: () => void
  readonly helps: () => boolean
}

const makeLife = (events: SpawnEvents): Life => {
  let [isBorn, over, lives, helps] = [false, false, true, true]
  let bear: (ids: readonly [string, string]) => void = () => {}
  let refuse: (error: SpawnError.SpawnError) => void = () => {}
  let finish: () => void = () => {}
  const born = new Promise<readonly [string, string]>((resolve, reject) => {
    bear = resolve
    refuse = reject
  })
  const exited = new Promise<void>((resolve) => (finish = resolve))
  const exit = (status: ExitStatus) => {
    if (over) return
    over = true
    events.exit(status)
    finish()
  }
  return {
    born,
    isBorn: () => isBorn,
    onLine: ([word, first = "", second = ""]) => {
      if (word === "refused") return refuse(refusals[first]?.() ?? failed(`it was refused with ${first}`))
      if (word === "born") {
        isBorn = true
        return bear([first, second])
      }
      lives = second === "0"
      exit(
        word === "exited"
          ? { kind: "exited", code: Number(first) }
          : { kind: "signaled", signal: Number(first) },
      )
    },
    lost: (noise) => {
      helps = false
      refuse(failed(lastLine(noise) || "the container has ended"))
      if (isBorn) exit({ kind: "signaled", signal: constants.signals.SIGKILL })
    },
    isOver: () => over,
    exited,
    mayLive: () => lives,
    isEmpty: () => void (lives = false),
    helps: () => helps,
  }
}

const failed = (message: string) => new SpawnError.SpawnError({ reason: "Unknown", message })

const childOf = (
  { ask }: Container,
  exec: ChildHandle,
  life: Life,
  [group, helper]: readonly [string, string],
  release: () => Promise<void>,
): PlainChild => {
  const signal = async (name: string) => {
    // A group that is empty is not named again: its number may have become that of another.
    if (life.mayLive()) await Effect.runPromise(ask("kill", name.slice("SIG".length), group))
  }
  const closed = life.exited.then(() => {
    throw new Error("the process has exited")
  })
  closed.catch(() => {})
  const { pause, resize, resume } = exec
  return {
    write: (bytes) => (life.isOver() ? closed : Promise.race([Effect.runPromise(exec.write(bytes)), closed])),
    endStdin: () => Effect.runPromise(exec.endStdin),
    signal: (name) => {
      const number = SignalNumber.of(name)
      if (number !== undefined) return signal(Object.hasOwn(constants.signals, name) ? name : `SIG${number}`)
      throw Object.assign(new Error(`there is no signal ${name}`), { code: "ERR_UNKNOWN_SIGNAL" })
    },
    kill: () => signal("SIGKILL"),
    abandonOutput: () => Effect.runPromise(exec.abandonOutput),
    lingering: async () => {
      const lives = life.mayLive() && (await Effect.runPromise(ask("lives", group)))
      if (!lives) life.isEmpty()
      return lives
    },
    ...(resize && {
      // The engine passes it on late or, right after the start, not at all; it has to know it all the same.
      resize: async (size) => {
        await Effect.runPromise(resize(size))
        if (life.helps()) await Effect.runPromise(ask("size", helper, `${size.rows}`, `${size.columns}`))
      },
    }),
    ...(pause && resume && { pause, resume }),
    close: async () => {
      if (life.helps() || life.mayLive())
        await Effect.runPromise(ask("end", life.mayLive() ? group : helper, helper))
      await release()
    },
  }
}
