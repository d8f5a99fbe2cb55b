/**
 * The first three messages of a connection: `initialize`, its answer, `initialized`, and what is refused before and after.
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

export const handshake = table("handshake", {
  "initialize-returns-session-and-environment": {
    level: "must",
    spec: [1],
    says: "initialize {clientName} is answered with a result that holds sessionId, a text, and environmentInfo, an object.",
    run: async (t) => {
      const wire = await t.connect()
      const result = await wire.ok("initialize", hello)
      Check.isTrue(Check.text(result["sessionId"], "sessionId").length > 0, "sessionId must not be empty")
      const shell = Check.object(Check.object(result["environmentInfo"], "environmentInfo")["shell"], "its shell")
      Check.text(shell["name"], "the name of the shell")
      Check.text(shell["path"], "the path of the shell")
    },
  },
  "session-id-is-a-uuid": {
    level: "should",
    spec: [1],
    says: "The sessionId is a UUID, and two connections get different ones.",
    run: async (t) => {
      const ids = [
        Check.text((await (await t.connect()).ok("initialize", hello))["sessionId"], "sessionId"),
        Check.text((await (await t.connect()).ok("initialize", hello))["sessionId"], "sessionId"),
      ]
      for (const id of ids) Check.isTrue(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id), `${id} is no UUID`)
      Check.isTrue(ids[0] !== ids[1], "two sessions have the same id")
    },
  },
  "empty-client-name-accepted": {
    level: "must",
    spec: [2],
    says: "initialize with an empty clientName succeeds.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "" })
    },
  },
  "null-resume-id-accepted": {
    level: "must",
    spec: [],
    says: "initialize with resumeSessionId null opens a new session.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "x", resumeSessionId: null })
    },
  },
  "initialize-without-params-refused": {
    level: "must",
    spec: [3],
    says: "initialize without params is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", undefined, -32602)
    },
  },
  "missing-client-name-is-named": {
    level: "must",
    spec: [4],
    says: "initialize {} is refused with -32602 and a message that names clientName.",
    run: async (t) => {
      const message = await (await t.connect()).refused("initialize", {}, -32602)
      Check.contains(message, "clientName", "the message")
    },
  },
  "client-name-of-wrong-type-refused": {
    level: "must",
    spec: [5],
    says: "initialize {clientName: 5} is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", { clientName: 5 }, -32602)
    },
  },
  "decoder-texts-of-the-peer": {
    level: "peer",
    spec: [3, 4, 5],
    says: "Undecodable params of initialize are refused with the exact texts of Codex.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("initialize", undefined, -32602, "invalid type: null, expected struct InitializeParams")
      await wire.refused("initialize", {}, -32602, "missing field `clientName`")
      await wire.refused("initialize", { clientName: 5 }, -32602, "invalid type: number, expected a string")
    },
  },
  "failed-initialize-can-be-repeated": {
    level: "must",
    spec: [6],
    says: "After an initialize that was refused, a good one on the same connection succeeds.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("initialize", {}, -32602)
      await wire.handshake()
      await wire.barrier()
    },
  },
  "second-initialize-refused": {
    level: "must",
    spec: [7],
    says: "A second initialize is refused with -32600, and the connection stays usable.",
    run: async (t) => {
      const wire = await t.open()
      await wire.refused("initialize", hello, -32600, "initialize may only be sent once per connection")
      await wire.barrier()
    },
  },
  "params-checked-before-state": {
    level: "should",
    spec: [8],
    says: "process/read {} before initialize is refused for its params (-32602, naming processId), not for the missing handshake.",
    run: async (t) => {
      const message = await (await t.connect()).refused("process/read", {}, -32602)
      Check.contains(message, "processId", "the message")
    },
  },
  "process-methods-refused-before-initialize": {
    level: "must",
    spec: [10],
    says: "Each process method before initialize is refused with -32600 and the text about initialize.",
    run: async (t) => {
      const wire = await t.connect()
      for (const [method, params] of processRequests) {
        await wire.refused(method, params, -32600, `${beforeInitialize} exec methods`)
      }
    },
  },
  "process-methods-refused-before-initialized": {
    level: "must",
    spec: [11],
    says: "Each process method between initialize and initialized is refused with -32600 and the text about initialized.",
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
    level: "must",
    spec: [12],
    says: "environment/info and environment/status before the handshake are refused with -32600 and texts that name their family.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("environment/info", undefined, -32600, `${beforeInitialize} environment info methods`)
      await wire.refused("environment/status", undefined, -32600, `${beforeInitialize} environment status methods`)
      await wire.ok("initialize", hello)
      await wire.refused("environment/info", undefined, -32600, `${beforeInitialized} environment info methods`)
    },
  },
  "filesystem-methods-refused-before-handshake": {
    level: "must",
    spec: [12],
    requires: ["filesystem"],
    says: "fs/readFile before initialize is refused with -32600 and a text that names the family filesystem.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("fs/readFile", { path: "file:///tmp/x" }, -32600, `${beforeInitialize} filesystem methods`)
    },
  },
  "http-request-refused-before-handshake": {
    level: "must",
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
    level: "must",
    spec: [13],
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
    says: "process/resize is an unknown method: -32601.",
    run: async (t) => {
      await (await t.open()).refused("process/resize", { processId: "p", rows: 1, cols: 1 }, -32601)
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
  "initialized-may-be-repeated": {
    level: "must",
    spec: [17],
    says: "initialized sent three times, with any params, has no effect and no answer.",
    run: async (t) => {
      const wire = await t.open()
      wire.send({ method: "initialized", params: { odd: [1] } })
      wire.send({ method: "initialized", params: null })
      await wire.barrier()
      Check.equal(wire.inbox.messages.length, 2, "messages from the server")
    },
  },
  "handshake-may-be-pipelined": {
    level: "must",
    spec: [18],
    says: "initialize, initialized and process/start sent without waiting are all accepted.",
    run: async (t) => {
      const wire = await t.connect()
      const first = wire.begin("initialize", hello)
      wire.send({ method: "initialized" })
      const child = await Child.start(wire, { script: "exit 4" })
      Check.isTrue((await first).error === undefined, "initialize was refused")
      Check.equal((await child.ended()).exitCode, 4, "exit code")
    },
  },
})

/** What ends a connection without a word. */
const violations: { readonly [name: string]: readonly [spec: number, says: string, message: string] } = {
  "unknown-notification": [20, "A notification with an unknown method", '{"method":"bogus"}'],
  "request-method-as-notification": [
    21,
    "process/read without an id",
    '{"method":"process/read","params":{"processId":"p"}}',
  ],
  "unasked-response": [22, "A response that answers no request of the server", '{"id":5,"result":{}}'],
  "unasked-error": [
    23,
    "An error that answers no request of the server",
    '{"id":5,"error":{"code":1,"message":"x"}}',
  ],
}

export const violation = [
  ...table("handshake/violation", {
    "initialized-first": {
      level: "must",
      spec: [19],
      says: "initialized before initialize ends the connection without a message.",
      run: async (t) => {
        const wire = await t.connect()
        wire.send({ method: "initialized" })
        await wire.endsSilently()
      },
    },
  }),
  ...Object.entries(violations).flatMap(([name, [spec, says, message]]) =>
    table("handshake/violation", {
      [name]: {
        level: "must",
        spec: [spec],
        says: `${says} ends the connection without a message.`,
        run: async (t) => {
          const wire = await t.open()
          await wire.barrier()
          const from = wire.inbox.messages.length
          wire.sendText(message)
          await wire.endsSilently(from)
        },
      },
    }),
  ),
]
