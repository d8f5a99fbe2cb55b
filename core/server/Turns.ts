/** How what is sent unasked gets its turns at a connection: in the order of its sender, or when a sideline says so. */
import type { Process } from "../process/Process.ts"
import type { FairSender, Source } from "./FairSender.ts"
import type { Sideline } from "./Sideline.ts"

/** Where what is followed gets its turns. */
export interface Turns extends Pick<FairSender, "enqueue" | "remove" | "write"> {
  /** Calls `wake` after every change of the process until the returned function is called. */
  readonly subscribe: (process: Process, wake: () => void) => () => void
}

/** Runs every job at once. */
export const unlimited: Sideline = { enqueue: (job) => job(), remove: () => {} }

/** Turns as the sender gives them. */
export const inTurn = (sender: FairSender): Turns => ({
  ...sender,
  subscribe: (process, wake) => process.subscribe(wake),
})

/**
 * Turns at a sender, one at a time, when the sideline gives them. Who waits for one does not listen to the process
 * meanwhile: an output costs nothing for each viewer of a flood.
 */
export const sideways = (sender: FairSender, sideline: Sideline): Turns => {
  let source: Source = () => false
  let due = false
  let listen = () => {}
  let unsubscribe: (() => void) | undefined
  const queue = () => {
    if (due) return
    due = true
    sideline.enqueue(job)
    if (!due) return
    unsubscribe?.()
    unsubscribe = undefined
  }
  const once: Source = () => {
    due = false
    if (source()) queue()
    else listen()
    return false
  }
  const job = () => sender.enqueue(once)
  return {
    enqueue: (next) => {
      source = next
      queue()
    },
    remove: () => {
      due = false
      sideline.remove(job)
      sender.remove(once)
    },
    write: sender.write,
    subscribe: (process, wake) => {
      listen = () => {
        unsubscribe ??= process.subscribe(wake)
      }
      listen()
      return () => {
        listen = () => {}
        unsubscribe?.()
      }
    },
  }
}
