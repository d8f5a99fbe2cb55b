// @ts-check
// `npm run conformance:differential`: random sequences on two servers, whose answers, notifications and folders are
// compared.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, install, root } from "../../../.ci/setup.mjs"
import { stackOf } from "../stress/lib/command.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import * as Allow from "./lib/allow.mjs"
import * as Compare from "./lib/compare.mjs"
import * as Faults from "./lib/faults.mjs"
import * as Options from "./lib/options.mjs"
import * as Origin from "./lib/origin.mjs"
import * as Pair from "./lib/pair.mjs"
import { knownBy } from "./lib/probe.mjs"
import * as Report from "./lib/report.mjs"
import { run } from "./lib/run.mjs"
import * as SelfTest from "./lib/self-test.mjs"
import * as Sequence from "./lib/sequence.mjs"

const options = Options.read()
const standardList = join(root, "conformance/lab/differential/allow.json")

const faultsFile = join(root, "conformance/lab/differential/faults.json")

const ours = () => {
  install()
  build()
  return `'${process.execPath}' '${root}dist/procwire.mjs' serve`
}
/** @param {string} command */
const theirs = (command) => {
  if (command !== "codex") return command
  try {
    return `'${fetchedPeer().binary}' exec-server`
  } catch (error) {
    return Options.wrong(
      `${error instanceof Error ? error.message : error}; install it elsewhere, and give --reference "PATH/codex exec-server"`,
    )
  }
}

const commandsOf = () => {
  const candidate = options.candidate === "" ? ours() : theirs(options.candidate)
  if (options.selfTest) return { reference: candidate, candidate }
  if (options.reference === "")
    Options.wrong(
      '--reference is missing: the server that is right, as --reference codex or "my-server --flag"',
    )
  return { reference: theirs(options.reference), candidate }
}
const listOf = () => {
  if (options.allow === "none") return Allow.make([])
  try {
    return Allow.read(options.allow === "" ? standardList : options.allow)
  } catch (error) {
    return Options.wrong(`--allow: ${error instanceof Error ? error.message : error}`)
  }
}

const allowed = listOf()
const commands = commandsOf()
const folder = mkdtempSync(join(realpathSync(options.folder), "procwire-differential-"))
const origin = await Origin.start()
const began = performance.now()
let stopped = false
const stage = { folder, origin: origin.url, transport: options.transport, commands }
const pairs = Array.from({ length: options.replay === "" ? options.parallel : 1 }, (_, index) =>
  Pair.make(stage, `p${index}`),
)

/** @param {number} code */
const end = async (code) => {
  await Promise.all(pairs.map((pair) => pair.stop()))
  origin.stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}

/** The methods that both know. */
const methodsOf = async () => {
  const [pair] = pairs
  if (!pair) return []
  const meant = (/** @type {string} */ method) => Options.matches(options.methods, method)
  const resumable = (/** @type {string} */ name) => name !== "reconnect" || options.transport === "ws"
  const [wanted, besides] = [Sequence.known.filter(meant), Sequence.besides.filter(meant).filter(resumable)]
  if (wanted.length + besides.length === 0) Options.wrong(`--methods ${options.methods} matches no method`)
  const [reference, candidate] = [await pair.server("reference"), await pair.server("candidate")]
  const [a, b] = [await knownBy(reference, wanted), await knownBy(candidate, wanted)]
  const one = wanted.filter((method) => a.has(method) !== b.has(method))
  if (one.length > 0) process.stderr.write(`left out, because one server lacks them: ${one.join(", ")}\n`)
  return [...wanted.filter((method) => a.has(method) && b.has(method)), ...besides]
}

/** @param {Sequence.Choice} choice */
const replay = async (choice) => {
  const [seed, index] = options.replay.split("/").map(Number)
  const [pair] = pairs
  if (!pair) return 2
  const sequence = Sequence.make({ ...choice, seed: seed ?? 0 }, index ?? 0)
  const [reference, candidate] = await pair.play(sequence, { trees: true })
  const all = Compare.differences(sequence, reference, candidate)
  const rest = Allow.unexplained(all, allowed)
  process.stdout.write(Report.sideBySide(sequence, reference, candidate, rest))
  return rest.length === 0 ? 0 : 1
}

/** @param {Sequence.Choice} choice */
const compare = async (choice) => {
  let told = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const tally = await run(pairs, {
    sequenceOf: (index) => Sequence.make(choice, options.from + index),
    sequences: options.sequences,
    allowed,
    over: () => stopped || (options.minutes > 0 && seconds() > options.minutes * 60),
    shrinks: true,
    progress: ({ played, differed, classes }) => {
      if (performance.now() - told < (process.stderr.isTTY ? 500 : 10_000)) return
      told = performance.now()
      const line = `${played} of ${options.sequences} sequences, ${differed} differ, in ${classes.size} classes`
      process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
    },
  })
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  const whole = options.methods === "*" && options.allow !== "none"
  const stale = whole ? allowed.stale(tally.played) : []
  process.stdout.write(Report.found(tally, { allowed, stale, seconds: seconds() }))
  if (options.json !== "") {
    const classes = [...tally.classes.values()].sort((a, b) => b.count - a.count)
    const { played, differed, unsteady } = tally
    const what = {
      seed: options.seed,
      commands,
      played,
      differed,
      classes,
      unsteady,
      allowed: allowed.hits(),
      stale,
    }
    writeFileSync(options.json, `${JSON.stringify(what, undefined, 2)}\n`)
  }
  return tally.differed === 0 && stale.length === 0 ? 0 : 1
}

/** @param {Sequence.Choice} choice */
const selfTest = async (choice) => {
  const faults = Faults.read(faultsFile).filter(({ id }) => Options.matches(options.faults, id))
  if (faults.length === 0) Options.wrong(`--faults ${options.faults} matches no fault`)
  const { sequences } = options
  const told = (/** @type {SelfTest.Outcome} */ outcome) => process.stderr.write(Report.outcomeLine(outcome))
  const outcomes = await SelfTest.run(pairs, faults, { choice, sequences, allowed, told })
  const missed = outcomes.filter(({ caught }) => caught === undefined)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(
    `${outcomes.length - missed.length} of ${outcomes.length} planted faults were found, in ${seconds} s\n`,
  )
  for (const { id } of missed) process.stdout.write(`MISSED: ${id}\n`)
  return missed.length === 0 ? 0 : 1
}

/** The first signal ends the run with its report, the second at once. @param {number} code */
const onSignal = (code) => () => {
  if (stopped || options.selfTest || options.replay !== "") void end(code)
  stopped = true
}
process.on("SIGINT", onSignal(130))
process.on("SIGTERM", onSignal(143))
/** Plays what was asked for; the exit code. */
const main = async () => {
  const methods = await methodsOf()
  const choice = { seed: options.seed, length: options.length, methods }
  if (options.selfTest) return selfTest(choice)
  return options.replay === "" ? compare(choice) : replay(choice)
}
const code = await main().catch((error) => {
  process.stderr.write(`conformance:differential: ${stackOf(error)}\n`)
  return 1
})
await end(code)
