// @ts-check
// Starts trees of processes that try to get away, ends them in every way that there is, and counts who survives.
import { randomUUID } from "node:crypto"
import { progress, stress } from "./lib/command.mjs"
import * as Peers from "./lib/wires.mjs"
import * as Proc from "./lib/proc.mjs"
import { launch, onRuntime, serve } from "./lib/servers.mjs"

const long = "sleep 600"
const silent = "</dev/null >/dev/null 2>&1"
/** Starts itself in a session of its own again and again. */
const hydra = `[ "$1" -gt 0 ] && setsid sh -c "$0" "$0" $(($1 - 1)) & ${long}`
/** Each process starts the next one in a session of its own, and ends: none is in one place for long. */
const walker = `[ "$1" -gt 0 ] || exit; sleep 0.02; setsid sh -c "$0" "$0" $(($1 - 1)) & exit`
/** The steps of a walker: it is still on its way when survivors are counted, and not a day later. */
const steps = 3000
const deaf = "trap '' TERM INT HUP"

/** Trees that try to outlive what started them. Each says `ready` when it is complete, or as good as that. */
/** @type {Record<string, (size: number) => string>} */
const trees = {
  plain: () => `echo ready; ${long} & ${long}`,
  "double fork": () => `(setsid sh -c "(${long} &); ${long} & exit" ${silent} &); echo ready; ${long}`,
  "sessions of their own": () => `setsid ${long} & setsid setsid ${long} & echo ready; wait`,
  "a daemon of init": () => `(setsid sh -c "trap '' HUP; ${long}; :" ${silent} &); echo ready`,
  "deaf to signals": () => `${deaf}; setsid sh -c "${deaf}; while :; do ${long}; done" & echo ready; wait`,
  "forking while it is killed": (size) => `echo ready; exec sh -c '${hydra}' '${hydra}' ${size}`,
  "many children": (size) =>
    `i=0; while [ $i -lt ${size} ]; do ${long} & i=$((i + 1)); done; echo ready; wait`,
  "stopped children": () =>
    `setsid sh -c 'kill -STOP $$; ${long}' & sh -c 'kill -STOP $$' & echo ready; kill -STOP $$`,
  "a group without leader": () => `echo ready; ${long} & ${long} & exit`,
  "walking on": () => `echo ready; exec sh -c '${walker}' '${walker}' ${steps}`,
  "a zombie leader": () => `(setsid sh -c 'exit' & exec ${long}) ${silent} & echo ready; exit`,
}
const names = Object.keys(trees)

/** True if a server that ends so leaves this tree: nothing adopts and finds moving ones once a subreaper is killed. */
const maySurvive = (/** @type {string} */ name, /** @type {string} */ by, /** @type {string} */ end) =>
  name === "walking on" && by === "subreaper" && end === "SIGKILL"

/** The ways to end: most often the session goes, sometimes the server, by a signal. */
const ends = ["session", "terminate", "session", "SIGKILL", "SIGTERM"]
const kinds = ["cgroup", "subreaper", "auto"]

export const contain = stress({
  says: "starts trees of processes that try to outlive their server, ends them, and counts the survivors",
  options: {
    seconds: { says: "how long", usual: 60 },
    rounds: {
      says: "how many at most, each of which plants every tree; 0: as many as there is time for",
      usual: 0,
    },
    load: { says: "busy processes beside", usual: 0 },
    children: { says: "children of the largest trees", usual: 1000 },
    contain: { says: `what contains them: ${kinds.join(", ")}`, usual: "auto", of: kinds },
    runtime: onRuntime,
  },
  play: async (options, { row, fail, failed, over }) => {
    const mark = randomUUID()
    const args = ["--contain", options.contain, "--detached-ttl-ms", "1", "--retention-ms", "1"]
    const start = () => serve({ runtime: options.runtime, transport: "ws", args })
    let server = await start()

    /** Starts one tree of each of these kinds and waits until all are ready. */
    const plant = async (/** @type {readonly string[]} */ kinds, /** @type {number} */ size) => {
      const waiting = new Set(kinds)
      const peer = await Peers.connect(server, (method, { processId, chunk }) => {
        if (method === "process/output" && Buffer.from(chunk, "base64").includes("ready"))
          waiting.delete(processId)
      })
      await peer.handshake()
      const env = { PATH: process.env["PATH"] ?? "", [Proc.markName]: mark }
      for (const name of kinds)
        await peer.call("process/start", Peers.start(name, ["sh", "-c", trees[name]?.(size) ?? ""], { env }))
      if (!(await Proc.eventually(() => waiting.size === 0, 60_000)))
        fail(`not ready: ${[...waiting].join()}`)
      return peer
    }

    for (let busy = 0; busy < options.load; busy += 1) launch(["sh", "-c", "while :; do :; done"])
    const isLast = (/** @type {number} */ batch) => options.rounds > 0 && batch >= options.rounds
    let [planted, most] = [0, 0]
    for (let batch = 0; !over() && !failed() && !isLast(batch); batch += 1) {
      if (!server.running()) server = await start()
      const end = ends[batch % ends.length] ?? "session"
      const kinds = names.filter((name) => !maySurvive(name, options.contain, end))
      const { call, wire } = await plant(kinds, batch % 25 === 0 ? options.children : 30)
      planted += kinds.length
      most = Math.max(most, Proc.marked(mark).length)
      if (end === "terminate")
        await Promise.all(kinds.map((processId) => call("process/terminate", { processId })))
      if (end === "SIGKILL" || end === "SIGTERM") server.child.kill(end)
      if (end === "SIGKILL" || end === "SIGTERM") await server.gone
      wire.destroy()
      await Proc.vanish(() => Proc.marked(mark), fail, `${end}: survivors`)
      await Proc.killAll(() => Proc.marked(mark))
      if (batch % 10 === 9) progress(`${planted} trees`)
    }
    if (server.running()) await server.stop()
    row("trees", `${planted}: ${names.join(", ")}`)
    row("the most processes at a time", String(most))
    if (most < Math.min(options.children, 30)) fail("hardly anything was planted")
  },
})
