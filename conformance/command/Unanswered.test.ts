/**
 * The command on servers that cannot be tested: one sentence and exit code 1 before any case is played; and on servers
 * that stop answering midway.
 */
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { run } from "../testing/CommandHere.ts"
import * as Own from "../testing/Own.ts"
import * as Xml from "../testing/Xml.ts"

const own = Own.quoted(Own.own(), "stdio")
const folder = mkdtempSync(join(tmpdir(), "procwire-unanswered-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A command that runs this script, with an address to listen on or over stdio. */
const sh = (script: string, listen = ""): string => {
  const file = join(folder, `${Buffer.from(script).toString("base64url").slice(-40)}.sh`)
  writeFileSync(file, `${script}\n`)
  return `/bin/sh '${file}'${listen === "" ? "" : ` --listen ${listen}`}`
}

const mute = "exec sleep 1000"

/** Only a hang reaches this limit. */
const hangMs = 120_000

/** Each with the longest wait for its answer, in milliseconds, where the sentence is about that. */
const deaf: ReadonlyArray<readonly [what: string, command: string, says: RegExp, millis?: number]> = [
  ["is not there", "procwire-nonexistent", /could not be started: .*ENOENT/],
  ["is not there, over sockets", "procwire-nonexistent --listen ws://127.0.0.1:0", /could not be started/],
  ["ends at once", sh("echo oh no >&2; exit 3"), /ended with exit code 3 before it answered .*: oh no/],
  ["ends at once, over ws", sh("exit 3", "ws://127.0.0.1:0"), /ended with exit code 3 before its first line/],
  ["is killed", sh("kill -9 $$"), /was killed by SIGKILL/],
  ["is mute", sh(mute), /has not answered `initialize` within 500 ms \(--timeout-ms\)/, 500],
  ["is mute, over unix", sh(mute, "unix:/none"), /has not printed its address .*--timeout-ms/, 500],
  ["is an echo", "cat", /has not answered .*; it sent .*initialize/, 5_000],
  ["is a flood", "yes", /none of the first 1000 messages of the server is a reply; it sent "y"/],
  ["prints no address", sh(`echo hello; ${mute}`, "tcp://127.0.0.1:0"), /tcp:\/\/HOST:PORT, not "hello"/],
  [
    "refuses",
    sh(`read x; echo '{"id":1,"error":{"code":-1,"message":"no"}}'; ${mute}`),
    /refuses `initialize`: .*no/,
  ],
]

for (const [what, command, says, millis = hangMs] of deaf)
  test(`a server that ${what} is one sentence, and no case is played`, async () => {
    const { code, err, out } = await run("--command", command, "--timeout-ms", `${millis}`)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^procwire-conformance: --command .*\n$/)
    expect(err).toMatch(says)
  })

test("so is a URL where nobody listens, or nobody answers", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const says = [
    [`unix:${join(folder, "none.sock")}`, /cannot connect to .*ENOENT/],
    [`ws://127.0.0.1:${port}`, /has not accepted a connection within 500 ms/],
    [`tcp://127.0.0.1:${port}`, /has not answered `initialize` within 500 ms/],
  ] as const
  const ran = await Promise.all(says.map(([url]) => run("--url", url, "--timeout-ms", "500")))
  server.close()
  for (const [index, [url, words]] of says.entries()) {
    expect(ran[index]).toMatchObject({ code: 1, out: "" })
    expect(ran[index]?.err).toContain(`--url ${url}: `)
    expect(ran[index]?.err).toMatch(words)
  }
  for (const url of [`ws://127.0.0.1:${port}`, `tcp://127.0.0.1:${port}`])
    expect((await run("--url", url)).err).toMatch(/cannot connect to .*ECONNREFUSED/)
})

test("the reports of a run that could not begin are failures, too", async () => {
  const [json, junit] = [join(folder, "out.json"), join(folder, "out.xml")]
  const globs = ["handshake/session-id-is-a-uuid", "environment/status*"]
  const ran = await run("--command", "false", "--tap", "--json", json, "--junit", junit, ...globs)
  expect(ran.code).toBe(1)
  expect(ran.out).toMatch(
    /^TAP version 14\n1\.\.2\nBail out! 2 cases over stdio were not played: .*the server ended/,
  )
  expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
    passed: false,
    stopped: [expect.stringContaining("2 cases over stdio were not played")],
    cases: [{ status: "unplayed" }, { status: "unplayed" }],
  })
  expect(Xml.parse(readFileSync(junit, "utf8")).attributes).toMatchObject({
    tests: "3",
    failures: "1",
    errors: "2",
  })
})

test("a run in which no case has passed is not conformant, whatever is expected of it", async () => {
  const id = "handshake/params-checked-before-state"
  const known = join(folder, "known.json")
  writeFileSync(known, JSON.stringify([{ id, reason: "it is shy" }]))
  const bad = ["--command", Own.quoted(Own.broken("error-code-wrong"), "stdio")]
  // A busy machine starts the server within this time, too.
  const patient = ["--timeout-ms", "120000"]
  const runs = [
    [...bad, ...patient, id],
    [...bad, ...patient, id, "--baseline", known],
    ["--command", own, "process/output/tty-size", "--without", "pty"],
    ["--command", own, "process/output/tty-size", "--without", "pty", "--tap"],
  ]
  for (const args of runs) {
    const { code, err, out } = await run(...args)
    expect(code).toBe(1)
    expect(out + err).toContain("not conformant (no case has passed)")
  }
})

test("a server that stops answering midway is asked again, and the rest is not played", async () => {
  const count = join(folder, "starts")
  const script = `echo >> ${count}; [ $(wc -l < ${count}) -gt 12 ] && ${mute}; exec ${own}`
  const tap = await run(
    "--command",
    sh(script),
    // A busy machine starts the servers that answer within this time, too.
    "--timeout-ms",
    "5000",
    "--parallel",
    "2",
    "process/read",
    "process/write",
  )
  expect(tap.code).toBe(1)
  const [, unplayed = ""] =
    /\n(\d+) cases over stdio were not played: the server has not answered/.exec(tap.out) ?? []
  expect(Number(unplayed)).toBeGreaterThan(5)
  expect(tap.out).toMatch(
    new RegExp(`not conformant \\(\\d+ failed, ${unplayed} not played[^)]*\\): \\d+ cases`),
  )
})

test("failures with one cause are printed once, then counted; -v prints and lists them all", async () => {
  const server = Own.quoted(Own.broken("seq-as-string"))
  const args = [
    "--command",
    server,
    "--transports",
    "ws",
    "--level",
    "must",
    // A busy machine shows the wrong seq within this time, too.
    "--timeout-ms",
    "20000",
    "process/output",
  ]
  const short = await run(...args)
  const [, count, more] =
    /\n(\d+) cases: `the seq of process\/[^]*?`\n {2}process\/.* and (\d+) more/.exec(short.out) ?? []
  expect(Number(count)).toBeGreaterThan(4)
  expect(Number(more)).toBe(Number(count) - 4)
  expect(short.out.match(/but: the seq of process\/\w+: wanted an integer/g)?.length).toBeLessThan(4)
  const long = await run(...args, "-v")
  expect(long.out.match(/but: the seq of process\/\w+: wanted an integer/g)?.length).toBeGreaterThanOrEqual(
    Number(count),
  )
  expect(long.out).not.toMatch(/ and \d+ more/)
})
