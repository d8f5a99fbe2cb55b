/**
 * The handle of a child of a plain spawner: its functions as effects, with the errors of a spawner.
 *
 * A function may answer a promise or nothing. One that fails where it may not is reported and has no other effect; at
 * the end of the child none is waited for longer than a deadline.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { PlainEvents, Report } from "./PlainEvents.ts"
import { SignalError, StdinError } from "./SpawnError.ts"
import type { Capabilities, ChildHandle, SignalName, SpawnSpec, TerminalSize } from "./Spawner.ts"

/** The result of a function of a child: nothing, or a promise of nothing. */
type Answer = unknown

/** A running child of a plain spawner. It may be on another machine. */
export interface PlainChild {
  /** The process id, if there is one here. */
  readonly pid?: number | undefined
  /**
   * Writes to stdin or the PTY; settles when the child's side has taken the bytes, which it may keep. Fails once they
   * have no reader.
   */
  readonly write?: (bytes: Uint8Array) => Answer
  /** Closes a piped stdin after the writes before. */
  readonly endStdin?: () => Answer
  /**
   * Sends a signal to the process group. An error with the code ESRCH means that the group is gone, which is fine;
   * ERR_UNKNOWN_SIGNAL or EINVAL that there is no such signal.
   */
  readonly signal: (name: SignalName) => Answer
  /** SIGKILL to the process group. */
  readonly kill: () => Answer
  /** Stops reading output. Streams that are open then are ended for it. */
  readonly abandonOutput: () => Answer
  /** True while processes of the group outlive the child; asked after the exit only. Default: false. */
  readonly lingering?: () => boolean | PromiseLike<boolean>
  /** Sets the size of the PTY. With the capability `resize`. */
  readonly resize?: (size: TerminalSize) => Answer
  /** Stops reading output. With the capability `pause`. */
  readonly pause?: () => Answer
  /** Reads output again. With the capability `pause`. */
  readonly resume?: () => Answer
  /** Releases what the child holds: called once, after `kill` and `abandonOutput`. */
  readonly close?: () => Answer
}

/** A function without which there is no handle; `undefined` if all are there. */
export const missing = (child: unknown): string | undefined =>
  (["signal", "kill", "abandonOutput"] as const).find(
    (name) => typeof (Object(child) as { readonly [name: string]: unknown })[name] !== "function",
  )

/** The most time that the end of a child waits for each of its functions. */
const patience = "5 seconds"

/** From the start of a child to the end of its scope. */
export interface Life {
  /** The child is there; if its scope has closed meanwhile, it is ended at once. */
  readonly begin: (child: PlainChild) => void
  /** True once the scope has closed. */
  readonly isClosed: () => boolean
  /** Completes when the scope closes. */
  readonly closed: Effect.Effect<void>
  /** Ends the child: kill, abandonOutput, close. */
  readonly close: Effect.Effect<void>
}

/** The life of a child that is about to start. */
export const life = (guarded: PlainEvents, report: Report): Life => {
  const over = Deferred.makeUnsafe<void>()
  let [child, closed]: [PlainChild | undefined, boolean] = [undefined, false]
  const end = (ended: PlainChild) =>
    Effect.forEach(["kill", "abandonOutput", "close"] as const, (name) =>
      Effect.timeoutOption(
        Effect.interruptible(harmless(name, () => ended[name]?.(), report)),
        patience,
      ).pipe(
        Effect.map((answer) => {
          if (answer._tag === "None") report("handle-late", name)
        }),
      ),
    )
  return {
    begin: (started) => {
      child = started
      if (closed) Effect.runFork(end(started))
    },
    isClosed: () => closed,
    closed: Deferred.await(over),
    close: Effect.suspend(() => {
      if (closed) return Effect.void
      closed = true
      guarded.mute()
      Deferred.doneUnsafe(over, Effect.void)
      return child === undefined ? Effect.void : Effect.asVoid(end(child))
    }),
  }
}

/** The parts of a handle. */
export interface Parts {
  readonly child: PlainChild
  readonly spec: SpawnSpec
  readonly capabilities: Capabilities
  readonly guarded: PlainEvents
  readonly life: Life
  readonly report: Report
}

/** The handle that the core gets. */
export const make = ({ child, spec, capabilities, guarded, life, report }: Parts): ChildHandle => {
  const { isClosed } = life
  const unlessClosed = <A, E>(effect: Effect.Effect<A, E>, otherwise: A) =>
    Effect.suspend(() => (isClosed() ? Effect.succeed(otherwise) : effect))
  const lacks = (name: keyof PlainChild, needed: boolean) => {
    if (needed && child[name] === undefined) report("method-missing", name)
    return child[name] === undefined
  }
  const now = (name: "pause" | "resume") => () => {
    if (!isClosed()) Effect.runFork(harmless(name, () => child[name]?.(), report))
  }
  const { stdio } = spec
  const takesInput = stdio.kind === "pty" || stdio.stdin
  const noWrite = lacks("write", takesInput)
  let ended = false
  const write = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      if (!takesInput || noWrite) return new StdinError({ reason: "NotOpen" })
      const closedNow = new StdinError({ reason: "Closed" })
      if (ended || isClosed()) return closedNow
      // Their memory is used again, and a child of others may keep them, also when it answers at once.
      const written = call(() => child.write?.(bytes.slice()))
      return written.pipe(
        Effect.mapBoth({
          onSuccess: () => undefined,
          onFailure: (cause) => new StdinError({ reason: "Closed", cause }),
        }),
        Effect.raceFirst(Effect.andThen(life.closed, closedNow)),
      )
    })
  const endStdin = Effect.suspend(() => {
    if (stdio.kind === "pty" || !stdio.stdin || ended) return Effect.void
    ended = true
    return harmless("endStdin", () => child.endStdin?.(), report)
  })
  return {
    pid: Number.isSafeInteger(child.pid) ? child.pid : undefined,
    write,
    endStdin: unlessClosed(endStdin, undefined),
    signal: (name) =>
      unlessClosed(
        controlled(() => child.signal(name)),
        undefined,
      ),
    kill: unlessClosed(
      harmless("kill", () => child.kill(), report),
      undefined,
    ),
    abandonOutput: unlessClosed(
      Effect.andThen(
        harmless("abandonOutput", () => child.abandonOutput(), report),
        Effect.sync(guarded.endAll),
      ),
      undefined,
    ),
    lingering: unlessClosed(
      Effect.suspend(() =>
        guarded.exited()
          ? Effect.map(
              harmless("lingering", () => child.lingering?.(), report),
              (lingers) => lingers === true,
            )
          : Effect.succeed(false),
      ),
      false,
    ),
    ...(!lacks("resize", stdio.kind === "pty" && capabilities.resize) && {
      resize: (size: TerminalSize) =>
        unlessClosed(
          controlled(() => child.resize?.(size)),
          undefined,
        ),
    }),
    ...(!lacks("pause", capabilities.pause) &&
      !lacks("resume", capabilities.pause) && { pause: now("pause"), resume: now("resume") }),
  }
}

/** A function that may answer a promise; an async function turns what it throws into a rejection. */
const call = (evaluate: () => Answer): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise({ try: async () => evaluate(), catch: (error) => error })

const harmless = (name: string, evaluate: () => Answer, report: Report): Effect.Effect<unknown> =>
  Effect.catch(call(evaluate), (error) =>
    Effect.sync(() => report("handle-throws", `${name}: ${String(error)}`)),
  )

const reasons: { readonly [code: string]: SignalError["reason"] } = {
  ERR_UNKNOWN_SIGNAL: "Unsupported",
  EINVAL: "Unsupported",
  EPERM: "PermissionDenied",
}

/** A signal or a resize: a child that is gone is no error. */
const controlled = (evaluate: () => Answer): Effect.Effect<void, SignalError> =>
  Effect.catch(Effect.asVoid(call(evaluate)), (error) => {
    const { _tag, code, message } = Object(error) as { readonly [name: string]: unknown }
    if (code === "ESRCH") return Effect.void
    if (_tag === "SignalError") return Effect.fail(error as SignalError)
    const reason = reasons[String(code)] ?? "Unknown"
    return Effect.fail(new SignalError({ reason, message: String(message ?? error), cause: error }))
  })
