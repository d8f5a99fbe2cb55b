/**
 * The families of methods that a server may lack: each is refused before the handshake, in a text that names it.
 */
import { table, type Capability, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import type { JsonObject } from "../Json.ts"

interface Family {
  /** Its name in error texts. */
  readonly word: string
  readonly requires: Capability
  readonly method: string
  readonly params: JsonObject
  /** A member without which the params do not decode. */
  readonly needs: string
}

const families: { readonly [name: string]: Family } = {
  filesystem: {
    word: "filesystem",
    requires: "filesystem",
    method: "fs/readFile",
    params: { path: "file:///tmp/x" },
    needs: "path",
  },
  http: {
    word: "http",
    requires: "http-client",
    method: "http/request",
    params: { method: "GET", url: "http://127.0.0.1:9/", headers: [], requestId: "r" },
    needs: "method",
  },
  "environment-config": {
    word: "environment config",
    requires: "environment-config",
    method: "environmentConfig/read",
    params: { cwd: "file:///tmp", configPaths: [["model"]], requirementsPaths: [] },
    needs: "cwd",
  },
  "capability-discovery": {
    word: "capability discovery",
    requires: "capability-discovery",
    method: "capabilityRoots/discoverV1",
    params: { roots: [] },
    needs: "roots",
  },
}

const gated = ({ word, requires, method, params, needs }: Family): CaseSpec => ({
  requires: [requires],
  spec: ["b1", "b2"],
  says:
    `${method} is refused with -32600 before initialize and before initialized, in texts that name the family ` +
    `${word}; params that do not decode are refused first, with -32602.`,
  run: async (t) => {
    const wire = await t.connect()
    const refused = async (verb: string): Promise<void> => {
      await wire.refused(method, params, -32600, `client must ${verb} before using ${word} methods`)
      Check.contains(await wire.refused(method, {}, -32602), needs, "the text for {}")
    }
    await refused("call initialize")
    await wire.ok("initialize", { clientName: "x" })
    await refused("send initialized")
    wire.send({ method: "initialized" })
    await wire.barrier()
  },
})

export const handshakeFamilies = table(
  "handshake/family",
  Object.fromEntries(Object.entries(families).map(([name, family]) => [name, gated(family)])),
)
