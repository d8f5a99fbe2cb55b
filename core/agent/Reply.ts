/** The result of a call: its facts for programs, and its texts for the model. */
import type { Stopping } from "./Commands.ts"
import type { Excerpt } from "./Reading.ts"
import type { Listed } from "./Listing.ts"
import * as Reading from "./Reading.ts"
import type { WaitEnd } from "./WaitFor.ts"
import type { ScreenResult } from "../features/screen/wire.ts"

/**
 * The result of a call. Exactly one of `exitCode`, `sessionId` and `failure` is set, and none of them in a reply of
 * `list_commands`, and of `stop_command` for a command that is forgotten.
 */
export interface Reply {
  /** Names this reply: six hex digits. */
  readonly chunkId: string
  /** Seconds that the call waited. */
  readonly wallSeconds: number
  /** Set if the process has exited: 128 + n for death by signal n. The session has ended. */
  readonly exitCode?: number
  /** Set if the process runs: the session for `write_stdin`. */
  readonly sessionId?: number
  /** Set if the process can no longer be followed: why. The session has ended. */
  readonly failure?: string
  /** The tokens of the output before it was cut, estimated as bytes / 4. */
  readonly originalTokenCount: number
  /** The output since the last reply, cut to the token budget; of tools that read and list, what they tell. */
  readonly output: string
  /** Notices for the model: a session that was ended, a background process. Absent: none. */
  readonly notices?: ReadonlyArray<string>
  /** The end of the wait, of a call with `wait_for`. */
  readonly wait?: WaitEnd
  /** Set if the tools have ended the command: `timeout_ms`, `stop_command`, or a cancelled call. */
  readonly endedBy?: Stopping
  /** Set if the output was cut: what gets the rest. Never with the two tools of Codex alone. */
  readonly rest?: Reading.Rest
  /** The place of the output, of `read_output`. */
  readonly excerpt?: Excerpt
  /** The state of the terminal, of `read_screen`. */
  readonly screen?: Screen
  /** The commands, of `list_commands`. */
  readonly commands?: ReadonlyArray<Listed>
}

/** The reply as the model reads it, but for what gets the rest of an output that was cut: see `toTexts`. */
export const toText = (reply: Reply): string => {
  if (reply.commands !== undefined) return reply.output
  if (reply.excerpt !== undefined) {
    return [...place(reply.excerpt), state(reply, reply.excerpt.sessionId), "Output:", reply.output].join(
      "\n",
    )
  }
  if (reply.screen !== undefined) {
    const { screen } = reply
    const lines = [...screenText(screen), state(reply, screen.sessionId)]
    return [...lines, "Output:", reply.output].join("\n")
  }
  return [
    `Chunk ID: ${reply.chunkId}`,
    `Wall time: ${reply.wallSeconds.toFixed(4)} seconds`,
    state(reply),
    ...ending(reply),
    `Original token count: ${reply.originalTokenCount}`,
    ...(reply.notices ?? []).map((notice) => `Notice: ${notice}`),
    "Output:",
    reply.output,
  ].join("\n")
}

/** The texts for the model: the reply, and if its output was cut, the call that gets the rest. */
export const toTexts = (reply: Reply): ReadonlyArray<string> =>
  reply.rest === undefined ? [toText(reply)] : [toText(reply), Reading.restText(reply.rest)]

const state = ({ exitCode, sessionId, failure }: Reply, of?: number): string =>
  failure !== undefined
    ? `Process lost: ${failure}`
    : exitCode !== undefined
      ? `Process exited with code ${exitCode}${of === undefined ? "" : ` (session ID ${of})`}`
      : sessionId === undefined
        ? "Process ended long ago"
        : `Process running with session ID ${sessionId}`

const endings = {
  timeout: "Ended by: its timeout_ms",
  stop: "Ended by: stop_command",
  cancel: "Ended by: a cancelled call with kill_on_cancel",
}

const ending = ({ wait, endedBy }: Reply): ReadonlyArray<string> => [
  ...(wait === undefined ? [] : [`Wait ended by ${wait.by}: ${wait.detail}`]),
  ...(wait?.asks === undefined ? [] : [`Asks for: ${asked[wait.asks]}`]),
  ...(endedBy === undefined ? [] : [endings[endedBy]]),
]

const asked = {
  input: "input; answer with write_stdin",
  password: "a password (its terminal does not show what is typed); answer with write_stdin",
}

const place = ({
  matches,
  fromLine,
  toLine,
  lines,
  fromByte,
  toByte,
  bytes,
}: Excerpt): ReadonlyArray<string> =>
  matches === undefined
    ? [`Lines ${fromLine} to ${toLine} of ${lines} (bytes ${fromByte} to ${toByte} of ${bytes})`]
    : [`${matches} matching lines in lines ${fromLine} to ${toLine} of ${lines}`]

/** The state of the terminal of a command. Rows and columns count from 1. */
export interface Screen {
  /** The session ID of the command. */
  readonly sessionId: number
  /** The lines of the screen. */
  readonly rows: number
  /** The columns of the screen. */
  readonly columns: number
  /** The row of the screen where the next character goes. */
  readonly cursorRow: number
  /** The column where it goes. */
  readonly cursorColumn: number
  /** False while the program hides its cursor. */
  readonly cursorVisible: boolean
  /** The title of the window that the program has set. */
  readonly title: string
  /** True while the program draws on the alternate screen, as editors and pagers do. */
  readonly alternate: boolean
  /** The lines that have left the screen at its top. */
  readonly scrollback: number
}

/** The state of the terminal in a picture. */
export const screenOf = (
  sessionId: number,
  { size, cursor, title, alternate, scrollback }: ScreenResult,
): Screen => ({
  sessionId,
  rows: size.rows,
  columns: size.columns,
  cursorRow: cursor.row + 1,
  cursorColumn: cursor.column + 1,
  cursorVisible: cursor.visible,
  title,
  alternate,
  scrollback,
})

/** The same for a model. */
const screenText = (screen: Screen): ReadonlyArray<string> => {
  const { sessionId, rows, columns, cursorRow, cursorColumn, cursorVisible, title, alternate, scrollback } =
    screen
  return [
    `Screen of session ID ${sessionId}: ${rows} rows, ${columns} columns` +
      (alternate ? ", the alternate screen" : "") +
      (title === "" ? "" : `, title ${JSON.stringify(title)}`),
    `Cursor: row ${cursorRow}, column ${cursorColumn}${cursorVisible ? "" : " (hidden)"}`,
    ...(scrollback === 0 ? [] : [`The first ${scrollback} lines have left the screen at its top`]),
  ]
}
