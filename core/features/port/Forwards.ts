/** Listeners on the host that lead to ports of processes: one for each port of a process, whoever asks for it. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Process } from "../../process/Process.ts"
import { refuseParams, RequestError } from "../../protocol/ParamsError.ts"
import type { Port, ProcessEvidenceService } from "../../spawn/ProcessEvidence.ts"
import type { Forward, ProcessPortsService } from "../../spawn/ProcessPorts.ts"
import type { Connection, Handlers } from "../Feature.ts"
import type { port as wire, PortResult } from "./wire.ts"

/** The most ports of one process that listeners lead to at once. */
export const mostPorts = 64

/** The parts of a server that they need. */
export interface Services {
  readonly evidence: ProcessEvidenceService
  readonly ports: ProcessPortsService
  /** The scope of the server. */
  readonly scope: Scope.Scope
}

export const handlers = (
  { writing }: Connection,
  services: Services,
): Handlers<(typeof wire)["requests"]> => ({
  "process/port": ({ processId, port }) =>
    Effect.gen(function* () {
      if (port === 0) return yield* refuseParams("port must not be 0")
      const { processes, id } = yield* writing(processId)
      return yield* processes.use(id, (process) => of(process, services).open(port))
    }),
})

const known = new WeakMap<Process, Forwards>()

const of = (process: Process, services: Services): Forwards => {
  const forwards = known.get(process) ?? new Forwards(process, services)
  known.set(process, forwards)
  return forwards
}

class Forwards {
  private readonly process: Process
  private readonly services: Services
  private readonly forwards = new Map<number, Forward>()
  private readonly turn = Semaphore.makeUnsafe(1)

  constructor(process: Process, services: Services) {
    this.process = process
    this.services = services
  }

  /** The address that leads to a port on which the process, or a descendant, listens now. */
  open(port: number): Effect.Effect<PortResult, RequestError> {
    return Effect.gen({ self: this }, function* () {
      const found = yield* this.look(port)
      if (found.kind === "no") return yield* refuse(`nothing listens on port ${port} within the process`)
      if (found.kind === "unknown")
        return yield* refuse(`nothing is known of port ${port} of the process: ${found.why}`)
      const forward = this.forwards.get(port) ?? (yield* this.make(port))
      return { host: forward.host, port: forward.port }
    }).pipe(this.turn.withPermits(1))
  }

  /** The pid of a process that has exited may be that of another one. */
  private look(port: number): Effect.Effect<Port> {
    const { child, stdio, exited } = this.process
    if (child?.pid === undefined || exited !== undefined) return Effect.succeed({ kind: "no" })
    return this.services.evidence.port({ pid: child.pid, tty: stdio.kind === "pty" }, port)
  }

  private make(port: number): Effect.Effect<Forward, RequestError> {
    if (this.forwards.size >= mostPorts)
      return refuse(`${mostPorts} ports of the process are open, which is the limit`)
    const { process, services, forwards } = this
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const scope = yield* Scope.fork(services.scope)
        const opened = services.ports.open(Effect.suspend(() => this.look(port)))
        const forward = yield* restore(Scope.provide(opened, scope)).pipe(
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
          Effect.mapError(({ message }) =>
            refusal(`port ${port} of the process cannot be reached: ${message}`),
          ),
        )
        forwards.set(port, forward)
        yield* Effect.raceFirst(forward.idle, over(process)).pipe(
          Effect.ensuring(Effect.sync(() => forwards.delete(port))),
          Effect.ensuring(Scope.close(scope, Exit.void)),
          Effect.forkIn(services.scope),
        )
        return forward
      }),
    )
  }
}

/** Completes when a process has exited or is forgotten. */
const over = (process: Process): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    const look = () => process.exited !== undefined && done()
    const stops = [process.subscribe(look), process.whenForgotten(done)]
    look()
    return Effect.sync(() => stops.forEach((stop) => stop()))
  })

const refusal = (message: string) => new RequestError({ message })

const refuse = (message: string): Effect.Effect<never, RequestError> => Effect.fail(refusal(message))
