// @ts-check
// Faults of the protocol, what is spawned, and patterns.
import { byCases, byTests, inFile } from "./fault.mjs"

export const protocol = [
  inFile("core/pattern/ByteSequences.ts")(
    "some characters of three bytes have two",
    "code < 0x800",
    "code < 0x8000",
  ),
  inFile("core/pattern/Program.ts")(
    "^ with the flag m is the begin of the text",
    'case "lineStart": return before(none | lineEnd, next)',
    'case "lineStart": return before(none, next)',
    byCases("process/wait/knows-flags"),
  ),
  inFile("core/protocol/Base64Bytes.ts")(
    "long base64 may have bits that mean nothing",
    "return endsAlike(text, bytes)",
    "return true",
  ),
  inFile("core/protocol/Bytes.ts")(
    "broken UTF-8 is mended",
    "fatal: true, ignoreBOM: true",
    "fatal: false, ignoreBOM: true",
    byTests("core/transport"),
  ),
  inFile("core/protocol/CutText.ts")(
    "a text as it came lacks its base64",
    "this.text.slice(0, this.at) + toBase64(this.bytes) + this.text.slice(this.at)",
    "this.text",
  ),
  inFile("core/protocol/FileUrl.ts")(
    "dots are not resolved before NUL is judged",
    "0, before + 1",
    "0, -1",
    byCases("fs/path/dots-resolved-in-the-text"),
  ),
  inFile("core/protocol/Floor.ts")(
    "a request gets the network back",
    "floor.network && asked.network",
    "asked.network",
  ),
  inFile("core/protocol/HttpRequest.ts")(
    "a header in an array has three elements",
    "value: Schema.String, valueEnvVar: omittable(Schema.String)",
    "value: Schema.String, valueEnvVar: nullable(Schema.String)",
    byCases("http/request/header-in-an-array"),
  ),
  inFile("core/protocol/Json.ts")(
    "the same key may come twice",
    "if (Object.hasOwn(object, key)) throw this.error(`duplicate JSON object key \\`${key}\\``, this.at - 1)",
    "",
    byCases("envelope/duplicate-keys-refused"),
  ),
  inFile("core/protocol/Limits.ts")(
    "one level too many is read",
    "peerDepth = 127",
    "peerDepth = 128",
    byCases("limits/depth-at-limit"),
  ),
  inFile("core/protocol/MemoryPool.ts")(
    "the same memory can be given back twice",
    "taken[origin] = undefined",
    "",
  ),
  inFile("core/protocol/Message.ts")(
    "malformed messages are answered with id 0",
    "malformedId = -1",
    "malformedId = 0",
    byCases("envelope/malformed-text-answered-with-minus-one"),
  ),
  inFile("core/protocol/PathUri.ts")(
    "a bad URI is judged after the handshake",
    'fault, "PathUri"',
    '() => undefined, "PathUri"',
    byCases("fs/path/judged-while-decoding"),
  ),
  inFile("core/protocol/SandboxPaths.ts")(
    "a workspace root of another host is ignored",
    "sandbox.policyContext?.workspaceRoots ?? sandbox.workspaceRoots ?? []",
    "sandbox.policyContext?.workspaceRoots ?? []",
    byCases("process/sandbox/foreign-path-refused"),
  ),
  inFile("core/protocol/Suggestion.ts")(
    "nothing is near but what contains the word",
    "steps <= Math.max(1, Math.min(3, Math.floor(Math.max(one.length, other.length) / 3)))",
    "false",
  ),
  inFile("core/protocol/Turn.ts")(
    "who has asked last comes first",
    "[next] = waiting",
    "next = [...waiting].at(-1)",
  ),
  inFile("core/protocol/decoding/Choice.ts")(
    "a word is never an object",
    'if (!isObject(json)) throw wrongType(json, "string or map", reading)',
    'throw wrongType(json, "string or map", reading)',
    byCases("params/word-as-an-object"),
  ),
  inFile("core/protocol/decoding/Struct.ts")(
    "an array of fields has to have all of them",
    'position ?? (isOptional && !takesNull(type) ? "omittable" : "required")',
    '"required"',
    byCases("params/fields-in-an-array"),
  ),
  inFile("core/protocol/dialect/auto.ts")(
    "who resumes is not known for today's client",
    'params["resumeSessionId"] != null',
    "false",
    byTests("core/server/ExecServer.Dialects.test.ts"),
  ),
  inFile("core/protocol/dialect/current.ts")(
    "a malformed message ends it all",
    "endsOnMalformed: false",
    "endsOnMalformed: true",
    byTests("core/server/ExecServer.Dialects.test.ts"),
  ),
  inFile("core/protocol/dialect/v0.ts")(
    "v0: the pid is not told",
    "pid: pid ?? null",
    "pid: null",
    byTests("core/server/ExecServer.Dialects.test.ts"),
  ),
  inFile("core/protocol/document/Lock.ts")(
    "a type of the wire may change without a word",
    'kind: "changed" as const, name, declared: changes.has(name)',
    'kind: "changed" as const, name, declared: true',
  ),
  inFile("core/protocol/document/Origin.ts")(
    "types that came with a later field are as old as the method",
    "next, Versions.later(from, version)",
    "next, from",
  ),
  inFile("core/spawn/Drain.ts")(
    "who outlives its leader gets no time",
    "? handle.lingering",
    "? Effect.succeed(false)",
  ),
  inFile("core/spawn/EnvPolicy.ts")("includeOnly is ignored", "policy.includeOnly.length > 0", "false"),
  inFile("core/spawn/PlainEvents.ts")(
    "a plain spawner may report two exits",
    'return report("exit-twice", `an exit with ${JSON.stringify(status)}`)',
    'report("exit-twice", `an exit with ${JSON.stringify(status)}`)',
  ),
  inFile("core/spawn/PlainHandle.ts")(
    "a plain spawner that keeps what it is to write finds other bytes in it",
    "(bytes.slice())",
    "(bytes)",
  ),
  inFile("core/spawn/SpecCheck.ts")(
    "a variable may hold a NUL",
    'hasNul(name) || hasNul(env[name] ?? "")',
    "hasNul(name)",
    byCases("process/start/nul-bytes-refused"),
  ),
]
