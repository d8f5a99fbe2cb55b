/** The origin of the server's HTTP requests: responses by the script that their URL names, and who is being answered. */
import * as Effect from "effect/Effect"
import * as FakeHttp from "../../core/http/Fake.ts"
import { HttpError, type Request, type Response } from "../../core/http/HttpClient.ts"
import { Noise } from "./Noise.ts"
import type { HttpPlan } from "./MixMaker.ts"
import type { World } from "./World.ts"

export interface Exchange {
  readonly key: string
  /** When it began, in milliseconds of the run. */
  readonly at: number
}

/** The origin of a run. */
export type Origin = ReturnType<typeof make>

export const make = (world: World, scripts: ReadonlyArray<HttpPlan>) => {
  const exchanges = new Set<Exchange>()
  /** When each piece of a body was given out, by the number of the request. */
  const given = new Map<string, Array<number>>()
  const plans = new Map(scripts.map((plan) => [plan.key, plan]))

  /** The seam. */
  const layer = FakeHttp.layer((request) => answer(request))

  /** The number of exchanges with keys that begin so that have not ended, of those that began before then. */
  const open = (prefix: string, before = Infinity): number => {
    let count = 0
    for (const { key, at } of exchanges) if (key.startsWith(prefix) && at < before) count += 1
    return count
  }

  const answer = ({ url }: Request) =>
    Effect.gen(function* () {
      const name = url.slice(url.lastIndexOf("/") + 1)
      const key = name.split("?")[0] ?? ""
      const plan = plans.get(key)
      if (plan === undefined) return yield* Effect.die(new Error(`no script for ${url}`))
      if (given.has(name)) world.violate("a request is sent once", `${name} reaches its origin again`)
      const times: Array<number> = []
      given.set(name, times)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const exchange = { key, at: world.now }
          exchanges.add(exchange)
          note(`${name} is asked`)
          return exchange
        }),
        (exchange) =>
          Effect.sync(() => {
            note(`${name} is over`)
            exchanges.delete(exchange)
          }),
      )
      yield* Effect.sleep(plan.headMillis)
      if (plan.refuses) return yield* new HttpError({ reason: "Send", message: "no route", url })
      return response(plan, url, times)
    })

  const response = (plan: HttpPlan, url: string, times: Array<number>): Response => {
    const noise = new Noise(plan.key)
    let offset = 0
    const read = Effect.gen(function* () {
      const piece = plan.pieces[times.length]
      if (piece === undefined) {
        if (plan.breaks) return yield* new HttpError({ reason: "Body", message: "reset", url })
        return undefined
      }
      if (piece.millis > 0) yield* Effect.sleep(piece.millis)
      times.push(world.now)
      offset += piece.bytes
      return noise.bytes(offset - piece.bytes, piece.bytes)
    })
    return { status: plan.status, headers: [{ name: "x-key", value: plan.key }], read }
  }

  const note = (text: string): void => {
    world.note(`origin: ${text}`)
  }
  return { exchanges, given, layer, open }
}
