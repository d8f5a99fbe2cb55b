// @ts-check
// The flags of the command.
import { existsSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { parseArgs } from "node:util"

/**
 * @typedef {object} Options
 * @property {number} sequences
 * @property {number} seed
 * @property {number} from
 * @property {number} length
 * @property {string} reference
 * @property {string} candidate
 * @property {"ws" | "stdio"} transport
 * @property {string} allow
 * @property {string} methods
 * @property {number} minutes
 * @property {number} parallel
 * @property {string} folder
 * @property {string} json
 * @property {boolean} selfTest
 * @property {string} faults
 * @property {string} replay
 */

const help = `Plays random sequences of requests on two servers, and compares what they answer, what they say
unasked, and the folders that they leave.

Usage: npm run conformance:differential -- --reference COMMAND [OPTIONS]

  --reference COMMAND  the server that is right, as a line for sh; {LISTEN} is its address, and "--listen {LISTEN}" is
                       added if it has none. "codex" is the peer, fetched if need be
  --candidate COMMAND  the server that is judged [default: procwire of this clone]
  --transport NAME     ws, or stdio, where each sequence has servers of its own [default: ws]
  --sequences N        how many sequences [default: 1000]
  --seed N             where the random numbers begin [default: 1]
  --from N             the index of the first, to play a seed in pieces [default: 0]
  --length N           requests in a sequence, on average [default: 12]
  --methods GLOB       only these methods, with commas: fs/*,process/start [default: *]
  --minutes N          stop after so many minutes; 0 is no limit [default: 0]
  --parallel N         pairs of servers at a time [default: cores]
  --allow FILE         the differences that are wanted; "none" is no list [default: lab/differential/allow.json]
  --folder DIR         where the sequences work; in memory, as in /dev/shm, they are faster [default: /tmp]
  --replay SEED/INDEX  play one sequence, and print both transcripts side by side
  --json FILE          write what was found as JSON
  --self-test          plant faults into the candidate, and look whether each is found; the reference is the candidate
  --faults GLOB        of the self-test, only these faults [default: *]
  --help

Progress goes to stderr, what was found to stdout. Exit code 0: nothing unexplained (self-test: every fault was found);
1: unexplained differences, stale entries of the list, or faults that were not found; 2: wrong use.
`

const text = /** @type {const} */ ({ type: "string" })
const flags = {
  reference: text,
  candidate: text,
  transport: text,
  sequences: text,
  seed: text,
  from: text,
  length: text,
  methods: text,
  minutes: text,
  parallel: text,
  allow: text,
  folder: text,
  replay: text,
  json: text,
  "self-test": { type: /** @type {const} */ ("boolean") },
  faults: text,
  help: { type: /** @type {const} */ ("boolean"), short: "h" },
}

/** @param {string} message @returns {never} */
export const wrong = (message) => {
  process.stderr.write(`conformance:differential: ${message}; see --help\n`)
  process.exit(2)
}

const given = () => {
  try {
    return parseArgs({ options: flags }).values
  } catch (error) {
    return wrong(String(error instanceof Error ? error.message : error))
  }
}

/** Reads the flags; ends the process on --help or wrong use. @returns {Options} */
export const read = () => {
  const values = given()
  if (values.help) {
    process.stdout.write(help)
    process.exit(0)
  }
  /** @param {"sequences" | "seed" | "from" | "length" | "minutes" | "parallel"} name @param {number} standard @param {number} least */
  const number = (name, standard, least) => {
    const value = values[name] === undefined ? standard : Number(values[name])
    const whole = name === "minutes" ? Number.isFinite(value) : Number.isSafeInteger(value)
    if (!whole || value < least) wrong(`--${name} ${values[name]} is no number of at least ${least}`)
    return value
  }
  const transport = values.transport ?? "ws"
  if (transport !== "ws" && transport !== "stdio")
    return wrong(`--transport ${transport} is neither ws nor stdio`)
  if (values.replay !== undefined && !/^\d+\/\d+$/.test(values.replay))
    wrong(`--replay ${values.replay} is not of the form SEED/INDEX`)
  const folder = values.folder ?? (existsSync("/tmp") ? "/tmp" : tmpdir())
  if (!existsSync(folder)) wrong(`--folder ${folder} does not exist`)
  return {
    folder,
    sequences: number("sequences", values["self-test"] ? 400 : 1000, 1),
    seed: number("seed", 1, 0),
    from: number("from", 0, 0),
    length: number("length", 12, 1),
    minutes: number("minutes", 0, 0),
    parallel: number("parallel", availableParallelism(), 1),
    reference: values.reference ?? "",
    candidate: values.candidate ?? "",
    transport,
    methods: values.methods ?? "*",
    allow: values.allow ?? "",
    json: values.json ?? "",
    replay: values.replay ?? "",
    selfTest: values["self-test"] ?? false,
    faults: values.faults ?? "*",
  }
}

/** Whether a name matches one of some globs. @param {string} globs with commas, in which * is any text @param {string} name */
export const matches = (globs, name) =>
  globs
    .split(",")
    .some((glob) =>
      new RegExp(`^${glob.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(name),
    )
