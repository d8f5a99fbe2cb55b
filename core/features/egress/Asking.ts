/**
 * Questions to clients about connections that no rule decides: the request `network/policyRequest` of the server.
 *
 * Each ends once: with the answer, at its deadline, with the process, or with the connection of the client. There is
 * one for each target of a process at a time, and attempts that come meanwhile share its answer. An answer to allow or
 * to deny holds for the process from then on; one to `ask`, and the lack of one, hold for the attempts that wait.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Json } from "../../protocol/Json.ts"
import * as Shape from "../../protocol/shape/index.ts"
import type { Attempt } from "../../spawn/Egress.ts"
import type { Connection } from "../Feature.ts"
import type * as Gate from "./Gate.ts"
import { PolicyResult } from "./Question.ts"

/** The most questions to one client that have no answer; those whose deadline has passed count. */
export const mostUnanswered = 256

/** The most answers that one process remembers. Then the oldest is forgotten: its target is asked about again. */
export const mostRemembered = 1024

/** The longest time that a start can name, in milliseconds. */
export const longestMillis = 3_600_000

/** The most characters of a reason. */
const longestReason = 200

/** The answer to a question, and its words in `network/policyDecision`. */
export type Answer = Gate.Answer & {
  readonly decision: "allow" | "deny" | "ask"
  readonly reason: string
  /** True if it holds for later attempts. */
  readonly holds: boolean
}

/** The reason of the peer where there is no answer, or one without a reason. */
const notAllowed = "not_allowed"

const allows: Answer = { allowed: true, decision: "allow", reason: notAllowed, holds: true }

const lacks = (why: string): Answer => ({
  allowed: false,
  why,
  decision: "deny",
  reason: notAllowed,
  holds: false,
})

/** The client is not told a secret that is part of a name. */
export const secretive = lacks("which is not asked about a name with a secret in it")

const away = lacks("which is not connected")
const left = lacks("which has gone away without an answer")
const ended = lacks("and the process has ended before the answer")
const full = lacks(`which has left ${mostUnanswered} questions without an answer`)
const unknown = lacks("which does not answer such questions")
const malformed = lacks("whose answer is malformed")
const late = (millis: number) => lacks(`which has not answered within ${millis / 1000} s`)

/** The text of a client in one line of bounded length. */
const plain = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- it becomes part of messages in one line
  text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").slice(0, longestReason)

const answerOf = (json: Json): Answer => {
  const read = Shape.decode(PolicyResult, json, { plain: true })
  if (Result.isFailure(read)) return malformed
  const { decision } = read.success
  if (decision.type === "allow") return allows
  const reason = decision.reason == null ? undefined : plain(decision.reason)
  const said = decision.type === "deny" ? "which has denied it" : "which has not decided"
  return {
    allowed: false,
    why: reason === undefined || reason === "" ? said : `${said}: ${reason}`,
    decision: decision.type,
    reason: reason === "" ? "policy_denied" : (reason ?? notAllowed),
    holds: decision.type === "deny",
  }
}

/** The questions on one connection, until it leaves its session. */
export class Questions {
  private readonly connection: Pick<Connection, "call" | "fork">
  private readonly open = new Set<(answer: Answer) => void>()
  private unanswered = 0

  constructor(connection: Pick<Connection, "call" | "fork">) {
    this.connection = connection
  }

  /** Asks once. `settle` is called once, perhaps at once; the function that is returned ends the question early. */
  ask(params: object, millis: number, settle: (answer: Answer) => void): (answer: Answer) => void {
    if (this.unanswered >= mostUnanswered) {
      settle(full)
      return () => {}
    }
    const { call, fork } = this.connection
    let timer: Fiber.Fiber<void> | undefined
    const end = (answer: Answer) => {
      if (!this.open.delete(end)) return
      timer?.interruptUnsafe()
      settle(answer)
    }
    this.open.add(end)
    this.unanswered += 1
    fork(
      Effect.map(
        Effect.match(call("network/policyRequest", params), {
          onSuccess: answerOf,
          onFailure: ({ _tag }) => (_tag === "Disconnected" ? left : unknown),
        }),
        (answer) => {
          this.unanswered -= 1
          end(answer)
        },
      ),
    )
    if (this.open.has(end)) timer = fork(Effect.map(Effect.sleep(millis), () => end(late(millis))))
    return end
  }

  /** Denies what is open. */
  close(): void {
    for (const end of this.open) end(left)
  }
}

/** The question about one target of a process. */
interface Open {
  readonly answer: Promise<Answer>
  readonly end: (answer: Answer) => void
}

/** The questions about one process. */
export class Asking {
  private readonly processId: string
  private readonly millis: number
  private readonly client: () => Questions | undefined
  private readonly open = new Map<string, Open>()
  private readonly remembered = new Map<string, Answer>()

  /** `client` is the one that has the session now, if one has. */
  constructor(processId: string, millis: number, client: () => Questions | undefined) {
    this.processId = processId
    this.millis = millis
    this.client = client
  }

  /** Asks about an attempt, unless that is known. */
  ask({ protocol, host, port }: Attempt): Promise<Answer> {
    const target = `${host} ${port}`
    const known = this.remembered.get(target)
    if (known !== undefined) return Promise.resolve(known)
    const open = this.open.get(target)
    if (open !== undefined) return open.answer
    const client = this.client()
    if (client === undefined) return Promise.resolve(away)
    let settle = (_answer: Answer) => {}
    const answer = new Promise<Answer>((resolve) => (settle = resolve))
    const opened: { end: Open["end"] } & Pick<Open, "answer"> = { answer, end: () => {} }
    this.open.set(target, opened)
    const params = { processId: this.processId, request: { protocol, host, port } }
    opened.end = client.ask(params, this.millis, (answer) => {
      this.open.delete(target)
      if (answer.holds) this.remember(target, answer)
      settle(answer)
    })
    return answer
  }

  /** The process has ended: denies what is open. Those who go on in its place may ask again. */
  end(): void {
    for (const { end } of this.open.values()) end(ended)
  }

  private remember(target: string, answer: Answer): void {
    const [oldest] = this.remembered.keys()
    if (this.remembered.size >= mostRemembered && oldest !== undefined) this.remembered.delete(oldest)
    this.remembered.set(target, answer)
  }
}
