// @ts-check
// The real client as `procwire-conformance --client` runs clients: `node subject.mjs PROGRAM URL ARGV…`.
//
// `codex exec` gets a model that a script plays, which calls one command with these words, and polls it until it has
// ended. The report of its output to the model is written to the standard output. PROGRAM is that of codex.
import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { quoted } from "../run/quoted.mjs"
import { cacheOf } from "../run/fetched.mjs"
import * as Client from "./client.mjs"
import * as Conversation from "./conversation.mjs"
import * as Model from "./model.mjs"

const [program = "", url = "", ...argv] = process.argv.slice(2)
const folder = join(cacheOf("codex"), `subject-${randomUUID()}`)
const [work, user] = [join(folder, "work"), join(folder, "user")]
for (const made of [work, user]) mkdirSync(made, { recursive: true })

/** Milliseconds after which the client tells the model that a command still runs. */
const patience = 30_000

const model = await Model.open()
const [over, words] = url.startsWith("stdio:") ? ["stdio", [url.slice("stdio:".length)]] : ["ws", []]
const named = Client.home(join(folder, "home"), { over, place: { url, words }, model: model.url })
const env = { PATH: process.env["PATH"], HOME: user, LANG: "C.UTF-8", USER: "user", ...named }
const flags = ["--json", "--skip-git-repo-check", "-s", "danger-full-access", "go"]
const client = Client.start(program, flags, { cwd: work, env })
const leave = () => {
  client.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
}
process.on("exit", leave)
process.on("SIGTERM", () => process.exit(143))

/**
 * Writes the output of a reply; throws for one that tells of a failure.
 * @param {Conversation.Reply} reply
 */
const told = (reply) => {
  if (Number.isNaN(reply.code) && Number.isNaN(reply.session)) throw new Error(reply.text)
  process.stdout.write(reply.output)
  return reply
}

const play = async () => {
  const input = await text(process.stdin)
  const talk = Conversation.make(model, () => {})
  await talk.begin(client)
  const more = { yield_time_ms: patience, ...(input === "" ? {} : { tty: true, yield_time_ms: 250 }) }
  let reply = told(await talk.exec(await quoted(argv), more))
  let unsent = input
  while (!Number.isNaN(reply.session)) {
    reply = told(await talk.stdin(reply.session, unsent, { yield_time_ms: patience }))
    unsent = ""
  }
  await talk.done()
  return reply.code
}

const code = await play().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${client.stderr()}`)
  return 1
})
process.exitCode = code
model.close()
leave()
process.stdout.write("", () => process.exit(code))
