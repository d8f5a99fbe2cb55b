/**
 * Results of `process/wait` for real programs by evidence of the kernel: who asks for input, and who listens.
 *
 * A program that is not on this machine is skipped, and its line says so. `apt` asks about a package of a state of its
 * own, in a folder of the test: nothing of the machine is touched.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import type { WaitCondition } from "../../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import { has } from "../../testing/Programs.ts"
import { connect } from "../../testing/Client.ts"
import * as SshServer from "../../testing/SshServer.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-wait-"))

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

const linux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch)

/** Runs a test if this machine has the programs. */
const where = (...programs: ReadonlyArray<string>) => {
  const missing = programs.filter((program) => !has(program))
  return it.skipIf(!linux || missing.length > 0)
}

const using = async (options: StartOptions, use: (child: ClientProcess) => Promise<void>) => {
  const child = await client.start({ env: { PS1: "$ " }, inherit: "all", ...options })
  try {
    await use(child)
  } finally {
    await child.terminate()
    await child.closed
  }
}

/** Long enough for any machine; only a fault lasts that long. */
const timeoutMs = 60_000

const answer = async (child: ClientProcess, condition: WaitCondition, more = {}) =>
  child.wait({ until: [condition], timeoutMs, ...more })

const asks = async (options: StartOptions, wanted: object) =>
  using(options, async (child) => {
    const { met, evidence, head } = await answer(child, { input: true })
    const text = head.map(({ chunk }) => new TextDecoder().decode(chunk)).join("")
    expect({ met, input: evidence?.input, text }).toMatchObject({ met: 0, input: wanted })
  })

/** Several looks are made meanwhile, and none of them finds a question. */
const asksNothing = async (options: StartOptions, begun: WaitCondition) =>
  using(options, async (child) => {
    expect((await answer(child, begun)).met).toBe(0)
    const { met, unknown } = await answer(child, { input: true }, { timeoutMs: 1500 })
    expect({ met, unknown }).toEqual({ met: null, unknown: undefined })
  })

const tty = (...argv: ReadonlyArray<string>): StartOptions => ({ argv, tty: true })
const sh = (script: string): StartOptions => tty("/bin/sh", "-c", script)

const line = { from: "terminal", echo: true, line: true, secret: false }
const secret = { from: "terminal", echo: false, line: true, secret: true }
const keys = { from: "terminal", echo: false, line: false, secret: false }

it.skipIf(!linux)("announces what the kernel tells", () => {
  expect(client.environmentInfo.capabilities).toMatchObject({
    processWait: true,
    processWaitInput: true,
    processWaitPort: true,
  })
})

describe("asks for input", () => {
  where("sh")("read of a shell", () => asks(sh("printf 'name? '; read name"), line))
  where("sh")("read of a shell without echo", () => asks(sh("stty -echo; read name"), secret))
  where("sh")("a question only with all that was printed before it", async () => {
    const script = "while printf '> ' && read x; do echo $((x * 2)); done"
    const asking = await client.start(sh(script))
    let { nextSeq } = await asking.wait({ until: [{ input: true }], timeoutMs: 60_000 })
    for (let round = 1; round <= 20; round += 1) {
      await asking.write(`${round}\n`)
      const told = await asking.wait({ until: [{ input: true }], afterSeq: nextSeq - 1, timeoutMs: 60_000 })
      const text = told.head.map(({ chunk }) => new TextDecoder().decode(chunk)).join("")
      expect([told.met, text]).toEqual([0, `${round}\r\n${round * 2}\r\n> `])
      ;({ nextSeq } = told)
    }
    await asking.terminate()
  })
  where("cat")("cat", () => asks(tty("cat"), line))
  where("cat")("cat on a pipe", () => asks({ argv: ["cat"], pipeStdin: true }, { from: "stdin" }))
  where("sh", "cat")("a descendant on a pipe", () =>
    asks({ argv: ["/bin/sh", "-c", "true; (cat; true); true"], pipeStdin: true }, { from: "stdin" }),
  )
  where("python3")("input() of Python", () => asks(tty("python3", "-c", "input('name? ')"), line))
  where("python3")("input() of Python with readline", () =>
    asks(tty("python3", "-c", "import readline; input('name? ')"), keys),
  )
  where("python3")("getpass", () => asks(tty("python3", "-c", "import getpass; getpass.getpass()"), secret))
  where("bash")("a shell with readline", () => asks(tty("bash", "--norc", "-i"), keys))
  where("node")("the REPL of Node", () => asks(tty("node", "-i"), keys))
  where("ssh-keygen")("a passphrase of ssh", async () => {
    const key = join(folder, "key")
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "a passphrase", "-f", key])
    await asks(tty("ssh-keygen", "-y", "-f", key), secret)
  })
  where("less", "seq")("a pager at its prompt, which waits for a key", () =>
    asks(sh("seq 1000 > $0/pages; exec less $0/pages".replaceAll("$0", folder)), keys),
  )
  where("less", "seq")("a pager that reads a pipe, and its terminal for keys", () =>
    asks(sh("seq 1000 | less"), keys),
  )
  where("apt-get", "dpkg")("apt", () =>
    asks(tty("apt-get", ...aptOptions(), "remove", "procwire-test"), line),
  )

  it.skipIf(!linux || SshServer.lack !== undefined)(
    "ssh, about the key of a host",
    { tags: ["sshd"] },
    async () => {
      const server = await SshServer.start()
      const [, host = "", port = ""] = /^(?:ssh:)?([\d.]+):(\d+),/.exec(server.address) ?? []
      const options = [
        "-o",
        "StrictHostKeyChecking=ask",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "BatchMode=no",
      ]
      try {
        await asks(tty("ssh", "-F", server.config, ...options, "-p", port, host, "true"), line)
      } finally {
        server.close()
      }
    },
  )

  where("sh")("once it has read what was there", () =>
    using(sh("read first; sleep 0.3; printf 'got %s\\n' \"$first\"; read second"), async (child) => {
      expect((await answer(child, { input: true })).met).toBe(0)
      await child.write("x\n")
      const { met, head } = await answer(child, { input: true })
      expect(met).toBe(0)
      expect(head.map(({ chunk }) => new TextDecoder().decode(chunk)).join("")).toContain("got x")
    }),
  )
})

describe("asks for nothing", () => {
  where("sleep")("sleep", () => asksNothing(sh("echo up; exec sleep 1000"), { pattern: "up" }))
  where("sh")("a loop, as a compiler is one", () =>
    asksNothing(sh("echo up; while :; do :; done"), { pattern: "up" }),
  )
  where("mkfifo", "cat")("cat of a file that has nothing to be read yet", () =>
    asksNothing(sh(`mkfifo ${folder}/fifo; echo up; exec cat ${folder}/fifo`), { pattern: "up" }),
  )
  where("sleep", "cat")("cat behind a pipe", () =>
    asksNothing({ argv: ["/bin/sh", "-c", "echo up; sleep 1000 | cat"], pipeStdin: true }, { pattern: "up" }),
  )
  where("cat")("cat in the background of its terminal", () =>
    asksNothing(tty("/bin/bash", "-c", "set -m; cat & echo up; exec sleep 1000"), { pattern: "up" }),
  )
  where("node")("a server that waits for connections", () =>
    asksNothing(tty("node", "-e", "require('http').createServer().listen(0, () => console.log('up'))"), {
      pattern: "up",
    }),
  )
  where("node")("one that would also read its terminal", () =>
    asksNothing(
      tty(
        "node",
        "-e",
        "process.stdin.resume(); require('http').createServer().listen(0, () => console.log('up'))",
      ),
      { pattern: "up" },
    ),
  )
  where("vim")("vim, which draws the screen", () =>
    asksNothing(tty("vim", "-u", "NONE", "-i", "NONE", "-n", join(folder, "text")), { pattern: "~" }),
  )
})

describe("listens", () => {
  const server = (host: string, port = 0) =>
    `const s = require('net').createServer().listen(${port}, '${host}', () => console.log('port ' + s.address().port + '.'))`
  const portOf = async (child: ClientProcess) => {
    const { evidence } = await answer(child, { pattern: "port \\d+\\." })
    return Number(/\d+/.exec(evidence?.match?.text ?? "")?.[0])
  }

  where("node")("at the address that is asked for, and no other", () =>
    using({ argv: ["node", "-e", server("127.0.0.1")] }, async (child) => {
      const port = await portOf(child)
      for (const host of [undefined, "127.0.0.1", "localhost"]) {
        const { met, evidence } = await answer(child, { port, ...(host === undefined ? {} : { host }) })
        expect({ met, port: evidence?.port }).toMatchObject({ met: 0, port: { port, host: "127.0.0.1" } })
      }
      for (const host of ["::1", "127.0.0.2"])
        expect((await answer(child, { port, host }, { timeoutMs: 300 })).met).toBe(null)
    }),
  )

  where("node", "sh")("as a descendant whose parents are gone", () =>
    using({ argv: ["/bin/sh", "-c", `(node -e "${server("0.0.0.0")}" &); sleep 1000`] }, async (child) => {
      const port = await portOf(child)
      expect(await answer(child, { port, host: "localhost" })).toMatchObject({
        met: 0,
        evidence: { port: { host: "0.0.0.0" } },
      })
    }),
  )

  where("sleep")("not for a port that somebody else has", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const { port } = other.address() as AddressInfo
    await using({ argv: ["sleep", "1000"] }, async (child) => {
      const { met, unknown } = await answer(child, { port }, { timeoutMs: 500 })
      expect({ met, unknown }).toEqual({ met: null, unknown: undefined })
    })
    other.close()
  })
})

/** A state in which one package is installed. */
const aptOptions = (): ReadonlyArray<string> => {
  const state = join(folder, "apt")
  for (const name of [
    "lists/partial",
    "etc/apt.conf.d",
    "etc/preferences.d",
    "cache/archives/partial",
    "log",
  ])
    mkdirSync(join(state, name), { recursive: true })
  const fields = ["Package: procwire-test", "Status: install ok installed", "Architecture: all", "Version: 1"]
  const more = ["Maintainer: nobody <nobody@localhost>", "Description: nothing", "", ""]
  writeFileSync(join(state, "status"), [...fields, ...more].join("\n"))
  const settings = {
    Dir: `${state}/`,
    "Dir::State": state,
    "Dir::State::status": join(state, "status"),
    "Dir::Etc": join(state, "etc"),
    "Dir::Cache": join(state, "cache"),
    "Dir::Log": join(state, "log"),
    "Dir::Bin::dpkg": "/bin/false",
    "Debug::NoLocking": "1",
  }
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`])
}
