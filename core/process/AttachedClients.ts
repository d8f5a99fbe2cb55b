/** The clients at one process share its writer, its last encoded output, and the news that it is forgotten. */
import type { Writers } from "./Writers.ts"

/** Why a process is forgotten: its time is over or it was removed, or its session has ended. */
export type Why = "removed" | "sessionEnd"

/** The clients of one process. */
export class AttachedClients {
  /** Who writes; undefined while nobody but its owner has. */
  writers: Writers | undefined
  /** The last output that was sent to an attachment of that id, as it was sent. */
  encoded: { readonly id: string; readonly seq: number; readonly message: string | Uint8Array } | undefined
  private readonly listeners = new Set<(why: Why) => void>()

  /** Calls `listener` when the process is forgotten, until the returned function is called. */
  whenLeft(listener: (why: Why) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The process is forgotten. */
  left(why: Why): void {
    for (const listener of this.listeners) listener(why)
    this.listeners.clear()
  }
}
