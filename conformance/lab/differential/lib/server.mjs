// @ts-check
// A server under test, started by a shell command. Over WebSocket one process serves many connections; over stdio each
// connection is a process of its own, and the next one is started ahead.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { within } from "../../stress/lib/command.mjs"
import * as Wires from "../../stress/lib/wires.mjs"

/**
 * @import { Wire } from "../../stress/lib/wires.mjs"
 *
 * @typedef {object} Setting
 * @property {string} command a line for `sh`, in which {LISTEN} is replaced
 * @property {string} cwd
 * @property {Record<string, string>} env all of its environment
 * @property {"ws" | "stdio"} transport
 *
 * @typedef {object} Server
 * @property {() => Promise<Wire>} connect
 * @property {() => boolean} running false if it has ended although nobody stopped it
 * @property {() => Promise<void>} stop
 */

/** How long a server may take to say its address or to end, in milliseconds. */
const patience = 60_000

const listenOf = { ws: "ws://127.0.0.1:0", stdio: "stdio" }

/** The command with its address. @param {string} command @param {"ws" | "stdio"} transport */
export const listening = (command, transport) => {
  const whole = /\{LISTEN\}|--listen/.test(command) ? command : `${command} --listen {LISTEN}`
  return whole.replaceAll("{LISTEN}", listenOf[transport])
}

/** @param {Setting} setting */
const launch = ({ command, cwd, env, transport }) => {
  const child = spawn("/bin/sh", ["-c", `exec ${listening(command, transport)}`], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  })
  let told = ""
  child.stderr.on("data", (chunk) => {
    told = `${told}${chunk}`.slice(-2000)
  })
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  const gone = new Promise((resolve) => child.once("exit", resolve))
  const running = () => child.exitCode === null && child.signalCode === null
  const stop = async () => {
    if (!running()) return
    child.stdin.end()
    child.kill("SIGTERM")
    await within(gone, 5000, "the end of a server").catch(() => {
      child.kill("SIGKILL")
      return within(gone, patience, "the end of a killed server")
    })
  }
  return { child, gone, running, stop, told: () => told }
}

/** @param {ReturnType<typeof launch>} one @param {string} command */
const addressOf = async ({ child, gone, told }, command) => {
  const end = gone.then(() => {
    throw new Error(`the server ended before it said its address: ${command}\n${told()}`)
  })
  end.catch(() => {})
  const [first] = await within(
    Promise.race([once(child.stdout, "data"), end]),
    patience,
    `the address of ${command}`,
  )
  child.stdout.resume()
  return String(first).split("\n")[0] ?? ""
}

/** @param {Setting} setting @returns {Promise<Server>} */
const overWebSocket = async (setting) => {
  const server = launch(setting)
  const url = await addressOf(server, setting.command)
  return {
    connect: () => Wires.open({ transport: "ws", url }),
    running: server.running,
    stop: server.stop,
  }
}

/** @param {Setting} setting @returns {Server} */
const overStdio = (setting) => {
  /** @type {Set<ReturnType<typeof launch>>} */
  const all = new Set()
  const begin = () => {
    const one = launch(setting)
    all.add(one)
    one.gone.then(() => all.delete(one)).catch(() => {})
    return one
  }
  let next = begin()
  return {
    connect: async () => {
      const { child, stop } = next
      next = begin()
      const wire = await Wires.open({ transport: "stdio", url: "", child })
      return Object.assign(wire, { close: () => void stop(), destroy: () => void stop() })
    },
    running: () => true,
    stop: async () => {
      await Promise.all([...all].map((one) => one.stop()))
    },
  }
}

/**
 * Starts a server; over WebSocket it has said its address.
 * @param {Setting} setting
 * @returns {Promise<Server>}
 */
export const start = async (setting) =>
  setting.transport === "ws" ? overWebSocket(setting) : overStdio(setting)
