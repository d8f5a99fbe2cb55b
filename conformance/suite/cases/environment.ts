/**
 * `environment/status` and `environment/info`.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"

export const info = table("environment", {
  // guards: clean-stdout
  "status-is-ready": {
    spec: [182, "b68"],
    says: 'environment/status is answered with {"status":"ready"}, with params absent, null or {}.',
    play: async (wire) => {
      for (const params of [undefined, null, {}]) {
        Check.equal(await wire.ok("environment/status", params), { status: "ready" }, "the result")
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
    says:
      "environment/info with an object that has members is refused with -32602 and invalid type: map, " +
      "expected unit.",
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
    says:
      "environmentInfo has executorVersion, platformOs, cwd, userHomeDir and tempDir, the folders as file " +
      "URIs, and capabilities as booleans.",
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
