/**
 * Sessions: they survive a lost connection, can be resumed, and are isolated from each other. An extension that a
 * server may announce as `sessionEnd` in `environmentInfo.capabilities`: `session/end` ends the session of its
 * connection at once, instead of when its time to live is over. How long sessions and processes are kept. These
 * cases are slow: they wait for the time to pass.
 */
import { Check, Child, idText, pause, table } from "../Vocabulary.ts"
import { awaitDeath } from "../wire/ProcessTree.ts"
import * as Gate from "./gate.ts"
import { begin, resume, resumeParams, resumed } from "./resuming.ts"
import { randomUUID } from "node:crypto"

const sockets = { transports: "sockets", requires: ["resume"], level: "must" } as const

export const session = table("session", sockets, {
  isolated: {
    requires: [],
    spec: [155],
    says: "The same processId in two sessions names two processes; a process of another session is unknown.",
    run: async (t) => {
      const [one, other] = [await t.open(), await t.open()]
      const first = await Child.start(one, { id: "same", script: "echo one; exit 1" })
      const second = await Child.start(other, { id: "same", script: "echo two; exit 2" })
      Check.equal([(await first.ended()).exitCode, (await second.ended()).exitCode], [1, 2], "the exit codes")
      Check.equal([first.text(), second.text()], ["one\n", "two\n"], "the outputs")
      await Child.start(one, { id: "only-one" })
      await other.refused("process/read", { processId: "only-one" }, -32600, "unknown process id only-one")
    },
  },
  "detach-keeps-processes": {
    spec: [146],
    says: `Processes survive the loss of the connection; after a resume of the session they can be used,
      with their state.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "echo before; read x; echo got $x", pipeStdin: true })
      await child.says("before")
      wire.channel.drop()
      const again = Child.attach(await resumed(t, session), child.id)
      Check.equal(
        Child.chunks(await again.read()).map(({ bytes }) => bytes.toString()),
        ["before\n"],
        "the chunks",
      )
      await again.write("word\n")
      await again.says("got word\n")
    },
  },
  "resume-continues-the-count": {
    spec: [147],
    says: `After a resume, missed events are read with afterSeq and new ones are pushed; nothing is pushed
      twice, and the seqs continue.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = Gate.shell(await t.open())
      const written = await Gate.make(other)
      const missing = `echo missed; sleep 0.1; echo more; ${written.open}`
      const script = `echo one; read x; ${missing}; read x; echo later; exit 0`
      const child = await Child.start(wire, { script, pipeStdin: true })
      await child.says("one")
      wire.send({
        id: 7,
        method: "process/write",
        params: { processId: child.id, chunk: "Cg==", writeId: "go" },
      })
      await wire.inbox.wait("the answer to the write", t.timeoutMs, ({ messages }) =>
        messages.find(({ text }) => idText(text) === "7"),
      )
      wire.channel.drop()
      await other(written.wait)
      const again = Child.attach(await resumed(t, session), child.id)
      const chunks = Child.chunks(await again.read({ afterSeq: 1 }))
      const missed = chunks.map(({ seq }) => seq)
      Check.equal(
        missed,
        missed.map((_, i) => i + 2),
        "the seqs of what was missed",
      )
      Check.equal(
        Buffer.concat(chunks.map(({ bytes }) => bytes)).toString(),
        "missed\nmore\n",
        "what was missed",
      )
      await again.write("\n")
      await again.says("later")
      Check.isTrue(
        again.events().every(({ seq }) => seq > Math.max(...missed)),
        "a chunk that was read was pushed, too",
      )
    },
  },
  "resume-pushes-before-initialized": {
    spec: [148],
    says: `Notifications are sent right after the answer to a resuming initialize; requests are refused
      until initialized.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, {
        script: "i=0; while [ $i -lt 600 ]; do echo tick; sleep 0.1; i=$((i+1)); done",
      })
      await child.says("tick")
      wire.channel.drop()
      const again = await resume(t, session)
      await Child.attach(again, child.id).says("tick")
      const message = "client must send initialized before using exec methods"
      await again.refused("process/read", { processId: child.id }, -32600, message)
    },
  },
  "attached-session-refused": {
    spec: [149],
    says: `A resume of a session that is attached is refused with -32010 and a text with its id; the
      attached connection stays usable.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = await t.connect()
      const message = `session ${session} is already attached to another connection`
      await other.refused("initialize", resumeParams(session), -32010, message)
      await wire.barrier()
      await other.handshake()
    },
  },
  "unknown-session-refused": {
    transports: "any",
    spec: [150],
    says: `A resume with an id that is not known, or empty, is refused with -32600 and unknown session id
      ID; the connection may then open a new session.`,
    run: async (t) => {
      const wire = await t.connect()
      for (const id of [randomUUID(), "", "no uuid"]) {
        await wire.refused("initialize", resumeParams(id), -32600, `unknown session id ${id}`)
      }
      await wire.handshake()
    },
  },
  "racing-resumes-one-wins": {
    spec: [151],
    says: "Of two simultaneous resumes of one detached session one succeeds and the other is refused with -32010.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      wire.channel.drop()
      const rivals = [await t.connect(), await t.connect()]
      const race = async (): Promise<ReadonlyArray<number>> => {
        const replies = rivals.map((rival) => rival.begin("initialize", resumeParams(session)))
        return (await Promise.all(replies)).map(({ error }) => error?.code ?? 0).sort((a, b) => a - b)
      }
      let codes = await race()
      // No client wins while the server has not noticed yet that the old connection has ended.
      const until = performance.now() + t.timeoutMs
      while (codes.every((code) => code === -32010) && performance.now() < until) codes = await race()
      Check.equal(codes, [-32010, 0], "the codes")
    },
  },
  "resume-during-a-long-poll": {
    spec: [152],
    says: "A session whose connection was lost while a read waited can be resumed.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "sleep 60" })
      void wire.begin("process/read", { processId: child.id, waitMs: 60_000 })
      await pause(100)
      wire.channel.drop()
      await Child.attach(await resumed(t, session), child.id).read()
    },
  },
  "resume-after-a-violation": {
    spec: [153],
    says: "A session whose connection was ended for a violation can be resumed.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "sleep 60" })
      wire.sendText('{"method":"bogus"}')
      await wire.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
      await Child.attach(await resumed(t, session), child.id).read()
    },
  },
  "write-ids-survive-a-resume": {
    spec: [114],
    says: "A writeId that was accepted before the connection was lost is not written again after a resume.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
      await child.write("once;", "same")
      await child.says("once;")
      wire.channel.drop()
      const again = Child.attach(await resumed(t, session), child.id)
      Check.equal(await again.write("twice;", "same"), "accepted", "the status")
      await again.write("<end>")
      await again.says("<end>")
      Check.equal(again.text(), "<end>", "the output")
    },
  },
  // guards: back-pressure
  "detached-flood-does-not-block": {
    spec: [156],
    says: `A process that writes 5 MB while no client is attached does not block; afterwards its last bytes
      can be read.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const script = "read x; head -c 5000000 /dev/zero; printf END; exit 8"
      const child = await Child.start(wire, { script, pipeStdin: true })
      wire.send({
        id: 7,
        method: "process/write",
        params: { processId: child.id, chunk: "Cg==", writeId: "go" },
      })
      await wire.inbox.wait("the answer to the write", t.timeoutMs, ({ messages }) =>
        messages.find(({ text }) => idText(text) === "7"),
      )
      wire.channel.drop()
      const again = Child.attach(await resumed(t, session), child.id)
      const state = await again.read({ afterSeq: 1_000_000, waitMs: t.timeoutMs })
      Check.has(state, { closed: true, exitCode: 8 }, "closed and exitCode")
      const bytes = Buffer.concat(Child.chunks(await again.read()).map((chunk) => chunk.bytes))
      const most = 1_048_576 + 65_536 // the last MiB, and one chunk
      Check.isTrue(bytes.length > 0 && bytes.length <= most, `${bytes.length} bytes are retained`)
      Check.equal(bytes.subarray(-3).toString(), "END", "the last bytes")
    },
  },
  "exit-while-detached": {
    spec: [146],
    says: "After a resume, a process that exited while no client was attached can be read with its exit code.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const go = await Gate.make(Gate.shell(wire))
      const child = await Child.start(wire, { script: `echo pid $$.; ${go.wait}; echo bye; exit 9` })
      await child.says(".")
      wire.channel.drop()
      const other = await t.open()
      await Gate.shell(other)(go.open)
      await Gate.gone(other, Number(/pid (\d+)\./.exec(child.text())?.[1]))
      const again = Child.attach(await resumed(t, session), child.id)
      const result = await again.read({ afterSeq: 1_000_000, waitMs: t.timeoutMs })
      Check.has(result, { closed: true, exitCode: 9 }, "closed and exitCode")
    },
  },
})

const ends = { requires: ["session-end"] } as const

export const sessionEnd = table("session/end", ends, {
  "ends-session-and-processes": {
    transports: "sockets",
    requires: ["resume", "session-end"],
    says: `session/end kills the processes of the session, is answered with {}, and forgets the session:
      nobody can resume it.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "echo pid $$; exec sleep 300" })
      await child.says("\n")
      const [, pid = ""] = /pid (\d+)/.exec(child.text()) ?? []
      await wire.ok("session/end", {}, {})
      const other = await t.connect()
      const { error } = await other.begin("initialize", resumeParams(session))
      Check.equal(error?.code, -32600, "the code of a resume of a session that has ended")
      const looker = await Child.start(await t.open(), {
        // A killed process is there until the kernel has come to it, and the server has reaped it.
        script:
          `for try in $(seq 100); do kill -0 ${pid} 2>/dev/null || break; sleep 0.1; done; ` +
          `kill -0 ${pid} 2>/dev/null && echo there || echo none`,
      })
      await looker.says("\n")
      Check.equal(looker.text(), "none\n", "what is left of a process of the session")
    },
  },

  "is-the-last-request": {
    says: "Behind session/end a connection has no session, and can open none: its requests are refused with -32600.",
    play: async (wire) => {
      await wire.ok("session/end", {})
      await wire.refused("process/list", {}, -32600)
      await wire.refused("initialize", { clientName: "again" }, -32600)
    },
  },
})

export const sessionTime = table("session", {
  "detached-session-expires": {
    ...sockets,
    level: "should",
    spec: [154],
    slow: true,
    server: "owned",
    says: "A session that is not resumed for two minutes expires: its processes are killed, and its id is unknown.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script: "echo pid $$.; sleep 600; :" })
      await child.says(".")
      wire.channel.drop()
      await pause(120_000)
      await awaitDeath([Number(/pid (\d+)\./.exec(child.text())?.[1])], t.timeoutMs)
      const message = `unknown session id ${session}`
      await (await t.connect()).refused("initialize", resumeParams(session), -32600, message)
    },
  },
  "every-detach-restarts-the-time": {
    ...sockets,
    level: "peer",
    spec: [143],
    slow: true,
    says: "Two detachments of 45 seconds each can both be resumed.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      wire.channel.drop()
      await pause(45_000)
      const again = await resumed(t, session)
      again.channel.drop()
      await pause(45_000)
      await resumed(t, session)
    },
  },
  "closed-processes-are-forgotten": {
    transports: "any",
    level: "should",
    spec: [141],
    slow: true,
    says: `A closed process is readable for at least 20 seconds; after two minutes its id is unknown and
      free, and a new process counts from seq 1.`,
    play: async (wire) => {
      const child = await Child.run(wire, { id: "kept", script: "exit 3" })
      await pause(20_000)
      Check.equal((await child.read())["exitCode"], 3, "exitCode after 20 s")
      await pause(100_000)
      await wire.refused("process/read", { processId: "kept" }, -32600, "unknown process id kept")
      Check.equal(await child.write("x"), "unknownProcess", "the status of a write")
      Check.equal(await child.terminate(), false, "running")
      await Child.start(wire, { id: "kept" })
    },
  },
  "exited-but-open-is-kept": {
    transports: "any",
    level: "should",
    spec: [142],
    slow: true,
    says: "A process that has exited stays readable for 95 seconds while a descendant holds its output.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "(sleep 95; echo LATE) & exit 0" })
      await child.exited()
      await pause(91_000)
      Check.equal((await child.read())["closed"], false, "closed after 91 s")
      await child.ended()
      Check.equal(child.text(), "LATE\n", "the late output")
    },
  },
})
