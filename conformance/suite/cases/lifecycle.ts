/**
 * The end of a server, which nothing that it has started outlives.
 */
import { Check, Child, idText, pause, table, type Wire } from "../Vocabulary.ts"
import { awaitDeath } from "../wire/ProcessTree.ts"
import { awaitExit } from "../wire/ServerProcess.ts"

/** Starts a process with a background child; returns both pids of this machine. */
const family = async (wire: Wire): Promise<ReadonlyArray<number>> => {
  const child = await Child.start(wire, { script: "sleep 300 & echo pids $$ $!.; wait" })
  await child.says(".")
  const [, parent, background] = /pids (\d+) (\d+)\./.exec(child.text()) ?? []
  return [Number(parent), Number(background)]
}

const own = { level: "must", server: "fresh" } as const

const withGrace = {
  ...own,
  transports: "sockets",
  requires: ["grace-flag"],
  args: ["--grace-ms", "600000"],
  spec: [],
} as const

export const lifecycle = table("lifecycle", own, {
  "end-of-input-ends-the-server": {
    transports: "stdio",
    spec: [157],
    says: "At EOF on its stdin the server kills every process group and exits with 0.",
    play: async (wire, t) => {
      const pids = await family(wire)
      wire.channel.close()
      Check.equal((await awaitExit(await t.process(), t.timeoutMs)).code, 0, "the exit code of the server")
      await awaitDeath(pids, t.timeoutMs)
    },
  },
  "end-of-input-during-a-long-poll": {
    transports: "stdio",
    spec: [157],
    says: "At EOF the server does not wait for a waiting read: it exits with 0, and the read has no answer.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "sleep 300" })
      const from = wire.inbox.messages.length
      wire.send({ id: 7, method: "process/read", params: { processId: child.id, waitMs: 600_000 } })
      await pause(100)
      wire.channel.close()
      Check.equal((await awaitExit(await t.process(), t.timeoutMs)).code, 0, "the exit code of the server")
      const answer = wire.inbox.messages.slice(from).find(({ text }) => idText(text) === "7")
      Check.equal(answer?.text ?? null, null, "the answer to the read")
    },
  },
  "end-of-input-kills-what-a-dead-leader-left": {
    level: "should",
    transports: "stdio",
    requires: ["process-group"],
    spec: [157],
    says: "EOF also kills the group of a process that has already exited.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "sleep 300 & echo pid $!.; exit 0" })
      await child.says(".")
      await child.exited()
      const pid = Number(/pid (\d+)\./.exec(child.text())?.[1])
      wire.channel.close()
      await awaitExit(await t.process(), t.timeoutMs)
      await awaitDeath([pid], t.timeoutMs)
    },
  },
  "violation-kills-processes-on-stdio": {
    level: "should",
    transports: "stdio",
    spec: [20],
    says: "A violation on stdio ends the session: its processes are killed.",
    play: async (wire, t) => {
      const pids = await family(wire)
      wire.sendText('{"method":"bogus"}')
      await awaitDeath(pids, t.timeoutMs)
    },
  },
  "sigterm-on-stdio": {
    transports: "stdio",
    spec: [159],
    says: `SIGTERM to a server on stdio kills every process at once; the server exits with 0, at EOF on its
      stdin at the latest.`,
    play: async (wire, t) => {
      const pids = await family(wire)
      const server = await t.process()
      server.signal("SIGTERM")
      await awaitDeath(pids, t.timeoutMs)
      wire.channel.close()
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 0, "the exit code of the server")
    },
  },
  "sigterm-on-websocket": {
    transports: "sockets",
    spec: [158],
    says: `At SIGTERM a server on a socket ends its connections, kills every process of every session, and
      exits with 0.`,
    run: async (t) => {
      const [one, other] = [await t.open(), await t.open()]
      const pids = [...(await family(one)), ...(await family(other))]
      const server = await t.process()
      server.signal("SIGTERM")
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 0, "the exit code of the server")
      await one.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
      await awaitDeath(pids, t.timeoutMs)
    },
  },
  "sigint-on-websocket": {
    level: "should",
    transports: "sockets",
    spec: [158],
    says: "At SIGINT a server on a socket ends as at SIGTERM.",
    run: async (t) => {
      const pids = await family(await t.open())
      const server = await t.process()
      server.signal("SIGINT")
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 0, "the exit code of the server")
      await awaitDeath(pids, t.timeoutMs)
    },
  },
  "sigkill-leaves-nobody": {
    level: "should",
    says: "When the server dies of SIGKILL, its processes are killed.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { script: "echo pid $$.; exec sleep 300" })
      await child.says(".")
      const server = await t.process()
      server.signal("SIGKILL")
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
    },
  },
  "grace-lets-processes-end": {
    ...withGrace,
    says: `With --grace-ms a server that gets SIGTERM sends SIGTERM to every process group, still sends
      output and exits, and exits with 0 when all processes have ended.`,
    play: async (wire, t) => {
      const script = "trap 'echo term.; exit 3' TERM; echo ready.; while :; do sleep 0.05; done"
      const child = await Child.start(wire, { script })
      await child.says("ready.")
      const server = await t.process()
      server.signal("SIGTERM")
      await child.says("term.")
      Check.equal(await child.exited(), 3, "the exit code of the process")
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 0, "the exit code of the server")
    },
  },
  "grace-starts-nothing": {
    ...withGrace,
    says: `During the grace period process/start is refused with -32011, other requests are answered, and a
      second SIGTERM ends the server at once.`,
    play: async (wire, t) => {
      const script = "trap 'echo term.' TERM; echo ready.; while :; do sleep 0.05; done"
      const child = await Child.start(wire, { script })
      await child.says("ready.")
      const server = await t.process()
      server.signal("SIGTERM")
      await child.says("term.")
      const { error } = await wire.begin("process/start", Child.params(wire, { argv: ["true"] }))
      Check.equal(error?.code, -32011, "the code of the error")
      Check.equal((await child.read())["exited"], false, "exited in the answer to process/read")
      server.signal("SIGTERM")
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 0, "the exit code of the server")
    },
  },
  "zero-requests-at-once-refused": {
    level: "peer",
    requires: ["concurrency-flag"],
    spec: [165],
    says: "--concurrent-requests 0 is a usage error: the server exits with 2.",
    run: async (t) => {
      const server = t.launch(["--concurrent-requests", "0"])
      Check.equal((await awaitExit(server, t.timeoutMs)).code, 2, "the exit code of the server")
    },
  },
})
