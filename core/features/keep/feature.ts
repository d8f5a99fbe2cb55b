/**
 * Children that outlive the server: each is noted behind its spawn, before its start is answered, and what the server
 * before has left is taken over before the first connection.
 *
 * A child that is taken over goes the way of a start: its session is opened again under its id, its process is made
 * from the params of its start, with the parts of all features, and its spawn is the adoption. So a feature sees the
 * output that is left as it saw it the first time, and gives its events the same seqs.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Spawning } from "../../process/Extension.ts"
import type { StartParams } from "../../protocol/Process.ts"
import { Keeper, type KeeperService, type Left } from "../../spawn/Keeper.ts"
import type { ChildHandle, SpawnSpec } from "../../spawn/Spawner.ts"
import type { Asked, Beginning, Feature, Stateful } from "../Feature.ts"
import * as Note from "./Note.ts"
import type { keep as wire } from "./wire.ts"

/** A child that is being taken over, by the params of its start. */
type Adopting = WeakMap<Asked, Pick<Note.Note, "startedAtMs" | "place" | "outlet"> & { readonly left: Left }>

export const keep: Stateful<typeof wire> = () =>
  Effect.map(Keeper, (keeper): Feature<typeof wire> =>
    keeper === undefined ? { announces: () => ({ processKeep: false }) } : keeping(keeper, new WeakMap()),
  )

const keeping = (keeper: KeeperService, adopting: Adopting): Feature<typeof wire> => ({
  announces: () => ({ processKeep: true }),

  options: (params) => {
    const adopted = adopting.get(params)
    if (adopted === undefined) return {}
    const { left, startedAtMs, place } = adopted
    const { endedAtMs, lost, writeIds } = left
    return { adopted: { startedAtMs, place, endedAtMs, lost, writeIds } }
  },

  extend:
    (params) =>
    ({ process, facts, removed }, { forgetsAtExit, retentionMillis, sessionId: session }) => {
      if (forgetsAtExit) return undefined
      const { startedAtMs } = facts
      const endedMillis = removed === undefined ? retentionMillis : undefined
      let adopted = adopting.get(params)
      let held = false
      return {
        spawner: ({ reopen, spawn }) => ({
          spawn: (spec, events) => {
            const first = adopted
            // Another child may follow it.
            adopted = undefined
            const spawned =
              first === undefined
                ? spawn(spec, events)
                : first.left
                    .adopt(events, (seq) => process.skip(seq))
                    .pipe(
                      Effect.map((child) => ({ ...child, outlet: first.outlet })),
                      Effect.tap((child) =>
                        first.left.endedAtMs === undefined
                          ? reopened(process.id, reopen, child, spec)
                          : Effect.void,
                      ),
                    )
            return Effect.tap(spawned, ({ keep, outlet, masked = spec.secrets }) => {
              held = keep !== undefined
              if (keep === undefined) return Effect.void
              const place = process.extension?.kept?.place()
              const own = params as StartParams
              const known = { ...spec, secrets: masked }
              const text = Note.toText({ session, params: own, spec: known, startedAtMs, place, outlet })
              const moved = keep(text, endedMillis, () => process.log.nextSeq())
              moved()
              const leave = process.subscribe(moved)
              return Effect.addFinalizer(() => Effect.sync(leave))
            })
          },
        }),
        rowFields: () => (held ? { held } : {}),
      }
    },

  begin: (beginning) =>
    Effect.gen(function* () {
      for (const id of yield* keeper.sessions) yield* reopen(beginning, id)
      for (const left of yield* keeper.left) yield* adopt(beginning, adopting, left)
    }),
})

/** A session may have no process: its client has attached to those of others, say. */
const reopen = ({ sessions }: Beginning, id: string): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(sessions.reopen(id)), ({ message }) =>
    Effect.logWarning(`a session of the server before is not opened again: ${message}`),
  )

/** Takes a child over. One whose process cannot be made is left to its keeper, with a warning. */
const adopt = (beginning: Beginning, adopting: Adopting, left: Left): Effect.Effect<void> =>
  Effect.gen(function* () {
    const note = yield* Effect.fromResult(Note.read(left.about))
    const { session: id, params, spec, startedAtMs, place, outlet } = note
    adopting.set(params, { left, startedAtMs, place, outlet })
    const { sessions, start } = beginning
    const session = sessions.find(id)?.session ?? (yield* sessions.reopen(id))
    const process = yield* start(session, params, resized(spec, left))
    process.release()
  }).pipe(
    Effect.catch((error) => {
      const why = typeof error === "string" ? error : error.message
      const text = `a process that the server before has left is not taken over: ${why}`
      return Effect.andThen(left.pass, Effect.logWarning(text))
    }),
  )

/** Opens the proxy of a child again, beside its life. A child without it reaches nothing. */
const reopened = (
  id: string,
  reopen: Spawning["reopen"],
  child: ChildHandle,
  spec: SpawnSpec,
): Effect.Effect<void, never, Scope.Scope> => {
  const warn = (why: string) =>
    Effect.logWarning(`the process ${id}, which the server before has left, has no proxy: ${why}`)
  if (reopen === undefined)
    return child.outlet === undefined ? Effect.void : warn("this server has no rules for egress")
  const opened = Effect.catch(reopen(child, spec), ({ message }) => warn(message))
  return Effect.asVoid(Effect.forkScoped(opened))
}

/** The spec with the size that its terminal has now. */
const resized = (spec: SpawnSpec, { size }: Left): SpawnSpec =>
  spec.stdio.kind === "pty" && size !== undefined ? { ...spec, stdio: { kind: "pty", size } } : spec
