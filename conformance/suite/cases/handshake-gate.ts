/**
 * Requests that are refused before the handshake, and methods that do not exist.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

const hello = { clientName: "x" }

/** One well-formed request of every process method. */
const processRequests = [
  ["process/start", { processId: "p", argv: ["true"], cwd: "file:///tmp", env: {}, tty: false }],
  ["process/read", { processId: "p" }],
  ["process/write", { processId: "p", chunk: "", writeId: "w" }],
  ["process/signal", { processId: "p", signal: "interrupt" }],
  ["process/terminate", { processId: "p" }],
] as const

const beforeInitialize = "client must call initialize before using"
const beforeInitialized = "client must send initialized before using"

export const gate = table("handshake", {
  "params-checked-before-state": {
    level: "should",
    spec: [8],
    says:
      "process/read {} before initialize is refused for its params (-32602, naming processId), not for the " +
      "missing handshake.",
    run: async (t) => {
      const message = await (await t.connect()).refused("process/read", {}, -32602)
      Check.contains(message, "processId", "the message")
    },
  },
  "process-methods-refused-before-initialize": {
    spec: [10, "b1"],
    says: "Each process method before initialize is refused with -32600 and the text about initialize.",
    run: async (t) => {
      const wire = await t.connect()
      for (const [method, params] of processRequests) {
        await wire.refused(method, params, -32600, `${beforeInitialize} exec methods`)
      }
    },
  },
  "process-methods-refused-before-initialized": {
    spec: [11, "b2"],
    says:
      "Each process method between initialize and initialized is refused with -32600 and the text about " +
      "initialized.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.ok("initialize", hello)
      for (const [method, params] of processRequests) {
        await wire.refused(method, params, -32600, `${beforeInitialized} exec methods`)
      }
      wire.send({ method: "initialized" })
      await Child.start(wire)
    },
  },
  "environment-methods-refused-before-handshake": {
    spec: [12, "b1", "b2"],
    says:
      "environment/info and environment/status before the handshake are refused with -32600 and texts that " +
      "name their family.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused(
        "environment/info",
        undefined,
        -32600,
        `${beforeInitialize} environment info methods`,
      )
      await wire.refused(
        "environment/status",
        undefined,
        -32600,
        `${beforeInitialize} environment status methods`,
      )
      await wire.ok("initialize", hello)
      await wire.refused(
        "environment/info",
        undefined,
        -32600,
        `${beforeInitialized} environment info methods`,
      )
    },
  },
  "filesystem-methods-refused-before-handshake": {
    spec: [12],
    requires: ["filesystem"],
    says: "fs/readFile before initialize is refused with -32600 and a text that names the family filesystem.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused(
        "fs/readFile",
        { path: "file:///tmp/x" },
        -32600,
        `${beforeInitialize} filesystem methods`,
      )
    },
  },
  "http-request-refused-before-handshake": {
    spec: [12],
    requires: ["http-client"],
    says: "http/request before initialize is refused with -32600 and a text that names the family http.",
    run: async (t) => {
      const wire = await t.connect()
      const params = { method: "GET", url: "http://127.0.0.1:9/", headers: [], requestId: "r" }
      await wire.refused("http/request", params, -32600, `${beforeInitialize} http methods`)
    },
  },
  "unknown-method-needs-no-handshake": {
    spec: [13, "b3"],
    says: "An unknown method is refused with -32601 and a text that names it, before and after the handshake.",
    run: async (t) => {
      const wire = await t.connect()
      const message = "exec-server stub does not implement `nope/method` yet"
      await wire.refused("nope/method", {}, -32601, message)
      await wire.handshake()
      await wire.refused("nope/method", undefined, -32601, message)
    },
  },
  "no-resize": {
    level: "peer",
    spec: [14],
    says: "process/resize is an unknown method, -32601, unless environmentInfo.capabilities announces processResize.",
    run: async (t) => {
      const wire = await t.connect()
      const { environmentInfo } = await wire.handshake()
      const { capabilities = {} } = Check.object(environmentInfo, "environmentInfo")
      const { processResize = false } = Check.object(capabilities, "capabilities")
      const code = processResize === true ? -32600 : -32601
      await wire.refused("process/resize", { processId: "p", rows: 1, columns: 1 }, code)
    },
  },
  "no-command-exec": {
    level: "peer",
    spec: [15],
    says: "command/exec of the first protocol version is an unknown method: -32601.",
    run: async (t) => {
      await (await t.open()).refused("command/exec", { processId: "p", argv: ["true"] }, -32601)
    },
  },
  "initialized-as-request-refused": {
    level: "should",
    spec: [16],
    says: "initialized with an id is an unknown method: -32601.",
    run: async (t) => {
      await (await t.open()).refused("initialized", undefined, -32601)
    },
  },
})
