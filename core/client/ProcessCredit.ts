/** The credit window of one process, on the wire: its grants, and its first one for a process that is taken over. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Encoded } from "./Calls.ts"
import * as CreditWindow from "./CreditWindow.ts"
import { creditOf, type Sequenced } from "./ProcessEvent.ts"

/** Sends a request whose result does not matter. False if the server refuses it. */
export type Tell = (method: "process/credit", params: Encoded<"process/credit">) => Effect.Effect<boolean>

export interface ProcessCredit extends CreditWindow.CreditWindow {
  /** Counts what the server has pushed around `accept`, which takes it. */
  readonly around: (accept: (event: Sequenced) => void) => (event: Sequenced) => void
  /** Puts a process of a resumed session, which the server pushes without a bound, under credit. */
  readonly takeOver: Effect.Effect<void>
}

/** What the credit uses of its process. */
export interface Options {
  readonly tell: Tell
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<unknown, unknown>
  readonly waiting: CreditWindow.Options["waiting"]
  /** Is run when the server refuses a grant: it pushes nothing more. */
  readonly refused: Effect.Effect<void>
}

/** The credit of the process `id`, with a window of that size. */
export const make = (id: string, size: number, { tell, fork, waiting, refused }: Options): ProcessCredit => {
  const grant = (bytes: number) =>
    Effect.if(tell("process/credit", { processId: id, bytes }), {
      onTrue: () => Effect.void,
      onFalse: () => refused,
    })
  const window = CreditWindow.make({
    size,
    waiting,
    grant: (bytes, current) => fork(Effect.suspend(() => (current() ? grant(bytes) : Effect.void))),
  })
  return {
    ...window,
    around: (accept) => (event) => {
      window.pushed(creditOf(event))
      accept(event)
      window.settle()
    },
    // If the connection is lost meanwhile, the next one begins with a credit.
    takeOver: Effect.suspend(() => Effect.zipRight(grant(window.begin()), Effect.sync(window.open))),
  }
}
