/** The result of a call: its facts for programs, and its text for the model. */

/** The result of a call. Exactly one of `exitCode`, `sessionId` and `failure` is set. */
export interface Reply {
  /** Names this reply: six hex digits. */
  readonly chunkId: string
  /** How long the call waited, in seconds. */
  readonly wallSeconds: number
  /** Set if the process has exited: 128 + n for death by signal n. The session has ended. */
  readonly exitCode?: number
  /** Set if the process runs: the session for `write_stdin`. */
  readonly sessionId?: number
  /** Set if the process can no longer be followed: why. The session has ended. */
  readonly failure?: string
  /** How many tokens the output had before it was cut, estimated as bytes / 4. */
  readonly originalTokenCount: number
  /** The output since the last reply, cut to the token budget. */
  readonly output: string
  /** What else the model should know: a session that was ended, a background process. Absent: nothing. */
  readonly notices?: ReadonlyArray<string>
}

/** The reply as the model reads it. */
export const toText = (reply: Reply): string =>
  [
    `Chunk ID: ${reply.chunkId}`,
    `Wall time: ${reply.wallSeconds.toFixed(4)} seconds`,
    state(reply),
    `Original token count: ${reply.originalTokenCount}`,
    ...(reply.notices ?? []).map((notice) => `Notice: ${notice}`),
    "Output:",
    reply.output,
  ].join("\n")

const state = ({ exitCode, sessionId, failure }: Reply): string =>
  failure !== undefined
    ? `Process lost: ${failure}`
    : exitCode !== undefined
      ? `Process exited with code ${exitCode}`
      : `Process running with session ID ${sessionId}`
