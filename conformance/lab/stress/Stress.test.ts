/** Plays each kind of stress for some seconds, as its command does. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** A server that answers every request twice. */
const answersTwice = `node ${pathOf("../../targets/broken.mjs")} answered-twice`

const timeout = 280_000

const play = (...args: ReadonlyArray<string>) =>
  spawnSync("node", [pathOf("./main.mjs"), ...args], { encoding: "utf8", timeout })

test.each([
  ["fuzz --seconds 6", "mutated messages do no harm to a server, on any transport"],
  ["chaos --seconds 8", "servers, clients and children that are killed leave nothing behind"],
  ["contain --seconds 6 --children 100", "trees of processes that try to outlive their server do not"],
  ["reuse --seconds 6", "strangers who get the number of an ended child are not signalled"],
  ["crowd --connections 100 --stalling 10 --mebibytes 16", "who does not read in a crowd stalls nobody else"],
  ["fleet --seconds 10 --floods 3", "fleets keep their word when routers are killed, and a host is frozen"],
  ["egress --messages 5000 --connections 100 --rounds 3", "the proxy of egress rules withstands any message"],
  ["history --gigabytes 0.3 --bound 64", "a history stays within its bound, at flat memory"],
])("%s: %s", { timeout }, (words) => {
  const { status, stdout, stderr } = play(...words.split(" "))
  if (stdout.startsWith("skipped")) process.stdout.write(stdout)
  expect(status, stdout + stderr).toBe(0)
})

test("a server that answers twice is found out by mutated messages", { timeout }, () => {
  const { status, stdout } = play("fuzz", "--transports", "stdio", "--command", answersTwice)
  expect(stdout).toContain("an answer that was not asked for, or a second one")
  expect(status).toBe(1)
})
