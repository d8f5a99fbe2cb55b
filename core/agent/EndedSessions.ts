/** Why sessions were ended that their caller may still ask for: the last 256 of them. */
export const remembered = 256

export class EndedSessions {
  /** In the order of their ends. */
  private readonly reasons = new Map<number, string>()

  add(id: number, why: string): void {
    this.reasons.set(id, why)
    const [oldest] = this.reasons.keys()
    if (this.reasons.size > remembered && oldest !== undefined) this.reasons.delete(oldest)
  }

  /** Why that session was ended; undefined if it was not, or too long ago. */
  why(id: number): string | undefined {
    return this.reasons.get(id)
  }

  /** The id belongs to a new session. */
  forget(id: number): void {
    this.reasons.delete(id)
  }
}
