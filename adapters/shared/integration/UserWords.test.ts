/** cli/: errors name what the user has named: processes by their names, flags as they are typed. */
import { expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const itOnNode = it.runIf(runtime === "Node")

/** Ids, capabilities, methods and options of programs. */
const internal = /@|`|[a-z][A-Z]|process\/|until\[/

itOnNode("names a process and flags in every error about one", async () => {
  const { call, feed } = Program.make()
  const place = JSON.parse(
    (await call("run", "-d", "--json", "--name", "pipe", "--", "sleep", "1000")).stdout,
  ) as {
    readonly session: number
    readonly processId: string
  }
  const where = `${place.session}/${place.processId}`
  await call("run", "-d", "--name", "gone", "--", "true")
  await call("wait", "gone", "--for", "closed")
  const closed = "has no stdin to write to: it was closed, or the start had no -i and no -t"
  const wrong: ReadonlyArray<readonly [string, number, ...ReadonlyArray<string>]> = [
    [`pipe ${closed}`, 1, "write", "pipe"],
    [`${where} ${closed}`, 1, "write", where],
    [`pipe ${closed}`, 1, "send", "pipe", "hi"],
    [`gone ${closed}`, 1, "send", "gone", "hi"],
    [
      'pattern "(" cannot be used, at position 0: there is no ) for this (',
      1,
      "wait",
      "pipe",
      "--for",
      "match:(",
    ],
    ['pattern "(" cannot be used, at position 0: there is no ) for this (', 1, "logs", "--grep", "(", "pipe"],
    ["invalid value '600h' for '--timeout': expected at most 596h", 2, "wait", "pipe", "--timeout", "600h"],
    [
      "invalid value '600h' for '--timeout': expected at most 596h",
      2,
      "run",
      "--timeout",
      "600h",
      "--",
      "true",
    ],
    ["invalid value '600h' for '--grace': expected at most 596h", 2, "kill", "--grace", "600h", "pipe"],
    ["invalid value '600h' for '--grace': expected at most 596h", 2, "restart", "--grace", "600h", "pipe"],
  ]
  for (const [text, code, ...words] of wrong) {
    const ended = await feed("x", ...words)
    expect([words, ended.code, ended.stderr.split("\n")[0]]).toEqual([words, code, `procwire: ${text}`])
    expect(ended.stderr.replaceAll(where, "")).not.toMatch(internal)
  }
})

itOnNode("tells who is refused because another client writes which flags help", async () => {
  const program = Program.make()
  const { call, start } = program
  await call("run", "-d", "--name", "shell", "-t", "--", "cat")
  const writer = start("attach", "shell")
  writer.stdin?.write("hello\n")
  expect((await call("wait", "shell", "--for", "match:hello\\s+hello")).code).toBe(0)
  expect(await call("attach", "shell")).toMatchObject({
    code: 1,
    stderr: "procwire: another client writes to shell; look on with --read-only, or write with --take\n",
  })
})

itOnNode("says what a server cannot do in words, not by the name of a capability", async () => {
  const program = Program.make()
  const server = program.start("serve", "--listen", "ws://127.0.0.1:0", "--scope", "observe")
  const url = await new Promise<string>((resolve) =>
    server.stdout?.once("data", (bytes) => resolve(String(bytes).trim())),
  )
  const holder = program.start("run", "--server", url, "--", "sh", "-c", "echo up; exec sleep 1000")
  await new Promise((resolve) => holder.stdout?.once("data", resolve))
  const { stdout } = await program.call("ps", "-q", "--server", url)
  expect(await program.call("kill", "--server", url, stdout.trim())).toMatchObject({
    code: 1,
    stderr:
      "procwire: this server lets its clients control nothing of each other: use its unix socket, or have it started " +
      "with --scope control\n",
  })
  const kept = await program.call("run", "-d", "--server", url, "--", "true")
  expect(kept).toMatchObject({ code: 125 })
  expect(kept.stderr).toMatch(/^procwire: this server keeps no process whose client has gone; /)
})
