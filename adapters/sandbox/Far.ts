/**
 * Processes of a far side, another machine or a container, each by a command that the spawner of this machine starts:
 * `ssh` or `podman exec`, whose streams, PTY and flow control are those of the process.
 *
 * One more such command runs the keeper (`RemoteScripts`), which sends signals over there and kills the rest when its
 * input ends. A lost far side counts as the end of its processes; the next start opens another one.
 *
 * These commands tell a death by the signal n as code 128 + n, or as 255: it is taken for a signal if that was sent.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:os"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import * as Spawner from "../../core/spawn/Spawner.ts"
import { environment } from "../shared/host/NodeHost.ts"
import { signalNumber } from "../shared/process/ProcessGroup.ts"
import * as RemoteScripts from "./RemoteScripts.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

export interface Way {
  /** Names it, as `ssh:HOST`. */
  readonly name: string
  readonly isContainer: boolean
  /** So long a connection may be silent before it counts as lost; 0 if none can be silent. */
  readonly silenceSeconds: number
  /** So long the keeper may take to answer first. */
  readonly loginSeconds: number
  /** The command that runs the keeper. `link` is a name that no other connection has. */
  readonly keeper: (link: string) => ReadonlyArray<string>
  /** The command that runs this one over there, on these streams. */
  readonly exec: (link: string, stdio: Spawner.Stdio, command: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly reason: (said: string) => string
  /** The sentence of the log when the far side is lost. */
  readonly lost: (why: string) => string
  /** A last line in the output of processes that are lost, unless the log is enough. */
  readonly notice?: string
}

/** A far side that answers. */
interface Far {
  readonly way: Way
  readonly inner: Spawner.SpawnerService
  readonly link: string
  readonly folder: string
  readonly nextId: () => number
  /** Asks the keeper for `VERB WORDS` with what follows that line. Answers a status, or `lost`. */
  readonly ask: (verb: string, words?: ReadonlyArray<unknown>, more?: Uint8Array) => Promise<string>
  /** Calls `take` with what the starter of this process says; forgets it without `take`. */
  readonly listen: (id: number, take?: (words: ReadonlyArray<string>) => void) => void
  readonly isLost: () => boolean
  readonly ended: Promise<string>
  readonly close: () => Promise<void>
}

export const layer = (way: Way): Layer.Layer<Spawner.Spawner, SpawnerProblem, Spawner.Spawner> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const inner = yield* Spawner.Spawner
      const context = yield* Effect.context<never>()
      let closed = false
      const connect = async () => {
        const far = await open(way, inner)
        void far.ended.then((why) => {
          if (!closed) Effect.runForkWith(context)(Effect.logWarning(way.lost(why)))
        })
        return far
      }
      let current = connect()
      const unreachable = (cause: unknown) =>
        new SpawnerProblem({ reason: "Unreachable", message: `${way.name}: ${messageOf(cause)}`, cause })
      yield* Effect.acquireRelease(Effect.tryPromise({ try: () => current, catch: unreachable }), () =>
        Effect.promise(async () => {
          closed = true
          await (await current.catch(() => undefined))?.close()
        }),
      )
      const reach = async () => {
        const tried = current
        const far = await tried.catch(() => undefined)
        if (far !== undefined && !far.isLost()) return far
        if (current === tried) current = connect()
        return current.catch((cause: unknown) => {
          throw failed(`${way.name}: ${messageOf(cause)}`)
        })
      }
      const { pause, pty, resize } = inner.capabilities
      return PlainSpawner.toLayer({
        name: way.name,
        capabilities: { pty, resize, processGroup: true, pipeStdin: true, pause },
        spawn: async (spec, events) => {
          for (;;) {
            const child = await start(await reach(), spec, events)
            if (child !== undefined) return child
          }
        },
      })
    }),
  )

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const failed = (message: string) => new SpawnError.SpawnError({ reason: "Unknown", message })

/** Starts a command of this machine, which `close` ends. A PTY is raw from the begin, as it is over there. */
const run = async (
  inner: Spawner.SpawnerService,
  command: ReadonlyArray<string>,
  stdio: Spawner.Stdio,
  events: Spawner.SpawnEvents,
) => {
  const script = stdio.kind === "pty" ? 'stty raw -echo; exec "$@"' : 'exec "$@"'
  const spec = {
    argv: ["/bin/sh", "-c", script, "sh", ...command],
    cwd: "/",
    env: environment(),
    stdio,
  } as const
  const scope = Effect.runSync(Scope.make())
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const started = await Effect.runPromise(Effect.result(Scope.provide(inner.spawn(spec, events), scope)))
  if (Result.isSuccess(started)) return { child: started.success, close }
  await close()
  throw started.failure
}

/** So many characters of what a command says are kept. */
const saidLength = 4_096

const beatsInSilence = 3

/** Milliseconds that the keeper has to end: an engine removes its container meanwhile. */
const farewellMillis = 60_000

const after = (millis: number, act: () => void) => setTimeout(act, millis).unref()

const open = async (way: Way, inner: Spawner.SpawnerService): Promise<Far> => {
  const { isContainer, loginSeconds, silenceSeconds } = way
  const mark = randomUUID()
  const link = `procwire-${randomUUID()}`
  const waiting = new Map<string, (status: string) => void>()
  const listeners = new Map<string, (words: ReadonlyArray<string>) => void>()
  let greet: (folder: string) => void = () => {}
  let finish: (why: string) => void = () => {}
  let said = ""
  let rest = ""
  let isOver = false
  let count = 0
  const ended = new Promise<string>((resolve) => (finish = resolve))
  const greeting = new Promise<string>((resolve, reject) => {
    greet = resolve
    void ended.then((why) => reject(new Error(why)))
  })
  greeting.catch(() => {})
  const lose = () => {
    isOver = true
    for (const answer of waiting.values()) answer("lost")
    waiting.clear()
  }
  const onLine = (line: string) => {
    const [, first = "", second = "", ...more] = line.slice(line.indexOf(mark)).split(" ")
    if (first === "hello") greet(second)
    else if (first === "none") said = "no folder over there can be written: /dev/shm, TMPDIR, /tmp, HOME"
    else if (first.startsWith("=")) listeners.get(first.slice(1))?.([second, ...more])
    else waiting.get(first)?.(second)
    waiting.delete(first)
  }
  const script = RemoteScripts.keeperScript(link, mark, silenceSeconds, isContainer)
  const { child, close } = await run(
    inner,
    way.keeper(link),
    { kind: "pipe", stdin: true },
    {
      output: (stream, bytes) => {
        const text = Buffer.from(bytes).toString()
        if (stream === "stderr") return void (said = (said + text).slice(-saidLength))
        const lines = (rest + text).split("\n")
        rest = (lines.pop() ?? "").slice(-saidLength)
        for (const line of lines) if (line.includes(mark)) onLine(line)
      },
      // The keeper may be gone though its command is not.
      end: (stream) => {
        if (stream !== "stdout") return
        lose()
        void Effect.runPromise(child.kill)
      },
      exit: () => {
        lose()
        finish(way.reason(said) || "its session has ended")
      },
    },
  )
  const write = (bytes: Uint8Array) => Effect.runPromise(Effect.ignore(child.write(bytes)))
  const kill = (why: string) => {
    said ||= why
    void Effect.runPromise(child.kill)
  }
  const ask: Far["ask"] = (verb, words = [], more = new Uint8Array()) =>
    new Promise((resolve) => {
      if (isOver) return resolve("lost")
      const sequence = `${count++}`
      waiting.set(sequence, resolve)
      void write(Buffer.concat([Buffer.from(`${[verb, sequence, ...words].join(" ")}\n`), more]))
    })
  const login = after(loginSeconds * 1_000, () => kill(`no shell has answered within ${loginSeconds} s`))
  void write(Buffer.from(script))
  try {
    const folder = await greeting
    const stop = silenceSeconds === 0 ? () => {} : beat(ask, silenceSeconds, kill)
    void ended.then(stop)
    return {
      way,
      inner,
      link,
      folder,
      nextId: () => count++,
      ask,
      listen: (id, take) => void (take ? listeners.set(`${id}`, take) : listeners.delete(`${id}`)),
      isLost: () => isOver,
      ended,
      close: async () => {
        await Effect.runPromise(child.endStdin)
        await Promise.race([ended, new Promise<void>((resolve) => after(farewellMillis, resolve))])
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  } finally {
    clearTimeout(login)
  }
}

/** Shows that each side still hears the other. A silence is counted in beats, so a busy server is not taken for one. */
const beat = (ask: Far["ask"], silenceSeconds: number, kill: (why: string) => void): (() => void) => {
  let unanswered = 0
  const tick = () => {
    if (unanswered++ >= beatsInSilence) return kill(`the far side was silent for ${silenceSeconds} s`)
    void ask("sync").then(() => {
      unanswered = 0
    })
  }
  const timer = setInterval(tick, (silenceSeconds * 1_000) / beatsInSilence).unref()
  return () => clearInterval(timer)
}

const refusals: { readonly [errno: string]: () => SpawnError.SpawnError } = {
  2: SpawnError.notFound,
  7: SpawnError.argumentsTooLong,
  13: SpawnError.permissionDenied,
  20: SpawnError.notADirectory,
  36: () =>
    new SpawnError.SpawnError({ reason: "InvalidArgument", message: "Filename too long (os error 36)" }),
}

/**
 * Starts a process. Rejects with a `SpawnError`; nothing is left of it then. Answers nothing if the far side was lost
 * before anything could be started.
 */
const start = async (
  far: Far,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): Promise<PlainSpawner.PlainChild | undefined> => {
  const { ask, way } = far
  const { stdio } = spec
  const id = far.nextId()
  const [words, script] = RemoteScripts.spec(id, spec)
  const stored = await ask("store", words, script)
  if (stored === "lost") return undefined
  if (stored !== "0") throw failed(`${far.folder} cannot be written there`)

  let bear: (words: ReadonlyArray<string>) => void = () => {}
  let refuse: (error: SpawnError.SpawnError) => void = () => {}
  const born = new Promise<ReadonlyArray<string>>((resolve, reject) => {
    bear = resolve
    refuse = reject
  })
  born.catch(() => {})
  let close: (error: Error) => void = () => {}
  const closed = new Promise<never>((_, reject) => (close = reject))
  closed.catch(() => {})
  let isBorn = false
  let isOver = false
  /** The command has ended, and the keeper has nothing more to say about the process. */
  let settled: "no" | "ended" | "lost" = "no"
  let noise = ""
  let sent: number | undefined
  const exit = (status: Spawner.ExitStatus) => {
    if (isOver) return
    isOver = true
    events.exit(status)
    close(new Error("the process has exited"))
  }
  const exitWith = (code: number) => {
    const isSignal = sent !== undefined && (code === 128 + sent || (code === 255 && !way.isContainer))
    exit(isSignal ? { kind: "signaled", signal: sent ?? 0 } : { kind: "exited", code })
  }
  const held: Array<Spawner.OutputStream> = []
  const end = (stream: Spawner.OutputStream) => {
    if (settled === "lost" && way.notice !== undefined && stream !== "stdout")
      events.output(stream, Buffer.from(`${way.notice}${stream === "pty" ? "\r\n" : "\n"}`))
    events.end(stream)
  }
  far.listen(id, ([word, first = "", ...more]) => {
    if (word === "refused") refuse(refusals[first]?.() ?? failed(`it was refused with ${first}`))
    else if (word === "exited") exitWith(Number(first))
    else {
      isBorn = true
      bear([first, ...more])
    }
  })
  const command = way.exec(far.link, stdio, RemoteScripts.startCommand(far.folder, id, stdio))
  const exec = await run(far.inner, command, stdio, {
    output: (stream, bytes) => {
      if (!isBorn) noise = (noise + Buffer.from(bytes).toString()).slice(-saidLength)
      events.output(stream, bytes)
    },
    end: (stream) => void (settled === "no" ? held.push(stream) : end(stream)),
    exit: (status) => {
      void ask("sync").then((answer) => {
        settled = answer === "lost" ? "lost" : "ended"
        if (!isBorn) return refuse(answer === "lost" ? failed(way.lost("")) : refusalOf(way, noise))
        if (settled === "lost" || status.kind === "signaled")
          exit({ kind: "signaled", signal: constants.signals.SIGKILL })
        else exitWith(status.code)
        held.splice(0).forEach(end)
      })
    },
  })
  const release = async () => {
    far.listen(id)
    await exec.close()
  }
  try {
    const [pid = "", begun = "", helper = ""] = await born
    const { pause, resize, resume } = exec.child
    const signal = (name: string) => {
      sent = signalNumber(name)
      if (sent === undefined)
        throw Object.assign(new Error(`there is no signal ${name}`), { code: "ERR_UNKNOWN_SIGNAL" })
      const word = Object.hasOwn(constants.signals, name) ? name.slice("SIG".length) : sent
      return ask("signal", [pid, begun, word])
    }
    return {
      write: (bytes) =>
        isOver ? closed : Promise.race([Effect.runPromise(exec.child.write(bytes)), closed]),
      endStdin: () => Effect.runPromise(exec.child.endStdin),
      signal,
      kill: () => signal("SIGKILL"),
      abandonOutput: () => Effect.runPromise(exec.child.abandonOutput),
      lingering: async () => (await ask("lingers", [pid, begun])) === "0",
      ...(resize && {
        resize: async (size) => {
          await Effect.runPromise(resize(size))
          // The engine passes it on late or, right after the start, not at all.
          if (way.isContainer) await ask("size", [pid, size.rows, size.columns])
        },
      }),
      ...(pause && resume && { pause, resume }),
      close: async () => {
        await ask("end", [id, settled === "no" ? helper : ""])
        await release()
      },
    }
  } catch (error) {
    void ask("end", [id, ""])
    await release()
    throw error
  }
}

const refusalOf = (way: Way, noise: string) =>
  noise.includes("Session open refused by peer")
    ? new SpawnError.SpawnError({
        reason: "ResourceLimit",
        message: `${way.name} opens no more sessions: raise MaxSessions in its sshd_config`,
      })
    : failed(way.reason(noise) || "nothing was started")
