// @ts-check
/** The decisions of the server of v0, each a small function by itself, so that a fault replaces exactly one. */

/**
 * @typedef {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable,
 *   import("node:stream").Readable> & { readonly pid: number }} Child
 */

/**
 * A process of a connection. `cap` is its outputBytesCap, `told` the bytes of output so far.
 * @typedef {{ id: string, child: Child, cap: number | undefined, told: number }} Entry
 */

/** @typedef {Map<string, Entry>} Entries */

/**
 * What a connection can do: send an error, a notification or any message, and end. `greeted` is true after initialize.
 * @typedef {object} Wire
 * @property {(id: unknown, code: number, message: string) => void} error
 * @property {(method: string, params: unknown) => void} notify
 * @property {(message: unknown) => void} write
 * @property {() => void} end
 * @property {boolean} greeted
 */

/**
 * @typedef {object} Parts
 * @property {() => unknown} initialize
 * @property {(wire: Wire) => boolean} admits
 * @property {(method: string) => { code: number, message: string }} unknownMethod
 * @property {(method: string, wire: Wire) => void} unknownNotification
 * @property {(message: any, wire: Wire) => void} stray
 * @property {(wire: Wire) => void} malformed
 * @property {(entry: Entry) => unknown} answer
 * @property {(answer: () => void) => unknown} answers
 * @property {(env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv} environment
 * @property {(processes: Entries, id: string) => boolean} taken
 * @property {(entry: Entry, stream: "stdout" | "stderr", bytes: Buffer) => unknown} delta
 * @property {(entry: Entry, bytes: Buffer) => Buffer} cut
 * @property {(code: number | null, signal: NodeJS.Signals | null) => number} exitCode
 * @property {(entry: Entry, exitCode: number, wire: Wire) => void} exited
 * @property {"exit" | "close"} exitEvent
 * @property {(processes: Entries, entry: Entry) => unknown} forgetAtExit
 * @property {(processes: Entries, entry: Entry) => unknown} forgetAtTerminate
 * @property {(entry: Entry) => unknown} kill
 * @property {(entry: Entry | undefined, id: string) => unknown} write
 * @property {(processes: Entries, kill: (entry: Entry) => void) => void} connectionEnds
 */

/**
 * An error that is answered with this code.
 * @param {number} code
 * @param {string} message
 */
export const refusal = (code, message) => Object.assign(new Error(message), { code })

/** @type {Parts} */
export const parts = {
  initialize: () => ({ protocolVersion: "exec-server.v0" }),
  admits: () => true,
  unknownMethod: (method) => ({ code: -32600, message: `unknown method: ${method}` }),
  unknownNotification: (method, { error }) => error(-1, -32600, `unexpected notification method: ${method}`),
  stray: () => {},
  malformed: ({ end }) => end(),
  answer: ({ id, child }) => ({
    processId: id,
    pid: child.pid,
    running: true,
    exitCode: null,
    stdout: null,
    stderr: null,
  }),
  answers: (answer) => answer(),
  environment: (env) => env,
  taken: (processes, id) => processes.has(id),
  delta: (entry, stream, bytes) => ({ processId: entry.id, stream, chunk: bytes.toString("base64") }),
  cut: (_entry, bytes) => bytes,
  exitCode: (code) => code ?? -1,
  exited: (entry, exitCode, { notify }) => notify("command/exec/exited", { processId: entry.id, exitCode }),
  /** Which event of a child is its exit; output that is on its way comes first. */
  exitEvent: "exit",
  forgetAtExit: (processes, entry) => processes.get(entry.id) === entry && processes.delete(entry.id),
  forgetAtTerminate: (processes, entry) => processes.delete(entry.id),
  kill: ({ child }) => process.kill(-child.pid, "SIGKILL"),
  write: (entry, id) => {
    throw refusal(
      -32600,
      entry === undefined ? `unknown process id ${id}` : `stdin is closed for process ${id}`,
    )
  },
  connectionEnds: (processes, kill) => {
    for (const entry of processes.values()) kill(entry)
  },
}
