/** A process as lists show it. */
import * as PathUri from "../protocol/PathUri.ts"
import type { ListedProcess, State } from "../protocol/List.ts"
import type { SpawnSpec } from "../spawn/Spawner.ts"
import type { Process } from "./Process.ts"

/** The names that a client gives a process. */
export interface Names {
  /** One name, which others may have, too. */
  readonly name?: string | undefined
  /** Its labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** The facts that are known of a process from its start. */
export interface Facts extends Names, Pick<SpawnSpec, "argv" | "cwd"> {
  /** The time of the request to start it, in milliseconds since 1970. */
  readonly startedAtMs: number
}

/** A process in a list, without its session. */
export type Row = Omit<ListedProcess, "session" | "attached">

/** The state of a process; `started` once its start has succeeded. */
export const stateOf = ({ running, closed }: Process, started: boolean): State =>
  closed !== undefined ? "closed" : !running ? "exited" : started ? "running" : "starting"

/** The row of a process; `kept` is that it stays until it is removed. */
export const toRow = (process: Process, facts: Facts, state: State, kept: boolean): Row => {
  const { stdio, log, exited, endedAtMs } = process
  return {
    processId: process.id,
    ...(facts.name === undefined ? {} : { name: facts.name }),
    labels: facts.labels ?? {},
    argv: facts.argv,
    cwd: PathUri.fromPath(facts.cwd),
    pid: process.child?.pid ?? null,
    tty: stdio.kind === "pty",
    ...(stdio.kind === "pty" ? { terminalSize: stdio.size } : {}),
    startedAtMs: facts.startedAtMs,
    ...(exited === undefined || endedAtMs === undefined ? {} : { endedAtMs }),
    state,
    exitCode: exited?.exitCode ?? null,
    bytes: process.written,
    nextSeq: log.nextSeq(),
    ...(kept ? { kept } : {}),
  }
}
