/** The parts of the feature in starts and in connections. It is loaded where the server has rules. */
import * as Result from "effect/Result"
import type { Extend } from "../../process/Lifecycle.ts"
import type { Json } from "../../protocol/Json.ts"
import type { Asked, Connection, Part, Server, Shared } from "../Feature.ts"
import { answerMillis } from "./Question.ts"
import * as Egressing from "./Egressing.ts"
import * as Secrets from "../secrets/Secrets.ts"
import * as Injecting from "./Injecting.ts"
import * as Line from "./Line.ts"
import * as NetworkProxy from "./NetworkProxy.ts"
import { asks, parse } from "./Rules.ts"

/** The clients by the ids of their sessions. */
export type Lines = Map<string, Line.Line>

/** The text of a fault of the secrets for hosts, of the rules, or of the settings that a start names. */
export const fault = (
  params: Asked,
  secrets: Parameters<typeof Injecting.fault>[0] | undefined,
): string | undefined => {
  const { egress } = params
  const wrong = secrets && Injecting.fault(secrets)
  if (wrong !== undefined) return wrong
  const rules = egress == null ? undefined : parse(egress)
  if (rules !== undefined && Result.isFailure(rules)) return `egress: ${rules.failure}`
  const proxy = proxyOf(params)
  return proxy !== undefined && Result.isFailure(proxy) ? proxy.failure : undefined
}

/** The part in a process of a start without a fault. */
export const extend = (
  params: Asked,
  server: Server,
  shared: NonNullable<Shared["egress"]>,
  lines: Lines,
): Extend => {
  const { egress, egressAsk, egressEvents } = params
  const own = egress == null ? undefined : Result.getOrThrow(parse(egress))
  const settings = proxyOf(params)
  const proxy = settings && Result.getOrThrow(settings)
  const policies = [
    shared.policy,
    ...(own === undefined ? [] : [{ of: "this start", rules: () => own }]),
    ...(proxy === undefined ? [] : [{ of: "the networkProxy of this start", rules: () => proxy.rules }]),
  ]
  const all = Secrets.ofStart(params, server.secrets)
  const secrets = all && {
    all,
    hosted: Injecting.hosted(all),
    variables: new Set(Secrets.inVariables(params, server.secrets).map(({ name }) => name)),
    next: shared.next,
  }
  const answers = egressAsk === true || (own !== undefined && asks(own))
  return ({ process }, { clock, sessionId }) =>
    Egressing.extension(process, policies, {
      tells: egressEvents ?? (egress != null || egressAsk === true),
      env: proxy?.env,
      secrets,
      client: {
        answerMillis: proxy?.answerMillis ?? (answers ? answerMillis : undefined),
        hears: proxy !== undefined || answers,
        line: () => lines.get(sessionId),
        now: () => clock.currentTimeMillisUnsafe(),
      },
      note: (attempt, decision) => {
        shared.count(decision)
        server.noteEgress?.(process.id, attempt, decision)
      },
    })
}

/** The part in a connection, which is asked for the processes of its session. */
export const part = (connection: Connection, lines: Lines): Part => {
  const line = Line.make(connection)
  let of: string | undefined
  return {
    opened: () => {
      of = connection.session().id
      lines.set(of, line)
    },
    close: () => {
      if (of !== undefined && lines.get(of) === line) lines.delete(of)
      line.close()
    },
  }
}

/** The settings of the proxy that a start asks for; undefined without any. */
const proxyOf = ({ networkProxy }: Asked) =>
  networkProxy == null
    ? undefined
    : NetworkProxy.read((networkProxy as { readonly sent?: Json }).sent ?? null)
