// @ts-check
// Two servers that play the same sequences, each in a folder of its own.
import { linkSync, mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { play } from "./player.mjs"
import * as Server from "./server.mjs"
import * as Tree from "./tree.mjs"

/**
 * @import { PlayOptions, Sequence, Transcript } from "./player.mjs"
 *
 * @typedef {object} Stage what all pairs share
 * @property {string} folder an empty folder for everything
 * @property {string} origin the address of the HTTP server
 * @property {"ws" | "stdio"} transport
 * @property {{ reference: string, candidate: string }} commands
 *
 * @typedef {"reference" | "candidate"} Side
 */

/** Sequences after which the servers are started anew. */
const lifetime = 400

/** The environment of the servers: the same on every machine, but for where programs are. @param {string} home */
const environment = (home) => ({
  PATH: `${process.env["PATH"] ?? "/usr/bin:/bin"}:${dirname(process.execPath)}`,
  HOME: home,
  CODEX_HOME: join(home, ".codex"),
  SHELL: "/bin/sh",
  LANG: "C.UTF-8",
  TERM: "xterm",
  HEADER_VALUE: "token",
  OPENAI_API_KEY: "key",
  EMPTY: "",
  FOO: "foo",
  SECRET_THING: "s",
})

/** @param {Stage} stage @param {string} name of its folders */
export const make = ({ folder, origin, transport, commands }, name) => {
  /** @type {Partial<Record<Side, Promise<Server.Server>>>} */
  const servers = {}
  const began = Date.now()
  let played = 0
  let places = 0
  const home = join(folder, "home")
  mkdirSync(join(home, ".codex"), { recursive: true })
  const fifo = join(folder, `fifo-${name}`)
  Tree.makeFifo(fifo)

  /** @param {Side} side */
  const serverOf = (side) =>
    (servers[side] ??= Server.start({
      command: commands[side],
      cwd: process.cwd(),
      env: environment(home),
      transport,
    }))

  const stop = async () => {
    const all = Object.values(servers)
    delete servers.reference
    delete servers.candidate
    await Promise.all(all.map((one) => one.then(({ stop }) => stop()).catch(() => {})))
  }

  /** @param {Side} side @param {Sequence} sequence @param {PlayOptions} options */
  const playOn = async (side, sequence, options) => {
    places += 1
    const top = join(folder, `${name}-${side === "reference" ? "r" : "c"}`, String(places).padStart(7, "0"))
    mkdirSync(top, { recursive: true })
    const work = Tree.fill(top)
    linkSync(fifo, join(work, "fifo"))
    try {
      return await play(await serverOf(side), sequence, { top, work, origin, began }, options)
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  }

  return {
    /** The server of a side, started if it is not. @param {Side} side */
    server: (side) => serverOf(side),
    /** Plays a sequence on one of them. @param {Side} side @param {Sequence} sequence @param {PlayOptions} [options] */
    playOn: (side, sequence, options = {}) => playOn(side, sequence, options),
    /**
     * Plays a sequence on both.
     * @param {Sequence} sequence
     * @param {{ trees?: boolean }} [options]
     * @returns {Promise<[reference: Transcript, candidate: Transcript]>}
     */
    play: async (sequence, options = {}) => {
      played += 1
      if (played % lifetime === 0) await stop()
      return Promise.all([playOn("reference", sequence, options), playOn("candidate", sequence, options)])
    },
    /** Ends both; they start again when they are needed. */
    stop,
  }
}

/** @typedef {ReturnType<typeof make>} Pair */
