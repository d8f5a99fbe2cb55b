// @ts-check
// Many connections with two processes each, lines through all of them, and the end of everything. Then some of which
// half stop reading under flooding children: the others must go on, and who reads again must get every byte.
import { setTimeout as sleep } from "node:timers/promises"
import { each } from "../../../.ci/each.mjs"
import { mebibytes, spread, stress, within } from "./lib/command.mjs"
import * as Members from "./lib/members.mjs"
import * as Proc from "./lib/proc.mjs"
import { onRuntime, serve } from "./lib/servers.mjs"

const transports = ["ws", "unix", "tcp"]
/** The factor by which floods may take longer beside others that are not read. */
const slower = 3

export const crowd = stress({
  says: "opens a thousand connections, and has half of a hundred stop reading",
  options: {
    connections: { says: "connections, each with two processes", usual: 1000 },
    stalling: { says: "connections of which half stop reading", usual: 100 },
    mebibytes: { says: "what each child that nobody reads from writes in all, about", usual: 32 },
    transport: { says: transports.join(", "), usual: "ws", of: transports },
    runtime: onRuntime,
  },
  play: async ({ runtime, transport, ...options }, { row, fail, skip }) => {
    // The server opens one descriptor for a connection and three for a process, and the runtime has some.
    const needed = options.connections * 7 + 200
    if (Proc.fileLimit() < needed) skip(`needs ${needed} open files: run \`ulimit -n ${needed}\` first`)
    const server = await serve({ runtime, transport, args: ["--detached-ttl-ms", "500"] })
    const [idle, files] = [Proc.rss(server.pid), Proc.descriptors(server.pid)]
    /** Connects some, and looks at what is left in the end. @param {(members: Members.Member[]) => Promise<void>} play */
    const withMembers = async (/** @type {number} */ count, play) => {
      const members = await each(Array.from({ length: count }), 32, () => Members.connect(server))
      await play(members)
      await each(members, 32, async ({ wire }) => {
        wire.close()
        await within(wire.over, 20_000, "the end of a connection")
      })
      await Proc.vanish(() => Proc.left(server.pid), fail, "left")
      if (!(await Proc.eventually(() => Proc.descriptors(server.pid) <= files + 2, 20_000)))
        fail(`${Proc.descriptors(server.pid)} descriptors are left of ${files}`)
    }

    await withMembers(options.connections, async (members) => {
      const grown = (Proc.rss(server.pid) - idle) / 1024 / members.length
      row("connections", `${members.length}, ${grown.toFixed(1)} KiB each`)
      await each(members, 32, ({ cat }) => Promise.all([cat("a"), cat("b")]))
      const living = Proc.left(server.pid).length
      row("processes", `${living}, ${mebibytes(Proc.rss(server.pid))} in all`)
      if (living !== members.length * 2) fail(`${living} processes live instead of ${members.length * 2}`)
      row("a line, one at a time", spread(await each(members, 1, ({ echo }) => echo("a"))))
      row("a line of all at once", spread(await each(members, members.length, ({ echo }) => echo("b"))))
    })

    await withMembers(options.stalling, async (members) => {
      const [half, blocks] = [members.length / 2, options.mebibytes * 4]
      const isWhole = (/** @type {Members.Counted} */ one, /** @type {number} */ count) =>
        one.bytes === count * Members.block && one.wrong === undefined
      const [readers, stalled] = [members.slice(0, half), members.slice(half)]
      /** Seconds until each reader has the whole of a flood, whose bytes must be right. */
      const readAll = async (/** @type {string} */ id) => {
        const began = performance.now()
        const floods = await Promise.all(readers.map(({ flood }) => flood(id, 16)))
        await within(Promise.all(floods.map(({ ended }) => ended)), 300_000, "the floods of readers")
        if (!floods.every((one) => isWhole(one, 16))) fail("a reader got other bytes")
        return (performance.now() - began) / 1000
      }
      const alone = await readAll("alone")
      const memory = Proc.rss(server.pid)
      const unread = await each(stalled, half, async ({ flood, wire }) => {
        const counted = await flood("flood", blocks)
        wire.pause()
        return counted
      })
      await sleep(2000)
      const taken = unread.map((one) => one.bytes)
      // The best of three, because something else may take the machine meanwhile.
      let beside = await readAll("beside")
      for (const id of ["again", "at last"])
        if (beside > alone * slower) beside = Math.min(beside, await readAll(id))
      const cost = (Proc.rss(server.pid) - memory) / half
      row(
        `floods of ${half} readers`,
        `${alone.toFixed(1)} s alone, ${beside.toFixed(1)} s beside unread ones`,
      )
      row("memory for each that does not read", mebibytes(cost))
      if (beside > alone * slower) fail(`readers are held up: ${beside} s instead of ${alone} s`)
      if (cost > 5 * 2 ** 20 + 2 ** 26 / half) fail(`memory grew by ${mebibytes(cost)} for each`)
      if (unread.some((one, at) => one.bytes !== taken[at])) fail("what nobody reads was read")
      if (taken.some((got) => got >= blocks * Members.block)) fail("no child was blocked: raise --mebibytes")
      for (const { wire } of stalled) wire.resume()
      await within(Promise.all(unread.map(({ ended }) => ended)), 300_000, "the rest of what was not read")
      const lost = unread.filter((one) => !isWhole(one, blocks))
      row("after reading again", `${half - lost.length} of ${half} have every byte`)
      if (lost.length > 0) fail(`lost: ${JSON.stringify(lost)}`)
    })
    const code = await server.stop()
    if (code !== 0) fail(`the server ended with ${code}`)
  },
})
