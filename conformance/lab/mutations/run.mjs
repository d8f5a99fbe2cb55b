// `npm run mutations`: makes one line of a copy of the tree wrong at a time, and looks which suite notices.
//
// Nothing is changed in place: the tree is copied to a folder of its own. For each mutation the tests near the file run,
// then the cases that should know, then the whole wire suite (by the untouched bundle), until something fails. A table says
// what has caught each; the exit code is 1 if any survived or is out of date. Arguments choose by file or sentence.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { spawn } from "node:child_process"
import { build as bundle } from "esbuild"
import { build, install, root } from "../../../.ci/setup.mjs"
import { command } from "../run/ours.mjs"
import { adapters } from "./adapters.mjs"
import { client } from "./client.mjs"
import { doors } from "./doors.mjs"
import { processes } from "./process.mjs"
import { protocol } from "./protocol.mjs"
import { server } from "./server.mjs"

/** Far more than a suite takes; reached only by one that hangs, which is noticed, too. */
const patience = { tests: 120_000, cases: 400_000 }

const scratch = mkdtempSync(join(tmpdir(), "procwire-mutations-"))
/** The wire suite as it was when the run began. */
const suite = join(scratch, "suite.mjs")
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130))

const copyTree = () => {
  const without = new Set(["node_modules", "dist", ".git", ".cache"])
  for (const name of readdirSync(root)) {
    if (!without.has(name)) cpSync(join(root, name), join(scratch, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"))
  cpSync(join(root, "dist/procwire-conformance.mjs"), suite)
}

/** The server of the copy; what is wrong if it cannot be built. */
const bundleServer = async () => {
  try {
    await bundle({
      absWorkingDir: scratch,
      entryPoints: ["adapters/node/main.ts"],
      outfile: "dist/procwire.mjs",
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      external: ["koffi", "@homebridge/node-pty-prebuilt-multiarch", "bufferutil", "utf-8-validate"],
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      logLevel: "silent",
    })
    return undefined
  } catch (error) {
    return `does not build: ${error.message.split("\n")[1] ?? error.message}`
  }
}

/** The tests near a file: its own, or in core all of its folder; elsewhere none. */
const near = ({ file, tests }) => {
  if (tests !== undefined) return tests
  const own = file.replace(/\.ts$/, ".test.ts")
  if (existsSync(join(scratch, own))) return [own]
  if (!file.startsWith("core/")) return []
  const folder = dirname(file)
  return readdirSync(join(scratch, folder))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`)
}

/** Runs a program of Node in the copy until it ends, or until its output shows what is looked for. */
const play = (pattern, ms, ...args) =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined }
    const child = spawn(process.execPath, args, {
      cwd: scratch,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    // The whole group: what a mutant makes loop for ever is a worker of the test runner, not the runner.
    const stop = () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL")
    }
    let text = ""
    let found
    const timer = setTimeout(stop, ms)
    const look = (bytes) => {
      text += bytes.toString()
      if (found !== undefined) return
      found = pattern.exec(text) ?? undefined
      if (found !== undefined) stop()
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.on("close", (status) => {
      clearTimeout(timer)
      resolve({ status, text, found })
    })
  })

/** What a run of vitest says is wrong, if anything. */
const testsCatch = async (files) => {
  if (files.length === 0) return undefined
  const flags = ["run", "--bail=1", "--reporter=verbose", "--testTimeout=20000"]
  const ran = await play(
    /(?:×|FAIL) +(.*)\n/,
    patience.tests,
    "node_modules/vitest/vitest.mjs",
    ...flags,
    ...files,
  )
  if (ran.found !== undefined) return ran.found[1].replace(/ \d+ ?ms$/, "").trim()
  return ran.status === 0 ? undefined : files.map((file) => basename(file)).join(", ")
}

/** What a run of the wire suite says is wrong, if it says so a second time: machines are busy, races are rare. */
const casesCatch = async (globs) => {
  const server = ["--command", command(join(scratch, "dist/procwire.mjs"))]
  const flags = ["--strict", "--level", "should", ...globs]
  const ran = await play(/^FAIL (\S+) \(\w+, (\w+).*\n.*\n.*\n/m, patience.cases, suite, ...server, ...flags)
  if (ran.found === undefined) {
    return ran.status === 0
      ? undefined
      : `the wire suite, which ended with ${ran.status}: ${ran.text.slice(-300)}`
  }
  const [, id, transport] = ran.found
  const again = await play(
    /^FAIL /m,
    patience.cases,
    suite,
    ...server,
    "--strict",
    "--transports",
    transport,
    id,
  )
  return again.status === 0 ? undefined : `${id} over ${transport}`
}

/** What has noticed the mutation; undefined if it survived. */
const catchOne = async (mutation) => {
  const path = join(scratch, mutation.file)
  const right = readFileSync(path, "utf8")
  writeFileSync(
    path,
    right.replace(mutation.find, () => mutation.replace),
  )
  try {
    const unbuildable = await bundleServer()
    if (unbuildable !== undefined) return unbuildable
    const { cases = [] } = mutation
    return (
      (await testsCatch(near(mutation))) ??
      (cases.length > 0 ? await casesCatch(cases) : undefined) ??
      (await casesCatch([]))
    )
  } finally {
    writeFileSync(path, right)
  }
}

const occurrences = ({ file, find }) =>
  existsSync(join(scratch, file)) ? readFileSync(join(scratch, file), "utf8").split(find).length - 1 : 0

install()
build()
copyTree()
const words = process.argv.slice(2)
const wanted = [...processes, ...server, ...client, ...protocol, ...adapters, ...doors].filter(
  ({ file, says }) => words.length === 0 || words.some((word) => file.includes(word) || says.includes(word)),
)
const outdated = wanted.filter((mutation) => occurrences(mutation) !== 1)
const current = wanted.filter((mutation) => occurrences(mutation) === 1)
process.stdout.write(`without a mutation: ${current.length} are to come\n`)
const fault =
  (await bundleServer()) ?? (await testsCatch([...new Set(current.flatMap(near))])) ?? (await casesCatch([]))
if (fault !== undefined) {
  process.stderr.write(`nothing can be learned while something fails without a mutation: ${fault}\n`)
  process.exit(1)
}
let survived = 0
for (const mutation of current) {
  const caught = await catchOne(mutation)
  if (caught === undefined) survived += 1
  process.stdout.write(
    `${caught === undefined ? "SURVIVED" : "caught  "} ${mutation.file}: ${mutation.says}\n`,
  )
  if (caught !== undefined) process.stdout.write(`         by ${caught}\n`)
}
for (const mutation of outdated)
  process.stdout.write(`OUTDATED ${mutation.file}: ${mutation.says} (found ${occurrences(mutation)} times)\n`)
process.stdout.write(
  `\n${current.length - survived} of ${current.length} caught, ${survived} survived, ${outdated.length} out of date\n`,
)
process.exit(survived + outdated.length > 0 ? 1 : 0)
