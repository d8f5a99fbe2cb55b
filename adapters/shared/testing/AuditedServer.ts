/** A server with an audit log, and the lines of that log, for tests. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { expect, onTestFinished, vi } from "vitest"
import { Event } from "../../../core/server/audit/AuditEvent.ts"
import * as Shape from "../../../core/protocol/shape/index.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command

/** A server of this runtime, once it has printed its address or has ended; the end of the test kills it. */
export const launch = async (...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...flags], { stdio: ["pipe", "pipe", "pipe"] })
  onTestFinished(() => void server.kill("SIGKILL"))
  let [stdout, stderr] = ["", ""]
  server.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = once(server, "close").then(([code]) => code as number | null)
  await Promise.race([ended, once(server.stdout, "data")])
  // Deno reports a child that it has signalled as dead of that signal, even if the child exited by itself.
  const signal = (name: NodeJS.Signals) => process.kill(server.pid ?? 0, name)
  return { server, ended, signal, url: stdout.trim(), stderr: () => stderr }
}

/** The lines of a log, each of which must be an event. */
export const parse = (text: string): ReadonlyArray<Event> =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const json: unknown = JSON.parse(line)
      const event = Result.getOrThrow(Shape.decode(Event, json, { plain: true }))
      expect(event).toEqual(json) // it has no other members
      return event
    })

/** The lines of the log in a file. */
export const read = (file: string) => parse(readFileSync(file, "utf8"))

/** Waits until the log has so many events of that name. */
export const has = (file: string, name: Event["event"], count = 1) =>
  vi.waitFor(() => expect(read(file).filter(({ event }) => event === name).length).toBe(count), 20_000)
