/**
 * `environment/status` and `environment/info`. Methods about the configuration of Codex: `environmentConfig/read`,
 * `capabilities/discoverV2` and `capabilityRoots/discoverV1`.
 */
import { Check, table, type Json } from "../Vocabulary.ts"

export const info = table("environment", {
  // guards: clean-stdout
  "status-is-ready": {
    spec: [182, "b68"],
    says: 'environment/status is answered with {"status":"ready"}, with params absent, null or {}.',
    play: async (wire) => {
      for (const params of [undefined, null, {}]) {
        await wire.ok("environment/status", params, { status: "ready" })
      }
    },
  },
  "info-equals-that-of-initialize": {
    spec: ["b66", "b67"],
    says: "environment/info returns the same object as environmentInfo in the result of initialize.",
    run: async (t) => {
      const wire = await t.connect()
      const { environmentInfo = null } = await wire.handshake()
      for (const params of [undefined, null, {}]) {
        Check.equal(await wire.ok("environment/info", params), environmentInfo, "the result")
      }
    },
  },
  "params-of-wrong-type-refused": {
    spec: ["b66"],
    says: "environment/info and environment/status with an array or a text as params are refused with -32602.",
    play: async (wire) => {
      for (const method of ["environment/info", "environment/status"]) {
        for (const params of [[], "x"]) await wire.refused(method, params, -32602)
      }
    },
  },
  "no-members-in-params": {
    level: "peer",
    spec: ["b66"],
    says: `environment/info with an object that has members is refused with -32602 and invalid type: map,
      expected unit.`,
    play: async (wire) => {
      await wire.refused("environment/info", { a: 1 }, -32602, "invalid type: map, expected unit")
      await wire.refused("environment/info", [], -32602, "invalid type: sequence, expected unit")
    },
  },
  "transparent-tcp-is-announced": {
    level: "should",
    peers: ["0.171"],
    spec: ["b66"],
    says: "The capabilities of environmentInfo say of networkProxyTransparentTcp whether the server has it.",
    run: async (t) => {
      const result = await (await t.open()).ok("environment/info")
      const capabilities = Check.object(result["capabilities"], "capabilities")
      Check.flag(capabilities["networkProxyTransparentTcp"], "networkProxyTransparentTcp")
    },
  },
  "info-names-the-machine": {
    level: "should",
    says: `environmentInfo has executorVersion, platformOs, cwd, userHomeDir and tempDir, the folders as
      file URIs, and capabilities as booleans.`,
    run: async (t) => {
      const result = await (await t.open()).ok("environment/info")
      Check.text(result["executorVersion"], "executorVersion")
      Check.text(result["platformOs"], "platformOs")
      for (const name of ["cwd", "userHomeDir", "tempDir"]) {
        Check.isTrue(Check.text(result[name], name).startsWith("file:///"), `${name} is no file URI`)
      }
      const capabilities = Check.object(result["capabilities"], "capabilities")
      for (const [name, value] of Object.entries(capabilities)) Check.flag(value, `the capability ${name}`)
    },
  },
})

const cwd = "file:///tmp"
const config = { requires: ["environment-config"] } as const
const discovery = { requires: ["capability-discovery"] } as const

/** Layers, each with its source, its folder and its text. */
const layersIn = (value: Json | undefined, what: string): ReadonlyArray<string> => {
  const part = Check.object(value, what)
  Check.integer(part["cloudInsertionIndex"], `cloudInsertionIndex of ${what}`)
  return Check.list(part["layers"], `layers of ${what}`).map((item) => {
    const layer = Check.object(item, `a layer of ${what}`)
    Check.text(layer["source"], "the source of a layer")
    return JSON.stringify(layer["toml"] ?? null)
  })
}

export const environmentConfig = table("environmentConfig/read", config, {
  "folders-and-layers": {
    spec: ["b69"],
    says: `environmentConfig/read with a chosen key returns userHomeDir, codexHomeDir, hostname, and config
      and requirements with their layers.`,
    run: async (t) => {
      const params = { cwd, configPaths: [["model"]], requirementsPaths: [["allowed"]] }
      const result = await (await t.open()).ok("environmentConfig/read", params)
      for (const name of ["userHomeDir", "codexHomeDir", "hostname"]) Check.text(result[name], name)
      layersIn(result["config"], "config")
      layersIn(result["requirements"], "requirements")
    },
  },
  "only-chosen-keys": {
    spec: ["b69"],
    says: `environmentConfig/read of a key that no configuration has returns no layers: only chosen keys are
      returned.`,
    run: async (t) => {
      const params = { cwd, configPaths: [["procwire_no_such_key"]], requirementsPaths: [] }
      const result = await (await t.open()).ok("environmentConfig/read", params)
      Check.equal([...layersIn(result["config"], "config")], [], "the layers of config")
      Check.equal([...layersIn(result["requirements"], "requirements")], [], "the layers of requirements")
    },
  },
  "nothing-chosen-refused": {
    spec: ["b69"],
    says: "environmentConfig/read without any key, or without one of its three members, is refused with -32602.",
    play: async (wire) => {
      const params = { cwd, configPaths: [], requirementsPaths: [] }
      await wire.refused("environmentConfig/read", params, -32602)
      for (const name of Object.keys(params)) {
        const rest = Object.fromEntries(Object.entries(params).filter(([other]) => other !== name))
        Check.contains(await wire.refused("environmentConfig/read", rest, -32602), name, "the text")
      }
    },
  },
  "text-of-the-peer": {
    level: "peer",
    spec: ["b69"],
    says: "The text for no chosen key is: at least one config or requirements path is required.",
    run: async (t) => {
      const params = { cwd, configPaths: [], requirementsPaths: [] }
      const text = "at least one config or requirements path is required"
      await (await t.open()).refused("environmentConfig/read", params, -32602, text)
    },
  },
})

export const capabilityDiscovery = table("capabilities", discovery, {
  "discover-v2": {
    spec: ["b70"],
    says: "capabilities/discoverV2 {cwd} returns three arrays: plugins, skills and warnings.",
    run: async (t) => {
      const result = await (await t.open()).ok("capabilities/discoverV2", { cwd })
      for (const name of ["plugins", "skills", "warnings"]) Check.list(result[name], name)
    },
  },
  "no-roots": {
    spec: ["b70"],
    says: "capabilityRoots/discoverV1 without roots returns none.",
    run: async (t) => {
      const result = await (await t.open()).ok("capabilityRoots/discoverV1", { roots: [] })
      Check.equal(result, { roots: [] }, "the result")
    },
  },
  "roots-in-their-order": {
    spec: ["b70"],
    says: `capabilityRoots/discoverV1 answers each root in its order with its id and path; a root that does
      not exist has an error or is empty, and does not affect the others.`,
    run: async (t) => {
      const roots = ["b", "a", "c"].map((id) => ({ id, path: `file:///tmp/procwire-none-${id}` }))
      const result = await (await t.open()).ok("capabilityRoots/discoverV1", { roots })
      const found = Check.list(result["roots"], "roots").map((item) => Check.object(item, "a root"))
      const named = found.map(({ id = null, path = null }) => ({ id, path }))
      Check.equal(named, roots, "the ids and paths")
      for (const root of found) {
        for (const name of ["skills", "namespaceManifests", "warnings"]) Check.list(root[name], name)
      }
    },
  },
})
