// `npm run support`: plays the spawner suite and the wire suite on every runtime, and writes what they proved into
// conformance/lab/run/support.json, from which `npm run readme` makes the support table.
// `npm run support -- --check` fails if a run proves less than the file says, or more.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, install, root } from "../../../.ci/setup.mjs"
import { cacheOf } from "./fetched.mjs"
import { runtimes } from "./runtimes.mjs"

const check = process.argv.includes("--check")
const file = `${root}conformance/lab/run/support.json`

/**
 * What depends on the transport. The whole suite is played over WebSocket, where connections share a server and so cost
 * least; the other lines of Node run the same file, and get less.
 */
const ofTransport = ["handshake", "envelope", "framing", "limits", "lifecycle", "session", "concurrency"]
const ofLines = [
  "handshake",
  "framing",
  "lifecycle",
  "process/start",
  "process/output",
  "fs/readFile",
  "http/stream",
]

install()
build()
const { cases: spawnerCases } = await import("../../../dist/conformance/spawner/cases/index.js")
const folder = cacheOf("support")
mkdirSync(folder, { recursive: true })

/** The outcomes of the cases. A few that fail are played once more, alone: a busy machine is no proof against anybody. */
const play = (command, args) => {
  const outcomes = playOnce(command, args)
  const failed = outcomes.filter(({ counts, status }) => counts && status === "fail").map(({ id }) => id)
  if (failed.length === 0 || failed.length > 3) return outcomes
  process.stderr.write(`once more: ${failed.join(" ")}\n`)
  const known = new Set([...ofTransport, ...ofLines])
  const again = playOnce(command, [...args.filter((arg) => !known.has(arg)), ...failed])
  return outcomes.map((one) => again.find(({ id }) => id === one.id) ?? one)
}

/** The outcomes of one run of the conformance command. */
const playOnce = (command, args) => {
  const json = join(folder, "outcomes.json")
  const [program, ...rest] = command
  const { status, stdout, stderr } = spawnSync(program, [...rest, ...args, "--strict", "--json", json], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  })
  if (status !== 0)
    process.stderr.write(`${stdout}${stderr}\n${command.join(" ")} ${args.join(" ")}: exit code ${status}\n`)
  return status > 1 || status === null ? [] : JSON.parse(readFileSync(json, "utf8")).cases
}

const counted = ({ counts }) => counts
/** Something ran, and nothing that counts failed. */
const proves = (outcomes) =>
  outcomes.some(({ status }) => status === "pass") &&
  !outcomes.some((one) => counted(one) && one.status === "fail")

/** The rows of the table by the capability that their cases require. */
const capabilities = {
  PTY: "pty",
  resize: "resize",
  "`arg0`": "arg0",
  "process group": "processGroup",
  pause: "pause",
}

const proveSpawner = ({ conformance, spawner }) => {
  const outcomes = play(conformance, ["--spawner", spawner])
  const requires = new Map(spawnerCases.map(({ id, requires }) => [id, requires]))
  const where = (wanted) => proves(outcomes.filter(({ id }) => wanted(requires.get(id) ?? [])))
  const rows = { pipes: where((needs) => needs.every((need) => need === "procfs" || need === "pipeStdin")) }
  for (const [row, need] of Object.entries(capabilities)) rows[row] = where((needs) => needs.includes(need))
  return rows
}

const proveTransports = ({ name, server, bundled }) => {
  const otherNode = name.startsWith("Node") && name !== `Node ${process.versions.node.split(".")[0]}`
  const some = otherNode ? ofLines : ofTransport
  const suite = (command, ...flags) => [
    process.execPath,
    `${root}dist/procwire-conformance.mjs`,
    "--command",
    command,
    ...flags,
    "--transports",
  ]
  const over = (transport, globs) =>
    proves(play(suite(transport === "stdio" ? bundled : server), [transport, ...globs]))
  return {
    stdio: over("stdio", some),
    WebSocket: over("ws", otherNode ? ofLines : []),
    "unix socket": over("unix", some),
    TCP: over("tcp", some),
    "the first wire, v0": proves(play(suite(`${server} --dialect v0`, "--dialect", "v0"), ["ws"])),
  }
}

const seen = runtimes().map((runtime) => {
  const began = performance.now()
  const rows = { ...proveSpawner(runtime), ...proveTransports(runtime) }
  const no = Object.keys(rows).filter((row) => !rows[row])
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(
    `${runtime.name} (${runtime.version}): ${no.length === 0 ? "everything" : `not ${no.join(", ")}`}, ${seconds} s\n`,
  )
  return [runtime.name, { version: runtime.version, ...rows }]
})

if (check) {
  const said = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
  const differ = seen.flatMap(([name, proved]) =>
    Object.entries(proved)
      .filter(([row, yes]) => row !== "version" && (said[name]?.[row] ?? false) !== yes)
      .map(([row, yes]) => `${name}, ${row}: ${yes ? "yes" : "no"}`),
  )
  if (differ.length > 0) {
    process.stderr.write(
      `conformance/lab/run/support.json says otherwise (npm run support):\n  ${differ.join("\n  ")}\n`,
    )
    process.exit(1)
  }
} else {
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(seen), undefined, 2)}\n`)
}
