/** Rules for the hosts that processes reach, on the server. Those of the server hold for every process. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Keeper } from "../../spawn/Keeper.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import * as Secrets from "../secrets/Secrets.ts"
import type { egress as wire } from "./wire.ts"

const code = Late.make(() => import("./Egressing.ts"))

export const egress: Stateful<typeof wire> = ({ egress: shared }) =>
  Effect.gen(function* () {
    // Of a start that names no rules nobody sees that it needs the code.
    if (shared !== undefined) yield* code.loading() ?? Effect.void
    const keeper = yield* Keeper
    const announces = (spawner: { readonly egress?: boolean | undefined }) =>
      shared !== undefined && spawner.egress === true
    return {
      code,
      announces: ({ spawner }) => ({
        processEgress: announces(spawner),
        processSecretHosts: announces(spawner) && (keeper === undefined || spawner.masks === true),
      }),
      fault: (params, { spawner, hasNetwork, secrets: own }) => {
        const { egress } = params
        const secrets = Secrets.ofStart(params, own)
        const hosted = secrets?.find(({ hosts, header, base, http }) =>
          [hosts, header, base, http].some((given) => given !== undefined),
        )
        if (shared === undefined && hosted !== undefined) return Secrets.unguarded(hosted)
        if (shared === undefined)
          return egress == null
            ? undefined
            : "`egress` is not supported by this server: it has no rules (--egress) and no capability processEgress"
        // Never without them: the process would have more than the server allows, or nothing that says why.
        if (!announces(spawner))
          return "the spawner of this server cannot keep processes to the rules of --egress"
        if (hasNetwork) return "the rules of --egress need a server that confines processes without a network"
        const fault = secrets && hosted && code.get().fault(secrets)
        if (fault !== undefined) return fault
        if (egress == null) return undefined
        const rules = code.get().parse(egress)
        if (Result.isFailure(rules)) return `egress: ${rules.failure}`
        return rules.success.ask ? "egress: ask: this server asks no client" : undefined
      },
      extend: (params, server) => {
        if (shared === undefined) return undefined
        const { egress } = params
        const { extension, hosted, parse } = code.get()
        const all = Secrets.ofStart(params, server.secrets)
        const secrets = all && {
          all,
          hosted: hosted(all),
          variables: new Set(Secrets.inVariables(params, server.secrets).map(({ name }) => name)),
          next: shared.next,
        }
        const own = egress == null ? undefined : Result.getOrThrow(parse(egress))
        const policies = [
          shared.policy,
          ...(own === undefined ? [] : [{ of: "this start", rules: () => own }]),
        ]
        return ({ process }) =>
          extension(process, policies, secrets, (attempt, decision) => {
            shared.count(decision)
            server.noteEgress?.(process.id, attempt, decision)
          })
      },
    }
  })
