/**
 * The first three messages of a connection: `initialize`, its answer, `initialized`. Requests that are refused
 * before the handshake, and methods that do not exist. The families of methods that a server may lack: each is
 * refused before the handshake, in a text that names it. Messages that a client must never send: the server ends
 * the connection without an answer.
 */
import { Check, Child, table, type Capability, type CaseSpec, type JsonObject } from "../Vocabulary.ts"

const hello = { clientName: "x" }

export const handshake = table("handshake", {
  "initialize-returns-session-and-environment": {
    spec: [1],
    says: `initialize {clientName} is answered with a result that holds sessionId, a string, and
      environmentInfo, an object.`,
    run: async (t) => {
      const wire = await t.connect()
      const result = await wire.ok("initialize", hello)
      Check.isTrue(Check.text(result["sessionId"], "sessionId").length > 0, "sessionId must not be empty")
      const shell = Check.object(
        Check.object(result["environmentInfo"], "environmentInfo")["shell"],
        "its shell",
      )
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
      for (const id of ids)
        Check.isTrue(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id), `${id} is no UUID`)
      Check.isTrue(ids[0] !== ids[1], "two sessions have the same id")
    },
  },
  "empty-client-name-accepted": {
    spec: [2],
    says: "initialize with an empty clientName succeeds.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "" })
    },
  },
  "null-resume-id-accepted": {
    says: "initialize with resumeSessionId null opens a new session.",
    run: async (t) => {
      await (await t.connect()).ok("initialize", { clientName: "x", resumeSessionId: null })
    },
  },
  "initialize-without-params-refused": {
    spec: [3],
    says: "initialize without params is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", undefined, -32602)
    },
  },
  "missing-client-name-is-named": {
    spec: [4],
    says: "initialize {} is refused with -32602 and a message that names clientName.",
    run: async (t) => {
      const message = await (await t.connect()).refused("initialize", {}, -32602)
      Check.contains(message, "clientName", "the message")
    },
  },
  "client-name-of-wrong-type-refused": {
    spec: [5],
    says: "initialize {clientName: 5} is refused with -32602.",
    run: async (t) => {
      await (await t.connect()).refused("initialize", { clientName: 5 }, -32602)
    },
  },
  "decoder-texts-of-the-peer": {
    level: "peer",
    spec: [3, 4, 5],
    says: "Params of initialize that do not decode are refused with the exact texts of Codex.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused(
        "initialize",
        undefined,
        -32602,
        "invalid type: null, expected struct InitializeParams",
      )
      await wire.refused("initialize", {}, -32602, "missing field `clientName`")
      await wire.refused("initialize", { clientName: 5 }, -32602, "invalid type: number, expected a string")
    },
  },
  "failed-initialize-can-be-repeated": {
    spec: [6],
    says: "After a refused initialize, a valid one on the same connection succeeds.",
    run: async (t) => {
      const wire = await t.connect()
      await wire.refused("initialize", {}, -32602)
      await wire.handshake()
      await wire.barrier()
    },
  },
  "second-initialize-refused": {
    spec: [7],
    says: "A second initialize is refused with -32600, and the connection stays usable.",
    play: async (wire) => {
      await wire.refused("initialize", hello, -32600, "initialize may only be sent once per connection")
      await wire.barrier()
    },
  },
  "initialized-may-be-repeated": {
    spec: [17],
    says: "initialized may be sent three times, with any params: it has no effect and no answer.",
    play: async (wire) => {
      wire.send({ method: "initialized", params: { odd: [1] } })
      wire.send({ method: "initialized", params: null })
      await wire.barrier()
      Check.equal(wire.inbox.messages.length, 2, "messages from the server")
    },
  },
  "handshake-may-be-pipelined": {
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
    says: `process/read {} before initialize is refused for its params (-32602, naming processId), not for
      the missing handshake.`,
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
    says: `Each process method between initialize and initialized is refused with -32600 and the text about
      initialized.`,
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
    says: `environment/info and environment/status before the handshake are refused with -32600 and texts
      that name their family.`,
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

/** The messages that end a connection. */
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
        spec: [spec],
        says: `${says} ends the connection without a message.`,
        play: async (wire) => {
          await wire.barrier()
          const from = wire.inbox.messages.length
          wire.sendText(message)
          await wire.endsSilently(from)
        },
      },
    }),
  ),
]
