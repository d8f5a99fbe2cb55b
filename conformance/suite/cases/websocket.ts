/**
 * The WebSocket listener: frames, pings and the end of a connection.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import { within } from "../Deadline.ts"
import { idText } from "../Json.ts"
import { probe } from "../wire/HttpProbe.ts"
import { awaitExit, firstLine } from "../wire/ServerProcess.ts"

const ws = { transports: "ws" } as const

export const websocket = table("websocket", {
  "bound-url-on-stdout": {
    ...ws,
    level: "must",
    spec: [51],
    server: "fresh",
    says:
      "A server started on port 0 prints exactly one line on its standard output, ws://127.0.0.1:PORT, and " +
      "nothing else.",
    run: async (t) => {
      const server = t.launch([])
      let seen = ""
      server.child.stdout.on("data", (bytes: Buffer) => (seen += bytes.toString("utf8")))
      const line = await firstLine(server, t.timeoutMs)
      Check.isTrue(/^ws:\/\/127\.0\.0\.1:[1-9]\d*$/.test(line), `the first line is ${JSON.stringify(line)}`)
      await probe(line, { path: "/readyz" }, t.timeoutMs)
      server.signal("SIGTERM")
      await awaitExit(server, t.timeoutMs)
      Check.equal(seen, `${line}\n`, "the standard output")
    },
  },
  "answers-in-text-frames": {
    ...ws,
    level: "must",
    spec: [46],
    says: "A request in a binary frame is answered in a text frame.",
    play: async (wire, t) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendBytes(Buffer.from('{"id":31,"method":"environment/status"}'))
      const answer = await wire.inbox.wait("the answer", t.timeoutMs, ({ messages }) => messages[from])
      Check.equal(idText(answer.text), "31", "the id of the answer")
      Check.equal(answer.binary, false, "the answer is a binary frame")
    },
  },
  "blank-frame-refused": {
    ...ws,
    level: "must",
    spec: [30],
    says: "An empty text frame is answered with id -1 and -32600.",
    run: async (t) => {
      const { error, message } = await (await t.open()).exchange("")
      Check.equal(idText(message.text), "-1", "the id of the answer")
      Check.equal(error?.code, -32600, "the code of the answer")
    },
  },
  "two-values-in-a-frame-refused": {
    ...ws,
    level: "must",
    spec: [47],
    says: "Two requests in one frame, with a newline between them, are malformed: one answer with id -1 and -32600.",
    play: async (wire) => {
      const one = '{"id":1,"method":"environment/status"}'
      const { error, message } = await wire.exchange(`${one}\n${one}`)
      Check.equal(idText(message.text), "-1", "the id of the answer")
      Check.equal(error?.code, -32600, "the code of the answer")
      const from = wire.inbox.messages.length
      await wire.barrier()
      Check.equal(wire.inbox.messages.length - from, 1, "messages after the error and one request")
    },
  },
  "ping-answered": {
    ...ws,
    level: "must",
    spec: [48],
    says: 'A ping with the payload "hey" is answered with a pong of the same payload, also before the handshake.',
    run: async (t) => {
      const wire = await t.connect()
      wire.channel.ping("hey")
      const pong = await wire.inbox.wait("the pong", t.timeoutMs, ({ controls }) =>
        controls.find(({ kind }) => kind === "pong"),
      )
      Check.equal(pong.payload, "hey", "the payload of the pong")
    },
  },
  "server-pings": {
    ...ws,
    level: "should",
    spec: [49],
    slow: true,
    says: "On an idle connection the server sends a ping at least once in 60 seconds.",
    play: async (wire) => {
      const ping = await wire.inbox.wait("a ping", 60_000, ({ controls }) =>
        controls.find(({ kind }) => kind === "ping"),
      )
      Check.equal(ping.payload, "", "the payload of the ping")
    },
  },
  "no-close-frame": {
    ...ws,
    level: "peer",
    spec: [50],
    says: "After a violation the server ends the TCP connection without a close frame: the client sees code 1006.",
    play: async (wire, t) => {
      wire.sendText('{"method":"bogus"}')
      const how = await wire.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
      Check.contains(how, "1006", "the end of the connection")
    },
  },
  // guards: idle-handshakes
  "connections-are-independent": {
    ...ws,
    level: "must",
    spec: [],
    says: "While one connection waits in a long poll, another one is answered.",
    run: async (t) => {
      const [one, other] = [await t.open(), await t.open()]
      const params = {
        processId: "quiet",
        argv: ["/bin/sh", "-c", "sleep 30"],
        cwd: "file:///tmp",
        tty: false,
      }
      await one.ok("process/start", { ...params, env: one.childEnv })
      const poll = one.begin("process/read", { processId: "quiet", waitMs: t.timeoutMs * 2 })
      await other.barrier()
      await Promise.all(Array.from({ length: 20 }, () => other.barrier()))
      const first = await within(
        Promise.race([poll.then(() => "poll"), other.barrier()]),
        t.timeoutMs,
        "an answer",
      )
      Check.isTrue(first === undefined, "the long poll came back")
    },
  },
})
