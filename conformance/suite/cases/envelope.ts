/**
 * The envelope of messages: ids, unknown and duplicate members, and malformed messages. Ids: any string and any
 * 64-bit integer comes back exactly as it was sent.
 */
import { Check, idText, table, type CaseSpec, type Level, type Wire } from "../Vocabulary.ts"

/** Sends a well-formed request; the answer must carry exactly this id. */
export const echoes = async (wire: Wire, id: string, rest = ""): Promise<void> => {
  const { error, message } = await wire.exchange(`{"id":${id},"method":"environment/status"${rest}}`)
  if (error !== undefined) Check.fail(`the request with id ${id} was refused: ${error.message}`)
  Check.equal(idText(message.text) ?? null, id, "the id of the answer")
}

/** The begin of the error of a malformed message, before the text of the parser. */
const prefixes = {
  stdio: "failed to parse JSON-RPC message from exec-server stdio: ",
  ws: "failed to parse websocket JSON-RPC message from exec-server websocket ",
  unix: "failed to parse JSON-RPC message from exec-server unix socket: ",
  tcp: "failed to parse JSON-RPC message from exec-server tcp ",
}

/** Sends a malformed message; the answer must have id -1 and code -32600, and the connection must stay usable. */
const malformed = async (wire: Wire, text: string): Promise<string> => {
  const { error, message } = await wire.exchange(text)
  if (error === undefined) return Check.fail(`${text} was accepted`)
  Check.equal(idText(message.text), "-1", `the id of the answer to ${text}`)
  Check.equal(error.code, -32600, `the code of the answer to ${text}`)
  Check.isTrue(
    error.message.startsWith(prefixes[wire.channel.kind]),
    `the message must begin with "${prefixes[wire.channel.kind]}", got "${error.message}"`,
  )
  await wire.barrier()
  return error.message
}

const refuses = (
  level: Level,
  spec: ReadonlyArray<number>,
  what: string,
  texts: ReadonlyArray<string>,
): CaseSpec => ({
  level,
  spec,
  says: `${what} is answered with id -1 and -32600, and the connection stays usable.`,
  play: async (wire) => {
    for (const text of texts) await malformed(wire, text)
  },
})

const peerTexts: ReadonlyArray<readonly [text: string, suffix: string]> = [
  ["{bad", "key must be a string at line 1 column 2"],
  ["42", "expected a JSON-RPC object"],
  ["[]", "expected a JSON-RPC object"],
  ["{}", "missing field `error`"],
  ['{"id":null,"method":"x"}', "data did not match any variant of untagged enum RequestId"],
  ['{"id":1,"method":5}', "invalid type: number, expected a string"],
  ['{"id":1,"id":2,"method":"x"}', "duplicate JSON object key `id` at line 1 column 12"],
  ['{"id":1,"method":"x","trace":5}', "invalid type: number, expected struct W3cTraceContext"],
]

export const envelope = table("envelope", {
  "malformed-text-answered-with-minus-one": refuses("must", [24, 25], "A text that is not JSON", ["{bad"]),
  "scalar-refused": refuses("must", [26], "A message that is a number, null or a string", [
    "42",
    "null",
    '"s"',
  ]),
  "batch-refused": refuses("must", [27], "An array, empty or with requests in it,", [
    "[]",
    '[{"id":1,"method":"environment/status"}]',
  ]),
  "empty-object-refused": refuses("must", [28], "An object without method, result or error", ["{}"]),
  "method-of-wrong-type-refused": refuses("must", [], "A request whose method is no string", [
    '{"id":1,"method":5}',
    '{"id":1,"method":null}',
  ]),
  "id-of-wrong-type-refused": refuses(
    "must",
    [33],
    "A request whose id is null, a fraction, a boolean or an object",
    [
      '{"id":null,"method":"environment/status"}',
      '{"id":1.5,"method":"environment/status"}',
      '{"id":true,"method":"environment/status"}',
      '{"id":{},"method":"environment/status"}',
    ],
  ),
  "id-beyond-64-bits-refused": refuses("should", [33], "A request whose id is 2^63", [
    '{"id":9223372036854775808,"method":"environment/status"}',
    '{"id":-9223372036854775809,"method":"environment/status"}',
  ]),
  "id-written-as-float-refused": refuses("should", [33], "A request whose id is written as 1.0 or 1e2", [
    '{"id":1.0,"method":"environment/status"}',
    '{"id":1e2,"method":"environment/status"}',
  ]),
  "duplicate-keys-refused": refuses(
    "should",
    [34],
    "A message with the same key twice in one object, at any depth,",
    [
      '{"id":1,"id":2,"method":"environment/status"}',
      '{"id":1,"method":"environment/status","params":{"a":1,"a":1}}',
      '{"id":1,"method":"environment/status","params":{"x":[{"a":1,"\\u0061":2}]}}',
    ],
  ),
  "trace-of-wrong-type-refused": refuses("should", [36], "A request whose trace is a number", [
    '{"id":1,"method":"environment/status","trace":5}',
  ]),
  "parser-texts-of-the-peer": {
    level: "peer",
    spec: [24, 26, 27, 28, 33, 34, 36],
    says: "Malformed messages are answered with the exact texts of the parser of Codex.",
    play: async (wire) => {
      for (const [text, suffix] of peerTexts) {
        const message = await malformed(wire, text)
        Check.isTrue(
          message.endsWith(`: ${suffix}`),
          `the answer to ${text} must end with "${suffix}", got "${message}"`,
        )
      }
    },
  },
  "unknown-members-ignored": {
    spec: [35],
    says: "Unknown members of a message and of its params, and any jsonrpc member, are ignored.",
    play: async (wire) => {
      await echoes(wire, "1", ',"jsonrpc":"2.0","zzz":{"a":[1]}')
      await echoes(wire, "2", ',"jsonrpc":5')
      const params = { processId: "none", zzz: 1, jsonrpc: null }
      await wire.ok("process/terminate", params)
    },
  },
  "method-and-result-is-a-request": {
    level: "should",
    says: "An object with id, method and result is taken as a request.",
    run: async (t) => echoes(await t.open(), "6", ',"result":{}'),
  },
  "trace-accepted": {
    spec: [36],
    says: "A request may carry a trace, an object with traceparent, or null.",
    play: async (wire) => {
      await echoes(
        wire,
        "1",
        ',"trace":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}',
      )
      await echoes(wire, "2", ',"trace":null')
    },
  },
  "params-null-is-absent": {
    spec: [182],
    says: "params that are absent, null or {} mean the same for a method without params.",
    play: async (wire) => {
      for (const rest of ["", ',"params":null', ',"params":{}']) await echoes(wire, "1", rest)
    },
  },
  "wrong-type-names-the-field": {
    level: "should",
    says: "Params with a field of the wrong type are refused with -32602 and a message that names the field.",
    run: async (t) => {
      const message = await (await t.open()).refused("process/read", { processId: 5 }, -32602)
      Check.contains(message, "processId", "the message")
    },
  },
  "positional-params": {
    level: "should",
    spec: [37],
    says: 'process/read with params ["x", null, null, null] is decoded by position; ["x"] is refused with -32602.',
    play: async (wire) => {
      await wire.refused("process/read", ["x", null, null, null], -32600, "unknown process id x")
      await wire.refused("process/read", ["x"], -32602)
    },
  },
  "half-character-refused": {
    spec: [92],
    says: `A request with half of a surrogate pair in a string is refused with -32600 and its id, or the id
      -1, and the connection stays usable.`,
    play: async (wire) => {
      for (const half of ["\\ud83d", "\\ude00", "\\ude00\\ud83d"]) {
        const { error, message } = await wire.exchange(
          `{"id":1,"method":"process/read","params":{"processId":"${half}"}}`,
        )
        Check.equal(error?.code, -32600, `the code of the answer to ${half}`)
        Check.isTrue(
          error?.message.startsWith(prefixes[wire.channel.kind]) === true,
          `the message must say that the message could not be parsed, got "${error?.message}"`,
        )
        Check.isTrue(
          ["1", "-1"].includes(idText(message.text) ?? ""),
          `the id of the answer must be 1 or -1, got ${message.text}`,
        )
        await wire.barrier()
      }
    },
  },
  "unicode-escapes-and-text": {
    spec: [92],
    says: "Characters outside ASCII, raw or escaped, surrogate pairs included, come back unchanged.",
    play: async (wire) => {
      for (const [raw, text] of [
        ["zwölf-\u{1F600}", "zwölf-\u{1F600}"],
        ["zw\\u00f6lf-\\ud83d\\ude00", "zwölf-\u{1F600}"],
      ]) {
        const { error } = await wire.exchange(
          `{"id":1,"method":"process/read","params":{"processId":"${raw}"}}`,
        )
        Check.equal(error?.message, `unknown process id ${text}`, "the message of the error")
      }
    },
  },
})

export const envelopeId = table("envelope", {
  "string-id-echoed": {
    spec: [31],
    says: "A request whose id is a string, even an empty one, is answered with exactly that string.",
    play: async (wire) => {
      for (const id of ['"str-id"', '""', '"1"', '"-1"']) await echoes(wire, id)
    },
  },
  "integer-ids-echoed": {
    spec: [32],
    says: "Requests with the ids -5, 0 and 2^53-1 are answered with exactly these ids.",
    play: async (wire) => {
      for (const id of ["-5", "0", "9007199254740991"]) await echoes(wire, id)
    },
  },
  "64-bit-ids-echoed": {
    spec: [32],
    says: "Requests with the ids 2^53+1, 2^63-1 and -2^63 are answered with exactly these digits.",
    play: async (wire) => {
      for (const id of ["9007199254740993", "9223372036854775807", "-9223372036854775808"])
        await echoes(wire, id)
    },
  },
  "id-last-in-the-message": {
    says: `The members of a request may come in any order, with spaces between them; an id in a nested
      object is not the id of the request.`,
    play: async (wire) => {
      const { message } = await wire.exchange(
        ' { "params" : {"processId":"p","id":7} , "method" : "process/terminate" , "id" : 9007199254740995 } ',
      )
      Check.equal(idText(message.text), "9007199254740995", "the id of the answer")
    },
  },
  "minus-zero-becomes-zero": {
    level: "peer",
    says: "A request with the id -0 is answered with the id 0.",
    play: async (wire) => {
      const { message } = await wire.exchange('{"id":-0,"method":"environment/status"}')
      Check.equal(idText(message.text), "0", "the id of the answer")
    },
  },
})
