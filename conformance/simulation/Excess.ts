/**
 * What a server sends unasked to a peer that does not keep up: no more than the one message by which it hears of that.
 * Before the answer to a request it may tell a role, or the end of an attachment, on which that answer depends.
 */

const unasked = /^\{"method":"(process|http)\//

const notice = /^\{"method":"process\/(writer|detached)"/

const answer = /^\{"(id|error)"/

/** The messages of the server on one connection. */
export class Excess {
  private beyond = 0
  /** Messages of the client without an answer. */
  private open = 0
  /** Notices that may be told yet. */
  private notices = 0

  /** A message of the client has arrived. */
  arrives(): void {
    this.open += 1
    this.notices += 1
  }

  /** A message of the server; true if it must not send that to a peer for which too much waits. */
  sends(text: string, isFull: boolean): boolean {
    if (answer.test(text)) this.open -= 1
    if (!isFull) {
      this.beyond = 0
      this.notices = this.open
    } else if (notice.test(text) && this.notices > 0) this.notices -= 1
    else if (unasked.test(text)) this.beyond += 1
    return this.beyond > 1
  }
}
