// @ts-check
// Params of the methods that need no process: files, blocks, watches, HTTP, the environment.
import * as Places from "./places.mjs"
import { sandbox } from "./programs.mjs"
import { base64, exactly } from "./values.mjs"

/**
 * @import { Random } from "../../stress/lib/command.mjs"
 * @import { Members } from "./values.mjs"
 */

const contents = [
  base64("new content\n"), "", base64("x".repeat(3000)), base64("é"), "YQ==", "YWI=", "YWJj", "AP/+", "YQ", "YQ=", "Y",
  "!!", "_-==", "YQ==\n", " YQ==", "YR==", "YWJ=", "=", "====", "YQ==YQ==", "YW\nJj", "Ynll\u0000", "ü", "YQ===", "YWJj=",
] // prettier-ignore
const content = (/** @type {Random} */ random) =>
  random.chance(0.7) ? base64(`text ${random.below(5)}\n`) : random.pick(contents)

const offsets = [
  0, 0, 1, 3, 255, 256, 1000, exactly("9223372036854775807"), exactly("9223372036854775808"),
  exactly("18446744073709551615"), exactly("18446744073709551616"), -1, 1.5, exactly("1.0"),
  exactly("1e2"), "0", null,
] // prettier-ignore
const lengths = [
  1,
  3,
  10,
  256,
  257,
  1000,
  1_048_576,
  0,
  1_048_577,
  -1,
  exactly("18446744073709551615"),
  1.5,
  "1",
  null,
]
const handles = ["h0", "h1", "h2", "", "é".repeat(16), "é".repeat(17), "h".repeat(32), "h".repeat(33), "none"]
const handle = (/** @type {Random} */ random) =>
  random.chance(0.8) ? `h${random.below(3)}` : random.pick(handles)

const writing = (/** @type {Random} */ random) => `w${random.below(2)}`
const modes = ["read", "read", "append", null, 5]

/** @param {Random} random */
const sandboxed = (random) => (random.chance(0.05) ? { sandbox: sandbox(random) } : {})
/** @param {Random} random */
const following = (random) =>
  random.chance(0.2)
    ? { followSymlinks: random.chance(0.8) ? false : random.pick([true, null, "no", 0]) }
    : {}
/** @param {Random} random @param {string} name @param {number} share */
const flag = (random, name, share) =>
  random.chance(share)
    ? { [name]: random.chance(0.9) ? random.chance(0.5) : random.pick([null, 1, "true"]) }
    : {}

const limit = (/** @type {Random} */ random, /** @type {readonly unknown[]} */ odd) =>
  random.chance(0.6) ? 1 + random.below(12) : random.pick(odd)

/** @param {Random} random */
const walkOptions = (random) => ({
  maxDepth: limit(random, [0, 1, 64, 65, -1, exactly("18446744073709551615"), 1.5, null]),
  maxDirectories: limit(random, [0, 1, 10_000, 10_001, exactly("18446744073709551616"), "1", exactly("2.0")]),
  maxEntries: limit(random, [0, 1, 2, 50_000, 50_001, -1, null, 100]),
  ...(random.chance(0.97) && { followDirectorySymlinks: random.chance(0.5) }),
  ...(random.chance(0.3) && { pruneHiddenDirectories: random.chance(0.9) ? random.chance(0.5) : null }),
})

const watched = ["{U}/watched-1", "{U}/void/watched-2", "{U}/watched-3/a/b"]
const watchIds = [0, 1, 2, 3, 7, 7, 100, exactly("18446744073709551615"), -1, 1.5, "1", null]

/** @param {Random} random */
const watchOf = (random) => {
  const harmless = { harmless: true }
  const odd = () => [Places.uri(random, harmless), random.pick(watched)]
  const lists = () =>
    random.pick([
      [],
      Array.from({ length: 64 }, (_, i) => `{U}/watched-${i}`),
      Array.from({ length: 65 }, (_, i) => `{U}/watched-${i}`),
      null,
      "x",
      [5],
      {},
    ])
  return {
    watchId: random.chance(0.6) ? 1 + random.below(9) : random.pick(watchIds),
    missing: random.chance(0.5) ? [random.pick(watched)] : random.chance(0.7) ? odd() : lists(),
    ...(random.chance(0.2) && {
      present: random.pick([null, "{U}/present", "{U}/none", "{U}/dangling", "{U}/dir", 5]),
    }),
  }
}

const urls = [
  "/echo", "/echo?a=1&b=%20", "/status/204", "/status/500", "/status/304", "/repeat", "/redirect/1", "/redirect/3",
  "/redirect/20", "/redirect/0", "/stream/5", "/stream/0", "/large", "/gzip", "/cut", "/latin1", "/ünï", "/a b", "/echo#f",
  "/see-other", "/temporary", "/elsewhere", "/no-location", "/bad-location", "/echo/../x", "/%zz", "/hop",
] // prettier-ignore
const otherUrls = [
  "ftp://x/", "x", "", "file:///etc", "http://", "http:///x", "http://127.0.0.1:1/", "HTTP://x y/", "http://[::1", "ws://x/",
  "https://127.0.0.1:1/", "http://user:pass@{ORIGIN}/echo", "http://u@{ORIGIN}/echo", " {O}/echo", "{O}", "//x/", "http:x",
] // prettier-ignore
const headers = [
  [], [{ name: "x-a", value: "1" }, { name: "X-A", value: "2" }], [{ name: "accept", value: "text/plain" }],
  [{ name: "user-agent", value: "me" }], [{ name: "a b", value: "1" }], [{ name: "", value: "1" }],
  [{ name: "x", value: "a\nb" }],
  [{ name: "x", value: "é" }], [{ name: "x", value: "" }], [{ name: "x", value: " pad " }], [{ name: "x" }],
  [["x", "y"]],
  [{ name: "Authorization", value: "Bearer ", valueEnvVar: "HEADER_VALUE" }],
  [{ name: "x", value: "v", valueEnvVar: "NOT_SET" }],
  [{ name: "x", value: "v", valueEnvVar: "OPENAI_API_KEY" }], [{ name: "x", value: "v", valueEnvVar: "EMPTY" }],
  null, {},
  [{ name: "x", value: "v", valueEnvVar: null }], [{ name: "cookie", value: "a=b" }, { name: "cookie", value: "c=d" }],
  [{ name: "content-type", value: "application/json" }], [{ name: "host", value: "other" }],
  [{ name: "range", value: "bytes=0-1" }],
] // prettier-ignore

/** @param {Random} random @returns {Members} */
const httpOf = (random) => ({
  method: random.chance(0.8)
    ? random.pick(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])
    : random.pick(["get", "Purge", "", "A B", "é", 5, "M-SEARCH", "a\nb"]),
  url: random.chance(0.85) ? `{O}${random.pick(urls)}` : random.pick(otherUrls).replace("{ORIGIN}", "{HOST}"),
  ...(random.chance(0.5) && { headers: random.pick(headers) }),
  ...(random.chance(0.4) && {
    bodyBase64: random.chance(0.8) ? base64("body") : random.pick([...contents, null, 5]),
  }),
  ...(random.chance(0.1) && { timeoutMs: random.pick([null, 60_000, -1, "1", 1.5]) }),
  ...(random.chance(0.3) && { redirectPolicy: random.pick(["follow", "stop", "stop", "Follow", null]) }),
  requestId: `r${random.below(3)}`,
  ...(random.chance(0.4) && {
    streamResponse: random.chance(0.9) ? random.chance(0.7) : random.pick([null, "yes"]),
  }),
})

/** @type {Record<string, (random: Random) => Members | null | undefined>} */
export const makers = {
  "environment/info": (random) => random.pick([undefined, null, {}]),
  "environment/status": (random) => random.pick([undefined, null, {}]),
  "fs/readFile": (random) => ({
    path: Places.uri(random, { harmless: true }),
    ...following(random),
    ...sandboxed(random),
  }),
  "fs/writeFile": (random) => ({
    path: Places.uri(random),
    dataBase64: content(random),
    ...following(random),
    ...sandboxed(random),
  }),
  "fs/createDirectory": (random) => ({
    path: Places.uri(random),
    ...flag(random, "recursive", 0.5),
    ...following(random),
    ...sandboxed(random),
  }),
  "fs/getMetadata": (random) => ({
    path: Places.uri(random, { harmless: true }),
    ...following(random),
    ...sandboxed(random),
  }),
  "fs/canonicalize": (random) => ({ path: Places.uri(random, { harmless: true }), ...sandboxed(random) }),
  "fs/readDirectory": (random) => ({
    path: random.chance(0.5)
      ? Places.uri(random)
      : random.pick(["{U}", "{U}/dir", "{U}/dirlnk", "{U}/void", "{U}/br[id]"]),
    ...sandboxed(random),
  }),
  "fs/walk": (random) => ({
    path: random.chance(0.5)
      ? Places.uri(random)
      : random.pick(["{U}", "{U}/dir", "{U}/we%28i%29r", "{U}/dirlnk", "{U}/.hid", "{U}/br[id]"]),
    options: walkOptions(random),
    ...sandboxed(random),
  }),
  "fs/remove": (random) => ({
    path: Places.uri(random),
    ...flag(random, "recursive", 0.5),
    ...flag(random, "force", 0.4),
    ...following(random),
    ...sandboxed(random),
  }),
  "fs/copy": (random) => ({
    sourcePath: Places.uri(random),
    destinationPath: Places.uri(random),
    ...(random.chance(0.97) && { recursive: random.chance(0.6) }),
    ...sandboxed(random),
  }),
  "fs/open": (random) => {
    const replaces = random.chance(0.4)
    return {
      handleId: replaces && random.chance(0.8) ? writing(random) : handle(random),
      path: Places.uri(random),
      ...(replaces ? { mode: "replace" } : random.chance(0.2) && { mode: random.pick(modes) }),
      ...sandboxed(random),
    }
  },
  "fs/readBlock": (random) => ({
    handleId: random.chance(0.1) ? writing(random) : handle(random),
    offset: random.chance(0.7) ? random.below(12) : random.pick(offsets),
    len: random.chance(0.7) ? 1 + random.below(20) : random.pick(lengths),
  }),
  "fs/writeBlock": (random) => ({
    handleId: random.chance(0.7) ? writing(random) : handle(random),
    offset: random.chance(0.7) ? random.below(12) : random.pick(offsets),
    chunk: random.chance(0.9) ? content(random) : base64("x".repeat(random.pick([1_048_576, 1_048_577]))),
  }),
  "fs/close": (random) => ({ handleId: random.chance(0.3) ? writing(random) : handle(random) }),
  "fs/watchMissing": watchOf,
  "http/request": httpOf,
}
