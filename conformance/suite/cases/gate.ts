/**
 * Not cases: a gate on the machine of the server, at which one process waits until another one opens it. It replaces
 * pauses, which order nothing on a busy machine.
 */
import { randomUUID } from "node:crypto"
import { Check, Child, type Wire } from "../Vocabulary.ts"

/** Two shell commands for two processes. Whichever comes first waits for the other. A gate is used once. */
export interface Gate {
  readonly wait: string
  readonly open: string
}

/** Runs a shell script on the machine of the server, to its end. */
export type Shell = (script: string) => Promise<void>

/** Runs scripts as processes of their own on a connection. */
export const shell =
  (wire: Wire): Shell =>
  async (script) => {
    const { exitCode } = await (await Child.start(wire, { script })).ended()
    Check.equal(exitCode, 0, `the exit code of \`${script}\``)
  }

/** A gate is a FIFO: opening one end blocks until the other end is open. */
export const make = async (sh: Shell): Promise<Gate> => {
  const path = `/tmp/procwire-gate-${randomUUID()}`
  await sh(`mkfifo ${path}`)
  return { wait: `read _ <${path}`, open: `echo >${path} && rm ${path}` }
}

/** A process that has exited with 3, whose descendant still holds its output. */
export interface Orphaned {
  /** It has printed `early`: output 1, exited 2. */
  readonly child: Child.Child
  /** Lets the descendant print `LATE` and end, by a process on the same connection, or on another one. */
  readonly late: (on?: Wire) => Promise<void>
}

/** Starts a process, has it exit, and waits for exited. */
export const orphaned = async (wire: Wire): Promise<Orphaned> => {
  const gate = await make(shell(wire))
  const script = `(${gate.wait}; echo LATE) & echo early; read _; exit 3`
  const child = await Child.start(wire, { script, pipeStdin: true })
  await child.says("early")
  await child.write("\n")
  await child.exited()
  return { child, late: (on = wire) => shell(on)(gate.open) }
}

/** Waits, by a process on another connection, until a process has ended and its server has taken its exit status. */
export const gone = (wire: Wire, pid: number): Promise<void> =>
  shell(wire)(`while kill -0 ${pid} 2>/dev/null; do sleep 0.02; done`)
