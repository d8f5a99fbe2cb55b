/** The current wire: the method table as it is. It also serves clients of the versions of spring 2026, after v0. */
import * as ErrorText from "../ErrorText.ts"
import * as Features from "../../features/Wires.ts"
import { notificationText } from "../Message.ts"
import * as Methods from "../Methods.ts"
import { utf8, withinText } from "../Bytes.ts"
import type { MemoryPool } from "../MemoryPool.ts"
import { type Dialect, type Event, type Output, untranslated } from "./Dialect.ts"

/** The current wire. */
export const current: Dialect = {
  routes: Object.fromEntries(
    Object.entries(Methods.requests).map(([name, row]) => [
      name,
      untranslated(name as Methods.RequestName, row),
    ]),
  ),
  unknownMethod: (method) => ErrorText.refusal("unknownMethod", { method }),
  handshake: true,
  notification: (method, opened) => opened && Methods.isClientNotification(method) && method,
  endsOnStrayAnswer: true,
  endsOnMalformed: false,
  events: (processId, memory) => {
    const output = makeOutput(processId, memory)
    return (event: Event) => {
      switch (event.kind) {
        case "output":
          return output(event)
        case "exited": {
          const { seq, exitCode, sandboxDenied, limit, oomKilled, endedBy } = event
          const signal = endedBy === undefined ? undefined : event.signal
          const params = { processId, seq, exitCode, sandboxDenied, limit, oomKilled, endedBy, signal }
          return notificationText("process/exited", params)
        }
        case "closed": {
          const { kind: _, ...params } = event
          return notificationText("process/closed", { processId, ...params })
        }
        default:
          return notificationText(...Features.toNotification(processId, event))
      }
    }
  },
}

/**
 * Encodes the `process/output` notifications of one process as UTF-8 without joining strings, into memory of the pool
 * if there is one. A test holds the text equal to that of the schema.
 */
export const makeOutput = (processId: string, memory?: MemoryPool) => {
  const head = utf8.encode(
    `{"method":"process/output","params":{"processId":${JSON.stringify(processId)},"seq":`,
  )
  return ({ seq, stream, bytes }: Output): Uint8Array =>
    withinText(head, `${seq},"stream":"${stream}","chunk":"`, bytes, tail, memory)
}

const tail = utf8.encode('"}}')
