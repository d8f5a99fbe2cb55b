/** Whether this client is the writer of a process, as far as the server has told. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"

/** One who follows the role. */
export interface RoleSubscription {
  /** Whether this client writes, at first as it is now and then at each change; undefined when the process has ended. */
  readonly next: Effect.Effect<boolean | undefined>
  /** Ends the subscription; may be called at any time. */
  readonly close: () => void
}

/** The role of this client at one process. */
export class WriterRole {
  /** Whether it writes. */
  current: boolean

  private isOver = false
  private readonly mailboxes = new Set<Mailbox.Mailbox<boolean>>()

  constructor(writes: boolean) {
    this.current = writes
  }

  /** The server has told. */
  told(writes: boolean): void {
    if (this.current === writes) return
    this.current = writes
    for (const mailbox of this.mailboxes) mailbox.unsafeOffer(writes)
  }

  /** The process has ended, or is no longer followed. */
  end(): void {
    this.isOver = true
    for (const mailbox of this.mailboxes) mailbox.unsafeDone(Exit.void)
  }

  /** Follows the role. Of changes that nobody has taken only the last one counts. */
  readonly subscribe: Effect.Effect<RoleSubscription> = Effect.map(
    Mailbox.make<boolean>({ capacity: 1, strategy: "sliding" }),
    (mailbox) => {
      mailbox.unsafeOffer(this.current)
      if (this.isOver) mailbox.unsafeDone(Exit.void)
      else this.mailboxes.add(mailbox)
      const close = () => {
        this.mailboxes.delete(mailbox)
        mailbox.unsafeDone(Exit.void)
      }
      const next = Effect.map(mailbox.takeAll, ([changes]) => Chunk.toReadonlyArray(changes).at(-1))
      return { next, close }
    },
  )
}
