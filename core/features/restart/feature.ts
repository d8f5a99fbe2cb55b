/** Restarts, on the server. */
import * as Effect from "effect/Effect"
import * as Grace from "../../process/Grace.ts"
import type { Process } from "../../process/Process.ts"
import { RequestError } from "../../protocol/ParamsError.ts"
import type { Feature } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { Restarts } from "./Restarts.ts"
import type { restart as wire } from "./wire.ts"

const code = Late.make(() => import("./Restarts.ts"))

/** The children of processes whose start has asked for restarts. */
const known = new WeakMap<Process, Restarts>()

const refuse = (message: string) => new RequestError({ message })

export const restart: Feature<typeof wire> = {
  code,
  announces: ({ host }) => ({ processRestart: host.platform !== "windows" }),

  extend: ({ restart: asked }) =>
    asked == null
      ? undefined
      : ({ process }) => ({
          spawner: (spawner) => {
            const { Restarts } = code.get()
            const restarts = new Restarts(process, spawner, {
              when: asked.policy,
              most: asked.most ?? Infinity,
            })
            known.set(process, restarts)
            return restarts
          },
          rowFields: () => ({ restarts: known.get(process)?.count ?? 0 }),
        }),

  handlers: ({ server, writing, audit }) => ({
    "process/restart": (params) =>
      Effect.gen(function* () {
        const { processes, id } = yield* writing(params.processId, "ending")
        const grace = (yield* Grace.fromTerminate(params, server.host.platform)) ?? {}
        audit.signal(id, grace.signal ?? "SIGTERM")
        const { process } = yield* processes.entry(id)
        const restarts = known.get(process)
        const ending = refuse(`process ${id} is ending: wait until it is closed`)
        if (restarts === undefined)
          return yield* refuse(
            `process ${id} cannot be restarted: ask for that with \`restart\` of process/start`,
          )
        if (process.closed !== undefined) yield* processes.replace(id, audit.start)
        else if (!process.running || restarts.isFinal) return yield* ending
        else if (!(yield* restarts.restart({ ...process.grace, ...grace }))) return yield* ending
        return {}
      }),
  }),
}
