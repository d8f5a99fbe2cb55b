/** The write ids that were accepted: a bounded set that forgets the oldest first. */

/** How many ids are remembered, as in the peer implementation. */
export const capacity = 4096

/** The ids of one process. */
export class WriteIds {
  private readonly ids = new Set<string>()

  /** True if the id was added and not forgotten since. */
  has(id: string | undefined): boolean {
    return id !== undefined && this.ids.has(id)
  }

  /** Adds a new id. A write without an id is not remembered. */
  add(id: string | undefined): void {
    if (id === undefined) return
    this.ids.add(id)
    if (this.ids.size <= capacity) return
    const [oldest] = this.ids
    if (oldest !== undefined) this.ids.delete(oldest)
  }
}
