// @ts-check
/**
 * Faults of a gateway for agents that speaks this wire itself, over `node:child_process`: a terminal is promised and
 * pipes are given, whose output is only called `pty`; a `writeId` is not looked at; death by a signal is the exit code
 * 1; `exited` waits until every descendant has let go of the output; processes end with their connection, and no
 * session is kept; the percent signs of a `cwd` are not decoded; `environment/info` does not exist.
 */
import { methodNotFound } from "../control/Refused.mjs"
import { serve } from "../control/Server.mjs"

/** The processes that asked for a terminal. */
const terminals = new Set()

/** @param {any} one a chunk, or the params of a notification */
const renamed = (one) => (one.stream === "stdout" ? { ...one, stream: "pty" } : one)

serve({
  received: (params) => {
    if (params?.tty === true) terminals.add(params.processId)
    return {
      ...params,
      ...(params?.tty === true ? { pipeStdin: true } : {}),
      ...(typeof params?.cwd === "string" ? { cwd: params.cwd.replaceAll("%", "%25") } : {}),
      ...(params?.chunk === undefined ? {} : { writeId: "any" }),
    }
  },
  send: ({ params, ...message }) => [
    params === undefined
      ? message
      : { ...message, params: terminals.has(params.processId) ? renamed(params) : params },
  ],
  repeated: () => false,
  exitCode: (code) => code ?? 1,
  exitPatience: 2 ** 31 - 1,
  detached: (session, end) => {
    session.all.delete(session.id)
    end(session)
  },
  schedule: (connection, run, { id, method }) => {
    if (method !== "environment/info") return run()
    return connection.send({
      id: JSON.stringify(id),
      error: { code: methodNotFound, message: `unknown method ${method}` },
    })
  },
})
