// @ts-check
// The stage of a scenario: a folder, a client at work in it, the model's side of the talk, and the server under test.
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { serverOn } from "../run/runtimes.mjs"
import { sourced } from "../run/sourced.mjs"
import * as Proc from "../stress/lib/proc.mjs"
import { launch } from "../stress/lib/servers.mjs"
import * as Client from "./client.mjs"
import * as Conversation from "./conversation.mjs"
import * as Model from "./model.mjs"

/**
 * @typedef {Awaited<ReturnType<typeof open>>} Stage
 *
 * @typedef {object} Options
 * @property {string} folder that may be removed
 * @property {string} client its program
 * @property {readonly string[]} server the words that start it
 * @property {string} over one of `Client.ways`
 * @property {boolean} cuts true if the connection is cut
 * @property {(who: string, text: string) => void} note gets the talk, and the server's stderr
 *
 * The options of a client's start.
 * @typedef {object} Beginning
 * @property {string} [prompt]
 * @property {string} [sandbox]
 * @property {readonly string[]} [args]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string | undefined} [resume] the thread to go on with
 *
 * @typedef {ReturnType<typeof Conversation.make>} Talk
 */

export const serverNames = ["peer", "node", "bun", "deno"]

/** @param {string} name one of `serverNames`, or the words of another server */
export const isOurs = (name) => name !== "peer" && serverNames.includes(name)

/**
 * The words that start a server. `peer` is the client's own; only our own servers get the flags.
 * @param {string} name one of `serverNames`, or the words of another server
 * @param {string} client
 * @param {readonly string[]} flags
 */
export const words = (name, client, flags) => {
  if (name === "peer") return [client, "exec-server"]
  return isOurs(name) ? serverOn(name, { flags }) : name.split(" ")
}

/** A proxy in front of a server, which can cut its connections: that of the tests. @param {string} url */
const proxyTo = async (url) => {
  /** @type {typeof import("../../../adapters/shared/testing/CuttingProxy.ts")} */
  const { CuttingProxy } = await sourced("adapters/shared/testing/CuttingProxy.ts")
  return CuttingProxy.make(url)
}

/** Removes what was there, and makes the folders of a stage. @param {string} folder */
const prepare = (folder) => {
  const work = join(folder, "work")
  const user = join(folder, "user")
  const serverHome = join(folder, "server-home")
  rmSync(folder, { recursive: true, force: true })
  for (const made of [work, user, serverHome]) mkdirSync(made, { recursive: true })
  return { work, user, serverHome }
}

/**
 * The server under test, if it listens, and the tap in front of it. Over stdio the client starts it.
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} env
 */
const serve = async ({ folder, server, over, cuts, note }, env) => {
  const said = (/** @type {string} */ text) => note("server", text)
  const listen = async (url = "ws://127.0.0.1:0") => {
    const program = launch([...server, "--listen", url], {}, { env, cwd: folder, said })
    program.child.stdin.end()
    return { ...program, url: await program.line() }
  }
  let listening = over === "stdio" ? undefined : await listen()
  const tap = listening !== undefined && cuts ? await proxyTo(listening.url) : undefined
  return {
    place: { url: tap?.url ?? listening?.url, words: server },
    pid: () => listening?.child.pid,
    tap: () => {
      if (tap === undefined) throw new Error("this scenario needs `cuts`")
      return tap
    },
    restart: async () => {
      await listening?.end("SIGKILL")
      listening = await listen(listening?.url)
    },
    close: async () => {
      tap?.close()
      await listening?.end("SIGTERM")
    },
  }
}

/**
 * The processes of a stage, which all have its mark.
 * @param {string} mark
 * @param {() => readonly (number | undefined)[]} known the pids of the server and the client
 */
const processes = (mark, known) => {
  /** The processes that are left of the client's commands. */
  const left = () =>
    Proc.marked(mark).filter((one) => !known().includes(one.pid) && one.state !== "Z" && !Proc.isReaper(one))
  return {
    left,
    /** Fails unless the client's commands end. A session is kept for a while without its client. */
    empty: async () => {
      const gone = await Proc.eventually(() => left().length === 0, 100_000)
      assert.ok(gone, `still there: ${Proc.namesOf(left())}`)
    },
    /** Fails if anything is left at the end, and kills it. */
    clear: async () => {
      const gone = await Proc.eventually(() => Proc.marked(mark).length === 0, 20_000)
      const rest = Proc.marked(mark)
      const names = Proc.namesOf(rest)
      for (const { pid } of rest) process.kill(pid, "SIGKILL")
      assert.ok(gone, `left behind: ${names}`)
    },
  }
}

/** @param {Options} options */
export const open = async (options) => {
  const { folder, client, over, note } = options
  const mark = randomUUID()
  const { work, user, serverHome } = prepare(folder)
  const base = {
    PATH: process.env["PATH"],
    HOME: user,
    LANG: "C.UTF-8",
    USER: "user",
    [Proc.markName]: mark,
  }
  const model = await Model.open()
  const server = await serve(options, { ...base, CODEX_HOME: serverHome, SIDE: "server" })
  const talk = Conversation.make(model, note)
  const clientPid = () => (talk.started() ? talk.client().pid : undefined)
  const { left, empty, clear } = processes(mark, () => [server.pid(), clientPid()])

  return {
    ...talk,
    folder: work,
    home: user,
    over,
    /** The client's name for the place of the server. */
    environment: Client.ways[over]?.environment ?? "",
    /** Starts the client with a prompt; returns when it asks the model. @param {Beginning} [beginning] */
    begin: ({ prompt = "go", sandbox = "danger-full-access", args = [], env = {}, resume } = {}) => {
      const named = Client.home(join(folder, "home"), { over, place: server.place, model: model.url })
      const words = ["--json", "--skip-git-repo-check", "-s", sandbox, ...args]
      if (resume !== undefined) words.push("resume", resume)
      const started = Client.start(client, [...words, prompt], {
        cwd: work,
        env: { ...base, ...named, ...env },
      })
      return talk.begin(started)
    },
    tap: server.tap,
    /** Kills the server and starts another at its address. */
    restart: server.restart,
    left,
    empty,
    /** Waits until a command has made this file. @param {string} name */
    made: async (name) => assert.ok(await Proc.eventually(() => existsSync(join(work, name)), 20_000), name),
    close: async () => {
      if (talk.started()) talk.client().kill("SIGKILL")
      model.close()
      await server.close()
      await clear()
    },
  }
}
