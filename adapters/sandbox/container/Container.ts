/**
 * A container that runs until it is closed, or until this process is gone: its first process reads requests from a pipe
 * that this process holds, and what it prints tells about the processes inside.
 */
import { randomUUID } from "node:crypto"
import process from "node:process"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as Scripts from "./ContainerScripts.ts"

/** How a container is run. */
export interface Options {
  /** The path of the command line, podman or docker. */
  readonly program: string
  /** The sequence of keys that leaves a process, which must not be typed; empty for none. */
  readonly detachKeys: string
  /** The name of the image. */
  readonly image: string
  /** Further arguments of `run`. */
  readonly args: ReadonlyArray<string>
  /** What starts the command line. */
  readonly inner: Spawner.SpawnerService
}

/** A running container. */
export interface Container extends Options {
  /** Its name, which no other has. */
  readonly name: string
  /** Calls `take` with the words of each line about this token. */
  readonly listen: (token: string, take: Listener) => void
  readonly forget: (token: string) => void
  /** Sends a request: true if it succeeded, false also if the container has ended. */
  readonly ask: (...words: ReadonlyArray<string>) => Effect.Effect<boolean>
  readonly hasEnded: () => boolean
  /** The last words of the engine, once the container has ended. */
  readonly ended: Effect.Effect<string>
}

/** Takes the words of a line. */
export type Listener = (words: ReadonlyArray<string>) => void

/** There is no container, for the reason that the engine gives. */
export class ContainerError extends Data.TaggedError("ContainerError")<{ readonly message: string }> {}

/** How long the engine may take to start a container, and to remove one. */
const startTime = "2 minutes"
const removeTime = "1 minute"

/** The environment of the command line. */
export const ownEnv = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

/** Starts a container, which is removed with the scope. */
export const open = (options: Options): Effect.Effect<Container, ContainerError, Scope.Scope> =>
  Effect.gen(function* () {
    const { args, image, inner, program } = options
    const name = `procwire-${randomUUID()}`
    const talk = makeTalk()
    const fixed = ["--rm", "--interactive", "--pull=never", "--name", name, "--entrypoint", "sh"]
    const memory = ["--tmpfs", `${Scripts.folder}:rw,mode=1777`]
    const running = inner.spawn(
      {
        argv: [program, "run", ...fixed, ...memory, ...args, image, ...Scripts.asMain],
        cwd: "/",
        env: ownEnv(),
        stdio: { kind: "pipe", stdin: true },
      },
      { output: talk.output, end: () => {}, exit: talk.exit },
    )
    const { endStdin, write } = yield* Effect.mapError(
      running,
      ({ message }) => new ContainerError({ message }),
    )
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(endStdin, Effect.timeoutOption(Effect.interruptible(talk.ended), removeTime)),
    )
    yield* Effect.timeoutFail(talk.greeted, {
      duration: startTime,
      onTimeout: () => new ContainerError({ message: `the container has not started in ${startTime}` }),
    })
    const warn = (why: string) =>
      Effect.logWarning(`the container of ${image} has ended, and its processes with it: ${why}`)
    yield* Effect.forkScoped(Effect.flatMap(talk.ended, warn))
    let count = 0
    const ask: Container["ask"] = (...words) =>
      Effect.suspend(() => {
        const id = `${count++}`
        const line = new TextEncoder().encode(`${[id, ...words].join(" ")}\n`)
        return Effect.zipRight(Effect.ignore(write(line)), talk.answer(id))
      })
    return { ...options, ...talk, name, ask }
  })

/** What the first process says. */
const makeTalk = () => {
  const listeners = new Map<string, Listener>()
  const answers = new Map<string, Deferred.Deferred<boolean>>()
  const greeted = Deferred.unsafeMake<void, ContainerError>(FiberId.none)
  const ended = Deferred.unsafeMake<string>(FiberId.none)
  let [over, rest, said] = [false, "", ""]
  const refuse = (message: string) =>
    Deferred.unsafeDone(greeted, Effect.fail(new ContainerError({ message })))
  const waiting = (id: string) => {
    const found = answers.get(id) ?? Deferred.unsafeMake<boolean>(FiberId.none)
    answers.set(id, found)
    return found
  }
  const onLine = (line: string) => {
    const [token = "", ...words] = line.split(" ")
    const [word = "", more] = words
    if (token !== "-") listeners.get(token)?.(words)
    else if (word === "ready") Deferred.unsafeDone(greeted, Effect.void)
    else if (word === "lacks") refuse(`the image has no command ${more}`)
    else Deferred.unsafeDone(waiting(word), Effect.succeed(more === "0"))
  }
  return {
    listen: (token: string, take: Listener) => void listeners.set(token, take),
    forget: (token: string) => void listeners.delete(token),
    output: (stream: Spawner.OutputStream, bytes: Uint8Array) => {
      const text = Buffer.from(bytes).toString()
      if (stream === "stderr") return void (said = (said + text).slice(-4_096))
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) onLine(line)
    },
    exit: () => {
      over = true
      const why = lastLine(said) || "its first process has ended"
      refuse(why)
      for (const answer of answers.values()) Deferred.unsafeDone(answer, Effect.succeed(false))
      Deferred.unsafeDone(ended, Effect.succeed(why))
    },
    answer: (id: string) =>
      Effect.suspend(() =>
        over && !answers.has(id) ? Effect.succeed(false) : Deferred.await(waiting(id)),
      ).pipe(Effect.ensuring(Effect.sync(() => answers.delete(id)))),
    greeted: Deferred.await(greeted),
    ended: Deferred.await(ended),
    hasEnded: () => over,
  }
}

/** The last line of a text, without what the engine puts before its errors. */
export const lastLine = (text: string): string =>
  (text.trim().split("\n").at(-1) ?? "").replace(/^Error: /, "")
