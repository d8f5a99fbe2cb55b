// @ts-check
// Two servers with the faults that gateways have had together: ../../../FIRST.md says what clients suffer from them.
import { all, event, fault, params } from "./changes.mjs"
import { exitedLast } from "./output.mjs"
import { writesAnew } from "./processes.mjs"
import { endsWithItsConnection } from "./sessions.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Fault } from "./relay.mjs" */

/** A terminal is promised, and pipes are given. @type {Fault} */
const withoutTerminals = () => {
  const terminals = new Set()
  return {
    ...params("process/start", (asked) => {
      if (asked.tty) terminals.add(asked.processId)
      return { ...asked, tty: false, ...(asked.tty && { pipeStdin: true }) }
    }),
    ...event("process/output", (told) =>
      terminals.has(told.processId) && told.stream === "stdout" ? { ...told, stream: "pty" } : told,
    ),
  }
}

const mostUnread = 4 * 1024 * 1024

/** @type {readonly WireFault[]} */
export const gateways = [
  fault`typescript-gateway: A gateway for agents: a terminal is promised and pipes are given, whose output is only
    called pty; a writeId is not looked at; death by a signal is the exit code 1; exited waits until every
    descendant has let go of the output; processes end with their connection, and no session is kept; the
    percent signs of a cwd are not decoded; environment/info does not exist.
    environment/info-equals-that-of-initialize process/exit-code/of-sigkill process/exit-code/of-sigterm
    process/output/exited-is-not-delayed process/output/tty-has-one-stream process/start/cwd-file-uri
    process/write/same-write-id-written-once session/detach-keeps-processes`.by(
    all(
      withoutTerminals,
      writesAnew,
      exitedLast,
      endsWithItsConnection,
      event("process/exited", (told) => ({
        ...told,
        exitCode: told.exitCode > 128 && told.exitCode < 193 ? 1 : told.exitCode,
      })),
      params("process/start", (asked) => ({ ...asked, cwd: asked.cwd.replaceAll("%", "%25") })),
      (c) => ({
        asked: (m) => {
          const { resumeSessionId: session } = m.params ?? {}
          if (m.method === "environment/info") return c.refuse(m, -32601, `unknown method ${m.method}`)
          return session == null ? undefined : c.refuse(m, -32600, `unknown session id ${session}`)
        },
      }),
    ),
  ),
  fault`frame-forwarder: A gateway that forwards frames: a message has at most 256 KiB, and is kept whole before it
    is sent on; messages are parsed and written anew, so that large ids are rounded and what is no JSON
    disappears; a client that says nothing for 4 MiB is taken for one that does not read, and what comes then is
    dropped instead of making the server wait; the end of a client is not passed on, so that its session stays
    attached; and the end of the server is told as a normal end.
    envelope/64-bit-ids-echoed envelope/malformed-text-answered-with-minus-one
    limits/fragmented-message-accepted limits/frame-just-under-16-mib limits/megabyte-message-accepted
    process/output/slow-client-stalls-the-process session/detach-keeps-processes websocket/no-close-frame`
    .with({ maxPayload: 256 * 1024 })
    .by(() => {
      let unread = 0
      const forward = (/** @type {object} */ m) => {
        unread += JSON.stringify(m).length
        return unread < mostUnread ? { ...m } : []
      }
      return {
        malformed: () => [],
        asked: (m) => ((unread = 0), { ...m }),
        answered: forward,
        told: forward,
        left: () => false,
        ended: () => 1000,
      }
    }),
]
