/** A supervised process over a scripted child, as the tests of `Process` use it. */
import * as Effect from "effect/Effect"
import * as Fake from "../../spawn/Fake.ts"
import type { SpawnSpec, Stdio } from "../../spawn/Spawner.ts"
import { settle } from "../../testing/Effects.ts"
import * as OutputLog from "../OutputLog.ts"
import { type Event, Process } from "../Process.ts"

export const pipes: Stdio = { kind: "pipe", stdin: false }
export const pty: Stdio = { kind: "pty", size: { rows: 24, columns: 80 } }

/** A supervised process, its child, and its events so far as text. */
export const begin = (
  stdio: Stdio = pipes,
  capabilities = Fake.allCapabilities,
  limits = OutputLog.defaultCapacity,
) =>
  Effect.gen(function* () {
    const process = new Process("p", { stdio }, limits)
    const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio }
    const child = new Fake.FakeChild(1, spec, process.events)
    process.begin(child.handle(capabilities), undefined)
    process.release()
    const done = yield* Effect.forkChild(process.supervise)
    yield* settle
    const events = () => eventsOf(process).map(textOf)
    return { process, child, events, done }
  })

const eventsOf = (process: Process): ReadonlyArray<Event> => {
  const attachment = process.attach(0)
  const found: Array<Event> = []
  for (let event = attachment.next(); event !== undefined; event = attachment.next()) {
    found.push(event)
    attachment.advance(event.seq)
  }
  attachment.detach()
  return found
}

const textOf = (event: Event): string => {
  switch (event.kind) {
    case "output":
      return `${event.seq} ${event.stream} ${String.fromCharCode(...event.bytes)}`
    case "gap":
      return `${event.from} to ${event.seq} are gone`
    case "mark":
      return `${event.seq} ${event.mark}`
    case "egress":
      return `${event.seq} ${event.reason}`
    case "exited":
      return `${event.seq} exited ${event.exitCode}`
    case "closed":
      return `${event.seq} closed`
  }
}
