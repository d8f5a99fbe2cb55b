/**
 * Not cases: drops connections and resumes their sessions.
 */
import { Check, pause, type CaseContext, type JsonObject, type Wire } from "../Vocabulary.ts"

/** A new connection with the id of its session. */
export const begin = async (t: CaseContext): Promise<{ wire: Wire; session: string }> => {
  const wire = await t.connect()
  const result = await wire.handshake()
  return { wire, session: Check.text(result["sessionId"], "sessionId") }
}

export const resumeParams = (session: string, more: JsonObject = {}) => ({
  clientName: "again",
  resumeSessionId: session,
  ...more,
})

/** Resumes; tries again while the server has not noticed yet that the old connection has ended. */
export const resume = async (t: CaseContext, session: string, more?: JsonObject): Promise<Wire> => {
  const wire = await t.connect()
  for (const until = performance.now() + t.timeoutMs; performance.now() < until; await pause(20)) {
    const { error, result } = await wire.begin("initialize", resumeParams(session, more))
    if (error === undefined) {
      Check.equal(Check.object(result, "the result")["sessionId"], session, "sessionId of a resumed session")
      return wire
    }
    if (error.code !== -32010) return Check.fail(`the resume was refused: ${error.code} ${error.message}`)
  }
  return Check.fail("the session stayed attached to a connection that was dropped")
}

export const resumed = async (t: CaseContext, session: string, more?: JsonObject): Promise<Wire> => {
  const wire = await resume(t, session, more)
  wire.send({ method: "initialized" })
  return wire
}
