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

export class Origin {
  readonly exchanges = new Set<Exchange>()
  /** When each piece of a body was given out, by the number of the request. */
  readonly given = new Map<string, Array<number>>()
  private readonly world: World
  private readonly plans: ReadonlyMap<string, HttpPlan>

  constructor(world: World, plans: ReadonlyArray<HttpPlan>) {
    this.world = world
    this.plans = new Map(plans.map((plan) => [plan.key, plan]))
  }

  /** The seam. */
  readonly layer = FakeHttp.layer((request) => this.answer(request))

  /** The number of exchanges with keys that begin so that have not ended, of those that began before then. */
  open(prefix: string, before = Infinity): number {
    let count = 0
    for (const { key, at } of this.exchanges) if (key.startsWith(prefix) && at < before) count += 1
    return count
  }

  private answer({ url }: Request) {
    return Effect.gen({ self: this }, function* () {
      const { world, given } = this
      const name = url.slice(url.lastIndexOf("/") + 1)
      const key = name.split("?")[0] ?? ""
      const plan = this.plans.get(key)
      if (plan === undefined) return yield* Effect.die(new Error(`no script for ${url}`))
      if (given.has(name)) world.violate("a request is sent once", `${name} reaches its origin again`)
      const times: Array<number> = []
      given.set(name, times)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const exchange = { key, at: world.now }
          this.exchanges.add(exchange)
          this.note(`${name} is asked`)
          return exchange
        }),
        (exchange) =>
          Effect.sync(() => {
            this.note(`${name} is over`)
            this.exchanges.delete(exchange)
          }),
      )
      yield* Effect.sleep(plan.headMillis)
      if (plan.refuses) return yield* new HttpError({ reason: "Send", message: "no route", url })
      return this.response(plan, url, times)
    })
  }

  private response(plan: HttpPlan, url: string, times: Array<number>): Response {
    const noise = new Noise(plan.key)
    let offset = 0
    const read = Effect.gen({ self: this }, function* () {
      const piece = plan.pieces[times.length]
      if (piece === undefined) {
        if (plan.breaks) return yield* new HttpError({ reason: "Body", message: "reset", url })
        return undefined
      }
      if (piece.millis > 0) yield* Effect.sleep(piece.millis)
      times.push(this.world.now)
      offset += piece.bytes
      return noise.bytes(offset - piece.bytes, piece.bytes)
    })
    return { status: plan.status, headers: [{ name: "x-key", value: plan.key }], read }
  }

  private note(text: string): void {
    this.world.trace.add(this.world.now, `origin: ${text}`)
  }
}
