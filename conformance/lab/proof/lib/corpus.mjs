// Valid messages of every method of the table, which the mutations start from. Starts run `true`, and `cat` that ends
// with its connection; files lie where there can be none, and nobody is asked over HTTP. Nothing else is sent, whatever a
// mutation makes of them: `harmless` has the last word.

/** The only words that may be run, and two that no start accepts. */
const programs = [["/bin/true"], ["/bin/cat"], ["/nonexistent/program"], []]
const allowed = new Set(programs.map((argv) => JSON.stringify(argv)))

/** Paths that nothing can be found, made, changed or removed at, and a place where nobody listens. */
const places = ["file:///dev/null/a", "file:///dev/null/b/c"]
const nobody = "http://127.0.0.1:1/"
const addresses = new Set([...places, nobody])
const placeNames = ["path", "sourcePath", "destinationPath", "missing", "present", "url"]

/** Members whose value no mutation may touch. */
export const untouchable = new Set(["argv", "arg0", ...placeNames])

const ids = Array.from({ length: 12 }, (_, index) => `p${index}`)
const chunk = Buffer.from("a line\n").toString("base64")

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
  ...(random.chance(0.1) && { terminalSize: { rows: 30, columns: 90 } }),
  ...(random.chance(0.1) && { sandbox: null, enforceManagedNetwork: false, managedNetwork: null }),
})

const fileOf = (random) => ({ path: random.pick(places), ...(random.chance(0.3) && { sandbox: null }) })
const followOf = (random) => ({
  ...fileOf(random),
  ...(random.chance(0.3) && { followSymlinks: random.chance(0.5) }),
})
const handleOf = (random) => ({ handleId: `h${random.below(4)}` })

/** Params by method, in the order of their declaration: they may come as an array, too. */
export const makers = {
  initialize: (random) => ({
    clientName: "fuzz",
    ...(random.chance(0.5) && { resumeSessionId: null, replayAfter: { p0: 1 } }),
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
  "process/signal": (random) => ({ processId: random.pick(ids), signal: "interrupt" }),
  "process/terminate": (random) => ({ processId: random.pick(ids) }),
  "process/resize": (random) => ({ processId: random.pick(ids), rows: 24, columns: 80 }),
  "process/closeStdin": (random) => ({ processId: random.pick(ids) }),
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

/** Fails if the corpus lacks a method of the table, or has one that is none. */
export const covers = (table) => {
  const [wanted, known] = [Object.keys(table).sort(), Object.keys(makers).sort()]
  if (JSON.stringify(wanted) !== JSON.stringify(known))
    throw new Error(`the corpus has ${known}, the table ${wanted}`)
}

const methods = Object.keys(makers)

/** One valid request. Starts cost a process, so they are rarer than the rest. */
export const message = (random, id) => {
  let method = random.pick(methods)
  if (method === "process/start" && random.chance(0.7)) method = random.pick(methods)
  const params = makers[method](random)
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

const stringsOf = (value) =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap((one) => stringsOf(one))

/** True if the places in a text about files or HTTP are those of the corpus, however a server may read it. */
const stays = (text, message) =>
  !text.includes("\\") &&
  text.split('"params"').length === 2 &&
  placeNames.every((name) => text.split(`"${name}"`).length <= 2) &&
  stringsOf(message.params).every((one) => !/[/:]/.test(one) || addresses.has(one) || one === chunk)

/** False if a server could take this text for a start of anything but the allowed programs, or go to another place. */
export const harmless = (text) => {
  let json
  try {
    json = JSON.parse(text)
  } catch {
    return !/fs|http/i.test(text)
  }
  const all = Array.isArray(json) ? json : [json]
  return all.every((one) => {
    if (/fs|http/i.test(text) || /^(fs|http)/.test(one?.method))
      return Object(one) === one && stays(text, one)
    if (one?.method !== "process/start") return true
    const { params } = one
    const argv = Array.isArray(params) ? params[2] : params?.argv
    return !Array.isArray(argv) || allowed.has(JSON.stringify(argv))
  })
}
