// @ts-check
// Valid messages of every method of the table, which the mutations start from. They do no harm: starts run `true`, and
// `cat`, which ends with its connection; paths lead nowhere; nobody listens at the HTTP address. `harmless` decides
// whether a mutated message may be sent.

/**
 * @import { Random } from "./random.mjs"
 * @typedef {{ id?: unknown, method?: unknown, params?: unknown, [more: string]: unknown }} Request
 */

/** The only programs that may be started, and two that no server accepts. */
const programs = [["/bin/true"], ["/bin/cat"], ["/nonexistent/program"], []]
const allowed = new Set(programs.map((argv) => JSON.stringify(argv)))

/** Paths where nothing can be found, made, changed or removed, and an address where nobody listens. */
const places = ["file:///dev/null/a", "file:///dev/null/b/c"]
const nobody = "http://127.0.0.1:1/"
const addresses = new Set([...places, nobody])
const placeNames = ["path", "sourcePath", "destinationPath", "missing", "present", "url"]

/** Members whose value no mutation may touch. */
export const untouchable = new Set(["argv", "arg0", ...placeNames])

const ids = Array.from({ length: 12 }, (_, index) => `p${index}`)
const chunk = Buffer.from("a line\n").toString("base64")

/** @param {Random} random */
const startOf = (random) => ({
  processId: random.pick(ids),
  argv: random.chance(0.8) ? programs[0] : random.pick(programs),
  cwd: "file:///tmp",
  env: { PATH: "/usr/bin:/bin", A: "é" },
  tty: random.chance(0.1),
  ...(random.chance(0.3) && { pipeStdin: true }),
  ...(random.chance(0.1) && { arg0: "true" }),
  ...(random.chance(0.2) && {
    envPolicy: {
      inherit: random.pick(["core", "all", "none"]),
      ignoreDefaultExcludes: true,
      exclude: ["B*"],
      set: { C: "1" },
      includeOnly: [],
    },
  }),
  ...(random.chance(0.1) && { metadata: { threadId: null, toolCallId: "call" } }),
  ...(random.chance(0.3) && { credit: 65_536 }),
  ...(random.chance(0.3) && { receipt: random.pick([true, false, null]) }),
  ...(random.chance(0.2) && { marks: random.pick([true, false, null]) }),
  ...(random.chance(0.2) && { name: random.pick(["n", ""]), labels: { a: "b" } }),
  ...(random.chance(0.1) && { terminalSize: { rows: 30, columns: 90 } }),
  ...(random.chance(0.1) && { sandbox: null, enforceManagedNetwork: false, managedNetwork: null }),
})

/** @param {Random} random */
const fileOf = (random) => ({ path: random.pick(places), ...(random.chance(0.3) && { sandbox: null }) })
/** @param {Random} random */
const followOf = (random) => ({
  ...fileOf(random),
  ...(random.chance(0.3) && { followSymlinks: random.chance(0.5) }),
})
/** @param {Random} random */
const handleOf = (random) => ({ handleId: `h${random.below(4)}` })

/**
 * Params by method, in the order of their declaration, because they may be sent as an array.
 * @type {Record<string, (random: Random) => Record<string, unknown>>}
 */
export const makers = {
  initialize: (random) => ({
    clientName: "fuzz",
    ...(random.chance(0.5) && {
      resumeSessionId: null,
      replayAfter: { p0: 1 },
      credit: { p0: 1 },
      takeover: true,
    }),
  }),
  "environment/info": () => ({}),
  "environment/status": () => ({}),
  "process/start": startOf,
  "process/read": (random) => ({
    processId: random.pick(ids),
    afterSeq: random.below(5),
    maxBytes: 1000,
    waitMs: random.below(5),
  }),
  "process/write": (random) => ({
    processId: random.pick(ids),
    chunk,
    ...(random.chance(0.5) && { writeId: `w${random.below(9)}` }),
  }),
  "process/signal": (random) => ({
    processId: random.pick(ids),
    signal: random.pick(["interrupt", "terminate", "hangup", "quit", "SIGUSR1", "WINCH", 1, 64]),
  }),
  "process/terminate": (random) => ({
    processId: random.pick(ids),
    ...(random.chance(0.2) && { signal: random.pick(["TERM", 2]), graceMs: random.below(50) }),
  }),
  "process/restart": (random) => ({ processId: random.pick(ids), graceMs: random.below(50) }),
  "process/resize": (random) => ({ processId: random.pick(ids), rows: 24, columns: 80 }),
  "process/closeStdin": (random) => ({ processId: random.pick(ids) }),
  "process/credit": (random) => ({ processId: random.pick(ids), bytes: random.below(100_000) }),
  "process/history": (random) => ({
    processId: random.pick(ids),
    from: random.pick([
      null,
      {},
      { byte: random.below(99) },
      { line: random.below(4) },
      { seq: random.below(5) },
    ]),
    to: random.pick([null, { time: random.below(2_000_000_000_000) }, { byte: random.below(99) }]),
    maxBytes: random.below(100),
    tail: random.pick([null, random.below(5)]),
  }),
  "process/grep": (random) => ({
    processId: random.pick(ids),
    pattern: random.pick(["a|[b-d]+$", "(", "", "x"]),
    flags: random.pick(["", "i", "l", "q"]),
    from: random.pick([null, { line: random.below(4) }]),
    before: random.below(103),
    after: random.below(3),
    maxMatches: random.below(5),
  }),
  "process/wait": (random) => ({
    processId: random.pick(ids),
    until: [
      random.pick([
        { exit: true },
        { closed: true },
        { pattern: "a|[b-d]+$", flags: random.pick(["", "im", "l"]) },
        { pattern: "(" },
        { idleMs: random.below(20) },
        { bytes: random.below(9) },
        { port: 1 + random.below(65_000), host: "localhost" },
        { input: true },
        {},
      ]),
    ],
    afterSeq: random.below(5),
    timeoutMs: random.below(30),
    maxBytes: random.below(100),
  }),
  "process/list": (random) => ({
    sessions: random.pick([null, "own", "all"]),
    limit: random.below(9),
    cursor: random.pick([null, "1.0", "1.4", "x"]),
    name: random.pick([null, "n"]),
    labels: random.pick([null, {}, { a: "b" }]),
    states: random.pick([null, [], ["running", "closed"]]),
  }),
  "session/list": (random) => ({
    sessions: random.pick([null, "own", "all"]),
    limit: random.below(9),
    cursor: random.pick([null, "1.0", "x"]),
  }),
  "process/attach": (random) => ({
    processId: random.pick([null, ...ids]),
    name: random.pick([null, "n"]),
    session: random.pick([null, 1, 2, 99]),
    sessionId: random.pick([null, "s"]),
    as: random.pick([null, ...ids]),
    afterSeq: random.below(9),
    role: random.pick([null, "viewer", "writer"]),
    take: random.pick([null, true, false]),
    policy: random.pick([null, "skip", "block", "screen"]),
    credit: random.pick([null, 1, 65_536]),
  }),
  "process/detach": (random) => ({ processId: random.pick(ids) }),
  "process/screen": (random) => ({
    processId: random.pick(ids),
    seq: random.below(9),
    formats: [random.pick(["text", "ansi", "lines"])],
    scrollback: random.below(100),
  }),
  "fs/readFile": followOf,
  "fs/writeFile": (random) => ({ ...followOf(random), dataBase64: chunk }),
  "fs/createDirectory": (random) => ({ ...followOf(random), recursive: random.chance(0.5) }),
  "fs/getMetadata": followOf,
  "fs/canonicalize": fileOf,
  "fs/readDirectory": fileOf,
  "fs/walk": (random) => ({
    ...fileOf(random),
    options: { maxDepth: 2, maxDirectories: 9, maxEntries: 9, followDirectorySymlinks: random.chance(0.5) },
  }),
  "fs/remove": (random) => ({
    ...followOf(random),
    recursive: random.chance(0.5),
    force: random.chance(0.5),
  }),
  "fs/copy": (random) => ({
    sourcePath: random.pick(places),
    destinationPath: random.pick(places),
    recursive: random.chance(0.5),
  }),
  "fs/open": (random) => ({
    ...handleOf(random),
    ...fileOf(random),
    mode: random.pick(["read", "replace"]),
  }),
  "fs/readBlock": (random) => ({ ...handleOf(random), offset: random.below(9), len: 1 + random.below(99) }),
  "fs/writeBlock": (random) => ({ ...handleOf(random), offset: random.below(9), chunk }),
  "fs/close": handleOf,
  "fs/watchMissing": (random) => ({ watchId: random.below(9), missing: places, present: null }),
  "http/request": (random) => ({
    method: "GET",
    url: nobody,
    headers: [{ name: "x-fuzz", value: "1" }],
    timeoutMs: 100,
    redirectPolicy: random.pick(["follow", "stop"]),
    requestId: `r${random.below(4)}`,
    streamResponse: random.chance(0.5),
  }),
}

/**
 * Throws if the corpus has other methods than the table.
 * @param {object} table
 */
export const covers = (table) => {
  const [wanted, known] = [Object.keys(table).sort(), Object.keys(makers).sort()]
  if (JSON.stringify(wanted) !== JSON.stringify(known))
    throw new Error(`the corpus has ${known}, the table ${wanted}`)
}

const methods = Object.keys(makers)

/**
 * One valid request. Starts are rarer than the rest, because each costs a process.
 * @param {Random} random
 * @param {number} id
 * @returns {Request}
 */
export const message = (random, id) => {
  let method = random.pick(methods)
  if (method === "process/start" && random.chance(0.7)) method = random.pick(methods)
  const params = makers[method]?.(random) ?? {}
  const positional = !/^(process\/start|fs\/|http\/)/.test(method) && random.chance(0.05)
  return {
    id,
    method,
    params: positional ? Object.values(params) : params,
    ...(random.chance(0.05) && {
      trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    }),
  }
}

/**
 * A cancel of one of the requests before `id`.
 * @param {Random} random
 * @param {number} id
 * @returns {Request}
 */
export const cancel = (random, id) => ({
  method: "request/cancel",
  params: { id: id - random.below(5) },
})

/** @param {unknown} value @returns {string[]} */
const stringsOf = (value) =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap((one) => stringsOf(one))

/**
 * True if a text about files or HTTP names no places but those of the corpus, however a server may parse it.
 * @param {string} text
 * @param {Partial<Request>} message
 */
const stays = (text, message) =>
  !text.includes("\\") &&
  text.split('"params"').length === 2 &&
  placeNames.every((name) => text.split(`"${name}"`).length <= 2) &&
  stringsOf(message.params).every((one) => !/[/:]/.test(one) || addresses.has(one) || one === chunk)

/**
 * False if a server could take this text for a start of another program, or for a request about another place.
 * @param {string} text
 */
export const harmless = (text) => {
  /** @type {unknown} */
  let json
  try {
    json = JSON.parse(text)
  } catch {
    return !/fs|http/i.test(text)
  }
  /** @type {readonly unknown[]} */
  const all = Array.isArray(json) ? json : [json]
  return all.every((one) => {
    /** @type {Partial<Request>} */
    const message = Object(one)
    const method = String(message.method)
    if (/fs|http/i.test(text) || /^(fs|http)/.test(method)) return message === one && stays(text, message)
    if (method !== "process/start") return true
    const { params } = message
    const argv = Array.isArray(params) ? params[2] : Object(params).argv
    return !Array.isArray(argv) || allowed.has(JSON.stringify(argv))
  })
}
