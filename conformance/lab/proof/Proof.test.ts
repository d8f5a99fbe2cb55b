/** Runs each proof for some seconds, as its command does. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Milliseconds that a proof may take: a test cannot be timed out while it waits for one. */
const timeout = 240_000

const prove = (script: string, ...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync("node", [pathOf(script), ...args], {
    encoding: "utf8",
    timeout,
  })
  return { status, stdout, told: `${stdout}${stderr}` }
}

test("mutated messages do no harm to a server, on any transport", { timeout }, () => {
  const { status, told } = prove("./fuzz.mjs", "--messages", "2000", "--transports", "stdio,ws,unix,tcp")
  expect(status, told).toBe(0)
})

test("a server that answers twice is found out by them", { timeout }, () => {
  const command = `node ${pathOf("../../targets/broken/answered-twice.mjs")}`
  const { status, stdout } = prove("./fuzz.mjs", "--transports", "stdio", "--command", command)
  expect(stdout).toContain("an answer that was not asked for, or a second one")
  expect(status).toBe(1)
})

test("servers, clients and children that are killed leave nothing behind", { timeout }, () => {
  const { status, told } = prove("./chaos.mjs", "--seconds", "8")
  expect(status, told).toBe(0)
})

test("trees of processes that try to outlive their server do not", { timeout }, () => {
  const { status, told } = prove("./contain.mjs", "--contain", "auto", "--rounds", "40", "--children", "100")
  expect(status, told).toBe(0)
})

test("strangers who get the number of an ended child are not signalled", { timeout }, () => {
  const { status, stdout, told } = prove("./reuse.mjs", "--rounds", "100")
  if (stdout.startsWith("skipped")) process.stdout.write(stdout)
  expect(status, told).toBe(0)
})

test("fleets keep what they promise when routers are killed, and hosts frozen", { timeout }, () => {
  const sizes = { kills: 4, floods: 3, everyMs: 1500, goneSeconds: 2, freezes: 1 }
  const small = Object.entries({ proof: "1,4", routers: 2, hosts: 2, ...sizes })
  const { status, stdout, told } = prove("./fleet.mjs", ...small.map(([name, size]) => `--${name}=${size}`))
  if (stdout.startsWith("skipped")) process.stdout.write(stdout)
  expect(status, told).toBe(0)
})

test("a history of endless output stays within its bound, at flat memory", { timeout }, () => {
  const { status, told } = prove("./history.mjs", "--gigabytes", "0.3", "--bound-mebibytes", "64")
  expect(status, told).toBe(0)
})

test("a crowd is served, and who does not read stalls nobody else", { timeout }, () => {
  const small = [
    "--connections",
    "100",
    "--lines",
    "300",
    "--stalling",
    "10",
    "--seconds",
    "1",
    "--mebibytes",
    "16",
  ]
  const { status, told } = prove("./crowd.mjs", ...small)
  expect(status, told).toBe(0)
})

test("a child is held up while its client does not read, on every transport and runtime", { timeout }, () => {
  const { status, told } = prove(
    "./pressure.mjs",
    "--mebibytes",
    "16",
    "--bound-mebibytes",
    "12",
    "--parallel",
    "4",
  )
  expect(status, told).toBe(0)
})
