/**
 * The context of a case about a transport: fresh pairs, a raw end where there is one, and time measured in
 * what another pair does meanwhile. After the case the scope of every pair is closed.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Transport } from "../../core/transport/Transport.ts"
import * as SeamCase from "../seam/SeamCase.ts"
import type { Subject } from "../seam/SeamRunner.ts"
import { fail } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"
import { End } from "./End.ts"

/** Makes two linked transports; they are open as long as the scope. */
export type Pair = Effect.Effect<readonly [Transport, Transport], unknown, Scope.Scope>

/** A transport whose peer the suite plays, byte by byte. */
export interface RawEnd {
  /** The end under test. */
  readonly transport: Transport
  /** The bytes that carry this as one message, as a peer sends them. */
  readonly frame: (message: Uint8Array) => Uint8Array
  /** Sends bytes in one piece. */
  readonly send: (bytes: Uint8Array) => Effect.Effect<void>
  /** Disconnects the peer. */
  readonly end: Effect.Effect<void>
}

/** Makes a raw end; it is open as long as the scope. */
export type Raw = Effect.Effect<RawEnd, unknown, Scope.Scope>

/** The needs of a case: a raw end. */
export type Need = "raw"

/** A case of the transport suite. */
export type Case = SeamCase.SeamCase<Need, TransportContext>

/** Completes a table of cases, all below one path. */
export const table = SeamCase.table<Need, TransportContext>

/** A pair that is open. */
export interface Opened {
  /** One end. */
  readonly left: End
  /** The other end. */
  readonly right: End
  /** Closes the scope of the pair. */
  readonly closeScope: () => Promise<void>
}

/** A raw end that is open. */
export interface RawOpened {
  /** The end under test. */
  readonly end: End
  /** The bytes that carry a message; a text is sent as UTF-8. */
  readonly frame: (message: Uint8Array | string) => Uint8Array
  /** Sends bytes to it in one piece, as its peer. */
  readonly send: (bytes: Uint8Array) => Promise<void>
  /** Disconnects the peer. */
  readonly gone: () => Promise<void>
}

/** The context of a case. */
export interface TransportContext {
  /** Opens a pair. The end of the case closes it. */
  readonly open: () => Promise<Opened>
  /** Plays from left to right and, at the same time on another pair, from right to left. */
  readonly both: (play: (from: End, to: End) => Promise<void>) => Promise<void>
  /** Opens a raw end. The end of the case closes it. */
  readonly raw: () => Promise<RawOpened>
  /** Waits as long as another pair takes for 200 messages each way: for what must not happen meanwhile. */
  readonly others: () => Promise<void>
  /** Adds a figure to the report. */
  readonly note: (text: string) => void
}

/** The pair as a subject of the cases. */
export const subject = (pair: Pair, raw: Raw | undefined): Subject<Need, TransportContext> => ({
  lacks: () => (raw === undefined ? "the pair comes without a raw end" : undefined),
  open: async (_, timeoutMs) => {
    const scope = Effect.runSync(Scope.make())
    const notes: Array<string> = []
    const build = async <A>(effect: Effect.Effect<A, unknown, Scope.Scope>, into: Scope.Scope) => {
      const exit = await within(Effect.runPromiseExit(Scope.provide(effect, into)), timeoutMs, "a pair")
      return Exit.isSuccess(exit) ? exit.value : fail(`no pair: ${String(exit.cause)}`)
    }
    const closing = (child: Scope.Closeable) => () =>
      within(Effect.runPromise(Scope.close(child, Exit.void)), timeoutMs, "the scope of a pair to close")
    const open: TransportContext["open"] = async () => {
      const child = Effect.runSync(Scope.make())
      const closeScope = closing(child)
      Effect.runSync(Scope.addFinalizer(scope, Scope.close(child, Exit.void)))
      const [left, right] = await build(pair, child)
      return { left: new End(left, timeoutMs), right: new End(right, timeoutMs), closeScope }
    }
    const others: TransportContext["others"] = async () => {
      const { left, right, closeScope } = await open()
      for (let i = 0; i < 200; i++) {
        left.write(`${i}`)
        await right.take(1)
        right.write(`${i}`)
        await left.take(1)
      }
      await closeScope()
    }
    const context: TransportContext = {
      open,
      both: async (play) => {
        const [forth, back] = await Promise.all([open(), open()])
        await Promise.all([play(forth.left, forth.right), play(back.right, back.left)])
      },
      raw: async () => {
        const end = await build(raw ?? fail("no raw end"), scope)
        const bytes = (message: Uint8Array | string) =>
          typeof message === "string" ? Buffer.from(message) : message
        return {
          end: new End(end.transport, timeoutMs),
          frame: (message) => end.frame(bytes(message)),
          send: (sent) => within(Effect.runPromise(end.send(sent)), timeoutMs, "raw bytes to be sent"),
          gone: () => within(Effect.runPromise(end.end), timeoutMs, "the raw end to go"),
        }
      },
      others,
      note: (text) => notes.push(text),
    }
    return { context, notes, fault: () => undefined, close: closing(scope) }
  },
})
