// Valid messages of every method of the table, which the mutations start from. Starts run `true`, and `cat` that ends
// with its connection; nothing else, whatever a mutation makes of them: `harmless` has the last word.

/** The only words that may be run, and two that no start accepts. */
const programs = [["/bin/true"], ["/bin/cat"], ["/nonexistent/program"], []]
const allowed = new Set(programs.map((argv) => JSON.stringify(argv)))

/** Members whose value no mutation may touch. */
export const untouchable = new Set(["argv", "arg0"])

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
  const positional = method !== "process/start" && random.chance(0.05)
  return {
    id,
    method,
    params: positional ? Object.values(params) : params,
    ...(random.chance(0.05) && {
      trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    }),
  }
}

/** False if a server could take this text for a start of anything but the allowed programs. */
export const harmless = (text) => {
  let json
  try {
    json = JSON.parse(text)
  } catch {
    return true
  }
  const all = Array.isArray(json) ? json : [json]
  return all.every((one) => {
    if (one?.method !== "process/start") return true
    const { params } = one
    const argv = Array.isArray(params) ? params[2] : params?.argv
    return !Array.isArray(argv) || allowed.has(JSON.stringify(argv))
  })
}
