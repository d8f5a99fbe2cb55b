// What a scenario plays on: a folder, a client at work in it, the model's side of the talk, and the server under test.
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { within } from "../proof/lib/command.mjs"
import * as Proc from "../proof/lib/proc.mjs"
import * as Client from "./client.mjs"
import * as Model from "./model.mjs"
import * as Server from "./server.mjs"
import * as Tap from "./tap.mjs"

const patience = 90_000

/** The parts of what the client tells the model about a command. */
export const reply = (text) => ({
  text,
  code: Number(/^Process exited with code (-?\d+)$/m.exec(text)?.[1] ?? Number.NaN),
  session: Number(/^Process running with session ID (\d+)$/m.exec(text)?.[1] ?? Number.NaN),
  output: text.slice(text.indexOf("\nOutput:\n") + "\nOutput:\n".length),
})

const textOf = ({ output }) => (typeof output === "string" ? output : JSON.stringify(output))

export const open = async ({ folder, client, server, over, tapped, heard, note }) => {
  const mark = randomUUID()
  const work = join(folder, "work")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  for (const name of ["user", "server-home"]) mkdirSync(join(folder, name))
  const base = {
    PATH: process.env.PATH,
    HOME: join(folder, "user"),
    LANG: "C.UTF-8",
    USER: "user",
    [Proc.markName]: mark,
  }
  const model = await Model.open()
  const listen = (url) =>
    Server.listen(server, {
      url,
      cwd: folder,
      env: { ...base, CODEX_HOME: join(folder, "server-home"), SIDE: "server" },
      said: (text) => note("server", text),
    })
  let listening = over === "stdio" ? undefined : await listen()
  const tap = listening !== undefined && tapped ? await Tap.open(listening.url, heard) : undefined
  const place = { url: tap?.url ?? listening?.url, words: server }
  let running
  let turn
  let calls = 0

  /** The client's next request to the model, or its early end. */
  const asked = async () => {
    const end = running.ended.then(({ code, stderr }) => {
      throw new Error(`the client ended with ${code} instead of asking the model\n${stderr}`)
    })
    turn = await within(Promise.race([model.next(), end]), patience, "the client's request to the model")
    return turn
  }

  const stage = {
    folder: work,
    home: base.HOME,
    over,
    /** What the client calls the place where the server is. */
    environment: Client.ways[over].environment,
    /** What the client has told the model so far. */
    input: () => turn.input,
    tools: () => turn.tools,
    /** Starts the client with a prompt; comes back when it asks the model. */
    begin: async ({ prompt = "go", sandbox = "danger-full-access", args = [], env = {}, resume } = {}) => {
      const named = Client.home(join(folder, "home"), { over, place, model: model.url })
      const words = ["--json", "--skip-git-repo-check", "-s", sandbox, ...args]
      if (resume !== undefined) words.push("resume", resume)
      running = Client.start(client, [...words, prompt], { cwd: work, env: { ...base, ...named, ...env } })
      return asked()
    },
    /** Answers with calls of tools that are made in one turn; their outputs as texts, in that order. */
    calls: async (list) => {
      const items = list.map((call) => Model.toolCall(`call-${(calls += 1)}`, ...call))
      for (const item of items) note("model", `${item.name} ${item.arguments ?? item.input}`)
      turn.answer(items)
      const { input } = await asked()
      return items.map(({ call_id: id }) => {
        const output = input.findLast((item) => item.call_id === id && item.type.endsWith("_output"))
        assert.ok(output, `no output for ${id}`)
        note("client", textOf(output))
        return textOf(output)
      })
    },
    call: async (...call) => (await stage.calls([call]))[0],
    exec: async (cmd, more = {}) => reply(await stage.call("exec_command", { cmd, ...more })),
    stdin: async (session, chars, more = {}) =>
      reply(await stage.call("write_stdin", { session_id: session, chars, ...more })),
    /** The model has its say, and the client ends. */
    done: async (text = "done") => {
      turn.answer([Model.message(text)])
      return stage.ended()
    },
    ended: () => within(running.ended, patience, "the end of the client"),
    client: () => running,
    /** The way to the server, if it is one that can be cut. */
    way: tap,
    /** Kills the server and starts another at its address. */
    restart: async () => {
      await listening.kill()
      listening = await listen(listening.url)
    },
    /** Every process of this stage but the server, the client and those who only wait to reap. */
    left: () =>
      Proc.marked(mark).filter(
        (one) =>
          one.pid !== listening?.pid && one.pid !== running?.pid && one.state !== "Z" && !Proc.isReaper(one),
      ),
    /** Nothing of the client's commands may go on. A session is kept for a while without its client. */
    empty: async () => {
      const gone = await Proc.eventually(() => stage.left().length === 0, 100_000)
      assert.ok(
        gone,
        `still there: ${stage
          .left()
          .map(({ pid }) => `${pid} ${Proc.commandLine(pid)}`)
          .join("; ")}`,
      )
    },
    close: async () => {
      running?.kill("SIGKILL")
      model.close()
      tap?.close()
      await listening?.stop()
      const gone = await Proc.eventually(() => Proc.marked(mark).length === 0, 20_000)
      const names = Proc.marked(mark).map(({ pid }) => `${pid} ${Proc.commandLine(pid)}`)
      for (const { pid } of Proc.marked(mark)) process.kill(pid, "SIGKILL")
      assert.ok(gone, `left behind: ${names.join("; ")}`)
    },
  }
  return stage
}
