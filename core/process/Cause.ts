/** The cause of a process's end, as far as its server has a hand in it, and whether the exit reports it. */
import type { EndedBy, Ending } from "../protocol/Ending.ts"
import type * as Spawner from "../spawn/Spawner.ts"

/** The reasons for which a server asks a process to end, before it kills the rest. */
export type Asked = Extract<EndedBy, "terminate" | "timeout" | "idleTimeout">

/** Of one process. */
export class Cause {
  /** The process was asked to end, first for this. */
  asked: Asked | undefined
  /** True: its exit reports the cause. */
  told: boolean

  /** `told` as its start has it; a process that is asked to end reports it anyhow. */
  constructor(told = false) {
    this.told = told
  }

  /** The process runs, and is asked to end. */
  ask(asked: Asked): void {
    this.asked ??= asked
    this.told = true
  }

  /** The cause of an end with this status. `terminated`: a client has asked for the kill. */
  of(status: Spawner.ExitStatus, ending: Ending | undefined, terminated: boolean): EndedBy {
    if (this.asked !== undefined) return this.asked
    // A wrapper of a killed child may exit with 128 + 9 instead of dying of the signal itself.
    const killed = status.kind === "signaled" || status.code === 128 + 9
    if (terminated && killed) return "terminate"
    return ending?.endedBy ?? (status.kind === "signaled" ? "signal" : "exit")
  }
}

/** The wire's exit code: death by signal n is 128 + n. */
export const toExitCode = (status: Spawner.ExitStatus): number =>
  status.kind === "exited" ? status.code : 128 + status.signal
