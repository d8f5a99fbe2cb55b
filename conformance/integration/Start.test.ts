/**
 * The modules that `procwire serve --listen stdio` loads before its first answer on Node: a module that only some uses
 * need is loaded when they come. Every module that is evaluated costs each start, of users and of tests.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { BuildOptions, Plugin } from "esbuild"
import { afterAll, beforeAll, expect, it } from "vitest"

interface Recipe {
  readonly program: (adapter: string, folder: string, options: BuildOptions) => Promise<void>
}

const recipe = new URL("../../.ci/procwire.mjs", import.meta.url).href
const root = fileURLToPath(new URL("../..", import.meta.url))

/** Has every module of ours tell that it is evaluated, and the program write down what was, when it ends. */
const recorder: Plugin = {
  name: "recorder",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(core|adapters)\/.*\.ts$/ }, ({ path }) => {
      if (/\/(UserModule|start)\.ts$/.test(path)) return undefined
      const tell = `(globalThis.evaluated ??= []).push(${JSON.stringify(relative(root, path))});`
      const write = path.endsWith("/main.ts")
        ? `process.on("exit", () => process.getBuiltinModule("node:fs").writeFileSync(process.env.EVALUATED,
             JSON.stringify({ ours: globalThis.evaluated, node: process.moduleLoadList })));`
        : ""
      return { contents: tell + write + readFileSync(path, "utf8"), loader: "ts", resolveDir: dirname(path) }
    })
  },
}

let folder: string
let ours: ReadonlyArray<string>
let node: ReadonlyArray<string>

beforeAll(async () => {
  // Below the packages that the program requires.
  mkdirSync(join(root, "dist"), { recursive: true })
  folder = mkdtempSync(join(root, "dist/start-"))
  const { program } = (await import(recipe)) as Recipe
  await program("node", folder, { absWorkingDir: root, plugins: [recorder] })
  const file = join(folder, "evaluated.json")
  const server = spawn(process.execPath, [join(folder, "procwire.cjs"), "serve", "--listen", "stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, EVALUATED: file, NODE_DISABLE_COMPILE_CACHE: "1" },
  })
  server.stdin.write('{"id":1,"method":"initialize","params":{"clientName":"test"}}\n')
  const [answer] = await once(createInterface(server.stdout), "line")
  expect(answer).toContain('"sessionId"')
  server.stdin.end()
  await once(server, "exit")
  ;({ ours, node } = JSON.parse(readFileSync(file, "utf8")))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("loads nothing of clients, agents, fleets, MCP, WebSockets, traces and other commands", () => {
  const others = [
    /^core\/(agent|client|directory|fleet)\//,
    /^adapters\/shared\/(acp|directory|doctor|fleet|mcp|platform|testing)\//,
    /^adapters\/shared\/transport\/(WebSocket|HttpServer|Upgrade(?!Admission)|SocketClient|CommandTransport)/,
    /^adapters\/shared\/cli\/(?!ServeCommand)\w+Command\.|^adapters\/shared\/cli\/Otlp\./,
    /^adapters\/shared\/confine\/(ConfinedServer|RelayedFiles)\./,
    /^core\/server\/audit\/AuditEvent\.|^core\/protocol\/document\//,
  ]
  expect(ours).toContain("core/server/ExecServer.ts")
  expect(ours.filter((module) => others.some((other) => other.test(module)))).toEqual([])
})

it("loads nothing of Node for TLS, HTTP, compression and child processes", () => {
  const others = [
    "tls",
    "http",
    "https",
    "http2",
    "zlib",
    "child_process",
    "fs/promises",
    "internal/fs/promises",
    "internal/modules/esm/loader",
    "repl",
    "inspector",
  ]
  expect(node).toContain("NativeModule net")
  expect(node.filter((name) => others.includes(name.replace("NativeModule ", "")))).toEqual([])
})

it("fails to write to a stdout that is closed, although Node opens another one in its place", () => {
  const command = join(root, "dist/procwire.cjs")
  const run = (line: string) => spawnSync("/bin/sh", ["-c", line, command], { encoding: "utf8" })
  const failed = "procwire: cannot write to stdout: Bad file descriptor (os error 9)\n"
  expect(run('"$0" run -- echo x >&-')).toMatchObject({ status: 125, stderr: failed })
  expect(run('"$0" --version >&-')).toMatchObject({ status: 1, stderr: failed })
  expect(run('"$0" run -- sh -c "echo x >&2" >&-')).toMatchObject({ status: 0, stderr: "x\n" })
  expect(run('"$0" run -- echo x 2>&-')).toMatchObject({ status: 0, stdout: "x\n" })
})

it("leaves to the program the options of Node behind its name", () => {
  const command = join(root, "dist/procwire.cjs")
  const run = (...args: ReadonlyArray<string>) => spawnSync(command, args, { encoding: "utf8" })
  expect(run("run", "/bin/echo", "--env-file", "/missing", "it's")).toMatchObject({
    status: 0,
    stdout: "--env-file /missing it's\n",
    stderr: "",
  })
  expect(run("run", "--env-file", "/missing", "/bin/true")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("cannot read --env-file /missing"),
  })
})
