/** A client makes one HTTP exchange, whole or streamed, and compares the body with what its origin gives. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Live } from "./Actor.ts"
import { answerBound } from "./Network.ts"
import { Noise } from "./Noise.ts"
import type { HttpPlan } from "./MixMaker.ts"
import { Program } from "./Program.ts"

export class HttpProgram extends Program<HttpPlan> {
  private readonly origin = this.actor.stage.origin
  private readonly noise = new Noise(this.key)

  /** A request is never repeated. */
  protected readonly play = (live: Live): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { plan, actor } = this
      const since = this.since(live)
      const from = actor.world.now
      this.doing = "exchanges"
      const result = yield* Effect.result(plan.streams ? this.stream(live) : this.whole(live))
      this.note(
        Result.isSuccess(result) ? "is done" : `fails: ${result.failure.reason} ${result.failure.message}`,
      )
      if (Result.isFailure(result) && !this.mayFail(result.failure, actor.world.now - from))
        this.excuse(result.failure, since, "http")
    })

  /** Milliseconds that the origin takes at most. */
  private get duration(): number {
    const all = this.plan.pieces.reduce((sum, { millis }) => sum + millis, this.plan.headMillis)
    return Math.min(all, this.plan.timeout ?? Infinity)
  }

  private get options() {
    const { key, timeout } = this.plan
    return {
      url: `http://origin.test/${key}`,
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    }
  }

  private whole({ client }: Live) {
    return Effect.gen({ self: this }, function* () {
      const request = client.http.request(this.options)
      const response = yield* this.promptly("http/request", request, this.duration)
      this.checkHead(response.status, response.header("x-key"))
      if (this.plan.breaks) this.violate("a body that breaks off fails", "it is answered whole")
      this.check(0, response.body)
      this.checkEnd(response.body.length)
    })
  }

  private stream({ client }: Live) {
    const { plan } = this
    const body = Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const request = client.http.stream(this.options)
        const response = yield* this.promptly("the head of a stream", request, plan.headMillis)
        this.checkHead(response.status, response.header("x-key"))
        const counted = { bytes: 0 }
        for (let reads = 0; reads < plan.reads; reads++) {
          const pieces = yield* Effect.tapError(response.next, ({ reason }) =>
            Effect.sync(
              () => reason === "BodyBroken" && plan.timeout === undefined && this.checkEnd(counted.bytes),
            ),
          )
          if (pieces === undefined) {
            if (plan.breaks) this.violate("a body that breaks off fails", "it has ended well")
            this.checkEnd(counted.bytes)
            return "read" as const
          }
          for (const piece of pieces) {
            this.check(counted.bytes, piece)
            counted.bytes += piece.length
          }
          this.checkPrompt(counted.bytes)
          yield* Effect.sleep(plan.pause)
        }
        this.note(`drops the rest after ${counted.bytes} bytes`)
        return "dropped" as const
      }),
    )
    return Effect.map(body, (how) => (how === "dropped" ? this.expectEnd() : undefined))
  }

  /** A body without a reader ends at its origin, too. */
  private expectEnd(): void {
    const { actor, origin, key } = this
    const { world, network, index } = actor
    const since = world.now
    world.watch(answerBound, () => {
      if (!network.isSmooth(index, since)) return
      if ([...origin.exchanges].some((exchange) => exchange.key === key))
        this.violate("what is open is closed", "its body was dropped, and its exchange goes on")
    })
  }

  private checkHead(status: number, key: string | undefined): void {
    if (status !== this.plan.status || key !== this.key)
      this.violate("an answer is that of its request", `status ${status}, key ${key}`)
  }

  private check(offset: number, bytes: Uint8Array): void {
    if (!this.noise.equals(offset, bytes))
      this.violate(
        "no byte is lost, doubled or out of order",
        `${bytes.length} bytes at ${offset} of the body are not what the origin sent`,
      )
  }

  private checkEnd(length: number): void {
    const expected = this.plan.pieces.reduce((sum, { bytes }) => sum + bytes, 0)
    if (length !== expected)
      this.violate("no byte is lost, doubled or out of order", `the body has ${length} of ${expected} bytes`)
  }

  /** While the network is well, a body comes soon to those who read, however slow others are. */
  private checkPrompt(through: number): void {
    const { plan, origin, actor } = this
    if (plan.pause > 0 || !actor.separates) return
    let offset = 0
    const last = plan.pieces.findIndex(({ bytes }) => (offset += bytes) >= through)
    const at = origin.given.get(this.key)?.[last] ?? Infinity
    if (actor.network.delaySince(actor.index, at) > answerBound)
      this.violate("a slow reader stalls its own child", `a piece comes ${actor.world.now - at} ms late`)
  }

  /** Failures that the plan asks for. */
  private mayFail({ reason, message }: ClientError, millis: number): boolean {
    const { refuses, breaks, timeout, headMillis } = this.plan
    const late = timeout !== undefined && millis >= timeout
    if (reason === "BodyBroken") return breaks || late
    if (reason !== "Server") return false
    if (message.includes("timed out")) return late
    return late || (refuses && millis >= headMillis) || (breaks && message.includes("body"))
  }
}
