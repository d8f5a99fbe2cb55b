/** Servers of one state folder, over a real holder: each has a connection of its own, which can be cut. */
import * as fs from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { onTestFinished } from "vitest"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import { platform, unboundCommand } from "../../../testing/Runtime.ts"
import * as Folder from "../../testing/Folder.ts"
import * as HeldSpawner from "../HeldSpawner.ts"
import * as HolderPlace from "../HolderPlace.ts"

/** An event of a child: `n` counts outputs, `seq` is that of the holder. */
export type Told =
  | { readonly kind: "output"; readonly stream: string; readonly text: string; readonly seq: number }
  | { readonly kind: "end"; readonly stream: string }
  | { readonly kind: "exit"; readonly status: Spawner.ExitStatus }

/** A child, and its events. */
export interface Child {
  readonly handle: Spawner.ChildHandle
  readonly told: ReadonlyArray<Told>
  /** The text of all outputs. */
  readonly text: () => string
  /** The exit, once it is reported. */
  readonly exit: () => Spawner.ExitStatus | undefined
  /** The child ends with its scope. */
  readonly close: () => Promise<void>
}

/** One server. */
export interface Server extends HeldSpawner.Held {
  readonly spawn: (script: string, more?: Partial<Spawner.SpawnSpec>) => Promise<Child>
  /** Takes over the child of that note. */
  readonly adopt: (about: string) => Promise<Child>
  readonly left: () => Promise<ReadonlyArray<string>>
  /** Leaves its children to the next one. */
  readonly leave: () => Promise<void>
  /** Closes all that it has. */
  readonly close: () => Promise<void>
}

/** The servers of one folder. */
export interface Servers {
  readonly folder: Folder.Folder
  readonly options: HeldSpawner.Options
  /** Starts one. */
  readonly start: (more?: Partial<HeldSpawner.Options>) => Promise<Server>
  /** The pid of the holder, if one runs. */
  readonly holder: () => number | undefined
  /** The files of holders. */
  readonly files: () => ReadonlyArray<string>
}

/** No server yet. The holder ends with the test. */
export const make = (): Servers => {
  const folder = Folder.make()
  const state = folder.at("state")
  const options: HeldSpawner.Options = {
    folder: state,
    ttlMillis: 86_400_000,
    openFfi: platform.openFfi,
    contain: "none",
    program: (args) => [...unboundCommand, ...args],
  }
  const place = Effect.runSync(HolderPlace.make(state))
  const scopes = new Set<Scope.Closeable>()
  onTestFinished(async () => {
    for (const scope of scopes) await Effect.runPromise(Scope.close(scope, Exit.void))
    const pid = HolderPlace.noted(place)
    if (pid !== undefined) process.kill(pid, "SIGTERM")
    await until(() => HolderPlace.noted(place) === undefined)
  })
  return {
    folder,
    options,
    start: async (more) => {
      const scope = Effect.runSync(Scope.make())
      scopes.add(scope)
      const held = await Effect.runPromise(Scope.provide(HeldSpawner.make({ ...options, ...more }), scope))
      return toServer(held, scope, folder.path)
    },
    holder: () => HolderPlace.noted(place),
    files: () => fs.readdirSync(state),
  }
}

const toServer = (held: HeldSpawner.Held, scope: Scope.Closeable, cwd: string): Server => {
  const start = async (
    use: (
      events: Spawner.SpawnEvents,
      skip: (seq: number) => void,
    ) => Effect.Effect<Spawner.ChildHandle, unknown, Scope.Scope>,
  ): Promise<Child> => {
    const own = Effect.runSync(Scope.make())
    const told: Array<Told> = []
    let next = 1
    const events: Spawner.SpawnEvents = {
      output: (stream, bytes) =>
        void told.push({ kind: "output", stream, text: Buffer.from(bytes).toString("latin1"), seq: next++ }),
      end: (stream) => void told.push({ kind: "end", stream }),
      exit: (status) => void told.push({ kind: "exit", status }),
    }
    const handle = await Effect.runPromise(
      Scope.provide(
        use(events, (seq) => void (next = seq)),
        own,
      ),
    )
    return {
      handle,
      told,
      text: () => told.map((each) => (each.kind === "output" ? each.text : "")).join(""),
      exit: () => told.flatMap((each) => (each.kind === "exit" ? [each.status] : []))[0],
      close: () => Effect.runPromise(Scope.close(own, Exit.void)),
    }
  }
  return {
    ...held,
    spawn: (script, more) =>
      start((events) =>
        held.spawner.spawn(
          {
            argv: ["/bin/sh", "-c", script],
            cwd,
            env: { PATH: process.env["PATH"] ?? "" },
            stdio: { kind: "pipe", stdin: true },
            ...more,
          },
          events,
        ),
      ),
    adopt: async (about) => {
      const left = await Effect.runPromise(held.keeper.left)
      const found = left.find((each) => each.about === about)
      if (found === undefined) throw new Error(`nothing is left of ${about}`)
      return start(found.adopt)
    },
    left: async () => (await Effect.runPromise(held.keeper.left)).map(({ about }) => about),
    leave: async () => {
      await Effect.runPromise(held.keeper.leave)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** Waits until a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
