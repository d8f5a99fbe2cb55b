/** What a call answers: the facts for programs, and the text for the model. */

export interface Reply {
  /** Six hex digits that name this reply. */
  readonly chunkId: string
  /** How long the call waited. */
  readonly wallSeconds: number
  /** Set once the process has exited; 128 + n for death by signal n. The session is then gone. */
  readonly exitCode?: number
  /** Set while the process runs: the session to go on with. */
  readonly sessionId?: number
  /** Why the process can no longer be followed, if so. The session is then gone. */
  readonly failure?: string
  /** About how many tokens the output had before anything was cut from it. */
  readonly originalTokenCount: number
  /** The output since the last reply, as it is shown. */
  readonly output: string
}

/** The reply as the model reads it. */
export const toText = (reply: Reply): string =>
  [
    `Chunk ID: ${reply.chunkId}`,
    `Wall time: ${reply.wallSeconds.toFixed(4)} seconds`,
    state(reply),
    `Original token count: ${reply.originalTokenCount}`,
    "Output:",
    reply.output,
  ].join("\n")

const state = ({ exitCode, sessionId, failure }: Reply): string =>
  failure !== undefined
    ? `Process lost: ${failure}`
    : exitCode !== undefined
      ? `Process exited with code ${exitCode}`
      : `Process running with session ID ${sessionId}`
