/** The commands as `list_commands` tells of them. */
import type { Left, LeftBy } from "./Background.ts"
import type { Known, Stopping } from "./Commands.ts"
import * as Notices from "./Notices.ts"

/** A command, and where it stands. */
export interface Listed {
  /** The session ID, for the other tools. */
  readonly sessionId: number
  /** The command line. */
  readonly command: string
  /**
   * `running`; `exited`, with its `exitCode`; `lost`, if it cannot be followed any more; or `forgotten`, of one that
   * ended so long ago that only what it has `left` is known.
   */
  readonly state: "running" | "exited" | "lost" | "forgotten"
  /** Set if it has exited: 128 + n for death by signal n. */
  readonly exitCode?: number
  /** Set if the tools end it, or have. */
  readonly endedBy?: Stopping
  /** True if it has a terminal. */
  readonly tty: boolean
  /** Seconds that it has run. */
  readonly seconds: number
  /** The lines that it has printed. */
  readonly lines: number
  /** The bytes that it has printed. */
  readonly bytes: number
  /** The bytes that were in no reply yet. */
  readonly newBytes: number
  /** The processes that it has left in the background, if there are any. `stop_command` ends them. */
  readonly left?: ReadonlyArray<Left>
}

/** The list of commands, and of those of which only processes in the background are known. */
export const ofAll = (commands: ReadonlyArray<Known>, left: LeftBy): ReadonlyArray<Listed> => {
  const known = new Set(commands.map(({ about }) => about.id))
  const forgotten = [...left].filter(([id]) => !known.has(id))
  return [
    ...commands.map((each) => of(each, left.get(each.about.id) ?? [])),
    ...forgotten.map(([sessionId, left]) => ({ ...nothingKnown, sessionId, left })),
  ]
}

const nothingKnown = {
  command: "",
  state: "forgotten" as const,
  tty: false,
  seconds: 0,
  lines: 0,
  bytes: 0,
  newBytes: 0,
}

/** A command in a list, with these processes. Those of one that runs are the command itself, but for a shell. */
const of = (known: Known, processes: ReadonlyArray<Left>): Listed => {
  const { about, state, stopping, transcript, millis, replied, shellPid } = known
  const left =
    state.kind === "running" && shellPid === undefined ? [] : processes.filter(({ pid }) => pid !== shellPid)
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
    newBytes: transcript.written - replied,
    ...(left.length === 0 ? {} : { left }),
  }
}

/** A line for each command. */
export const toText = (commands: ReadonlyArray<Listed>): string =>
  commands.length === 0
    ? "No commands."
    : commands
        .flatMap((each) => {
          const left = (each.left ?? []).map(leftToText)
          if (each.state === "forgotten") return [`${each.sessionId}: ended long ago`, ...left]
          const fresh = each.newBytes > 0 ? `, ${each.newBytes} bytes new` : ""
          const tty = each.tty ? ", terminal" : ""
          const output = `${each.lines} lines, ${each.bytes} bytes${fresh}`
          return [
            `${each.sessionId}: ${stateOf(each)}${tty}, ${output}: ${Notices.summary(each.command)}`,
            ...left,
          ]
        })
        .join("\n")

/** A line for a process in the background. */
export const leftToText = ({ pid, seconds, ports, command }: Left): string => {
  const listens =
    ports.length === 0 ? "" : `, listens on port${ports.length === 1 ? "" : "s"} ${ports.join(", ")}`
  return `  in the background: process ${pid} for ${seconds.toFixed(1)} s${listens}: ${Notices.summary(command)}`
}

const stateOf = ({ state, exitCode, seconds, endedBy }: Listed): string => {
  const time = `${seconds.toFixed(1)} s`
  if (state === "running")
    return `running for ${time}${endedBy === undefined ? "" : `, being stopped (${endedBy})`}`
  const by = endedBy === undefined ? "" : ` (${endedBy})`
  return state === "exited" ? `exited with code ${exitCode}${by} after ${time}` : `lost after ${time}`
}
