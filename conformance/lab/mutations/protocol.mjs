// @ts-check
// Mutations of core/protocol, core/transport and core/spawn.
import { one } from "./mutation.mjs"

export const protocol = [
  one(
    "core/protocol/Message.ts",
    "export const malformedId = -1",
    "export const malformedId = 0",
    "malformed messages are answered with id 0",
    "envelope",
  ),
  one(
    "core/protocol/Message.ts",
    "const most = 2n ** 63n - 1n",
    "const most = 2n ** 64n - 1n",
    "ids have 65 bits",
    "envelope",
  ),
  one(
    "core/protocol/Message.ts",
    ": String(id))",
    ": String(Number(id)))",
    "big ids are rounded",
    "envelope/64*",
  ),
  one(
    "core/protocol/Limits.ts",
    "peerDepth = 127",
    "peerDepth = 128",
    "one level too many is read",
    "limits",
  ),
  one(
    "core/protocol/Json.ts",
    "if (Object.hasOwn(object, key))",
    "if (false)",
    "the same key may come twice",
    "envelope",
  ),
  one(
    "core/protocol/Bytes.ts",
    "bytes !== undefined && toBase64(bytes) === text",
    "bytes !== undefined",
    "base64 need not be strict",
    "process/write",
  ),
  one(
    "core/protocol/PathUri.ts",
    'if (rest.includes("?"))',
    "if (false)",
    "a path may have a query",
    "process/start",
  ),
  one(
    "core/transport/Framing.ts",
    'const text = line.endsWith("\\r") ? line.slice(0, -1) : line',
    "const text = line",
    "the CR of CR LF stays",
    "framing",
  ),
  {
    ...one(
      "core/protocol/Bytes.ts",
      "{ fatal: true, ignoreBOM: true }",
      "{ fatal: false, ignoreBOM: true }",
      "broken UTF-8 is mended",
      "framing",
    ),
    tests: ["core/transport"],
  },
  one(
    "core/transport/Framing.ts",
    "else if (!blank.test(text)) into",
    "else into",
    "blank lines are messages",
    "framing",
  ),
  one(
    "core/transport/Framing.ts",
    "if (length > this.maxLineBytes) return this.tooLarge()",
    "if (length > this.maxLineBytes * 2) return this.tooLarge()",
    "lines may be twice as long",
    "limits",
  ),
  one(
    "core/spawn/EnvPolicy.ts",
    '"*SECRET*", "*TOKEN*"]',
    '"*SECRET*"]',
    "tokens are inherited",
    "environment",
  ),
  one(
    "core/spawn/EnvPolicy.ts",
    "Object.entries(env)) variables.set(name, value)",
    "Object.entries(env)) variables.has(name) || variables.set(name, value)",
    "set wins over env",
    "environment",
  ),
  one(
    "core/spawn/EnvPolicy.ts",
    "if (policy.includeOnly.length > 0) {",
    "if (false) {",
    "includeOnly is ignored",
    "environment",
  ),
  one(
    "core/spawn/EnvPolicy.ts",
    "if (strippedExactly.has(name) || stripped.has(name.toUpperCase()))",
    "if (strippedExactly.has(name))",
    "secrets of the server reach a child",
    "environment",
  ),
]
