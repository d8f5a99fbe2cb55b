/** The commands as `list_commands` tells of them. */
import type { Known, Stopping } from "./Commands.ts"
import * as Notices from "./Notices.ts"

/** A command, and where it stands. */
export interface Listed {
  /** The session ID, for the other tools. */
  readonly sessionId: number
  /** The command line. */
  readonly command: string
  /** `running`; `exited`, with its `exitCode`; or `lost`, if nobody can follow it any more. */
  readonly state: "running" | "exited" | "lost"
  /** Set if it has exited: 128 + n for death by signal n. */
  readonly exitCode?: number
  /** Set if the tools end it, or have. */
  readonly endedBy?: Stopping
  /** Whether it has a terminal. */
  readonly tty: boolean
  /** How long it has run, in seconds. */
  readonly seconds: number
  /** The lines that it has printed. */
  readonly lines: number
  /** The bytes that it has printed. */
  readonly bytes: number
  /** How many of the bytes were in no reply yet. */
  readonly newBytes: number
}

/** What is told of a command. */
export const of = (known: Known): Listed => {
  const { about, state, stopping, transcript, millis, told } = known
  return {
    sessionId: about.id,
    command: about.command,
    state: state.kind,
    ...(state.kind === "exited" ? { exitCode: state.exitCode } : {}),
    ...(stopping === undefined ? {} : { endedBy: stopping }),
    tty: about.tty,
    seconds: millis / 1000,
    lines: transcript.lines,
    bytes: transcript.written,
    newBytes: transcript.written - told,
  }
}

/** A line for each command. */
export const toText = (commands: ReadonlyArray<Listed>): string =>
  commands.length === 0
    ? "No commands."
    : commands
        .map((each) => {
          const fresh = each.newBytes > 0 ? `, ${each.newBytes} bytes new` : ""
          const tty = each.tty ? ", terminal" : ""
          const output = `${each.lines} lines, ${each.bytes} bytes${fresh}`
          return `${each.sessionId}: ${stateOf(each)}${tty}, ${output}: ${Notices.summary(each.command)}`
        })
        .join("\n")

const stateOf = ({ state, exitCode, seconds, endedBy }: Listed): string => {
  const time = `${seconds.toFixed(1)} s`
  if (state === "running")
    return `running for ${time}${endedBy === undefined ? "" : `, being stopped (${endedBy})`}`
  const by = endedBy === undefined ? "" : ` (${endedBy})`
  return state === "exited" ? `exited with code ${exitCode}${by} after ${time}` : `lost after ${time}`
}
