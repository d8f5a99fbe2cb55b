/**
 * Rules for the hosts that processes reach, on the server. Those of the server hold for every process, and those of a
 * start beside them. The client that has the session of a process is asked about what both leave to it.
 */
import * as Effect from "effect/Effect"
import { Keeper } from "../../spawn/Keeper.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import * as Secrets from "../secrets/Secrets.ts"
import type { Line } from "./Line.ts"
import type { egress as wire } from "./wire.ts"

const code = Late.make(() => import("./Starting.ts"))

export const egress: Stateful<typeof wire> = ({ egress: shared }) =>
  Effect.gen(function* () {
    // Of a start that names no rules nobody sees that it needs the code.
    if (shared !== undefined) yield* code.loading() ?? Effect.void
    const keeper = yield* Keeper
    /** The clients by the ids of their sessions. */
    const lines = new Map<string, Line>()
    return {
      code,
      announces: ({ keepsEgress, spawner }) => ({
        processEgress: keepsEgress,
        processSecretHosts: keepsEgress && (keeper === undefined || spawner.masks === true),
      }),
      fault: (params, { keepsEgress, hasNetwork, secrets: own }) => {
        const { egress, egressAsk } = params
        const secrets = Secrets.ofStart(params, own)
        const hosted = secrets?.find(Secrets.isHosted)
        if (shared === undefined && hosted !== undefined) return Secrets.unguarded(hosted)
        if (shared === undefined)
          return egress == null && egressAsk !== true
            ? undefined
            : `\`${egress == null ? "egressAsk" : "egress"}\` is not supported by this server: it has no rules (--egress) and no capability processEgress`
        // Never without them: the process would have more than the server allows, or nothing that says why.
        if (!keepsEgress)
          return hasNetwork
            ? "the rules of --egress need a server that confines processes without a network"
            : "the spawner of this server cannot keep processes to the rules of --egress"
        return code.get().fault(params, hosted && secrets)
      },
      extend: (params, server) =>
        shared === undefined ? undefined : code.get().extend(params, server, shared, lines),
      ...(shared === undefined
        ? {}
        : {
            part: (connection) => code.get().part(connection, lines),
          }),
    }
  })
