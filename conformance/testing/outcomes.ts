/**
 * Outcomes of cases that were never played, for tests of what comes after a run.
 */
import { make } from "../suite/Case.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type { TransportKind } from "../suite/wire/TransportKind.ts"

const run = async (): Promise<void> => undefined

export const cases = [
  make("a/must", { level: "must", spec: [1, 2], says: "What must be, must be said.", run }),
  make("a/should", { level: "should", spec: [], says: "What should be, should be said.", run }),
  make("a/peer", { level: "peer", spec: [], says: "What happens to be, may be said.", run }),
  make("a/ws-only", { level: "must", spec: [], transports: "ws", says: "Frames are framed.", run }),
]

export const outcome = (
  id: string,
  status: Outcome["status"],
  transport: TransportKind = "stdio",
  reason = status === "pass" ? "" : "it was otherwise",
): Outcome => {
  const item = cases.find((one) => one.id === id)
  if (item === undefined) throw new Error(`no case ${id}`)
  const transcript = [
    { at: 1, connection: 1, direction: "sent", text: '{"id":1,"method":"x"}' },
    { at: 2, connection: 1, direction: "came", text: "<none>" },
  ] as const
  return {
    case: item,
    transport,
    words: ["--command", "my server"],
    status,
    reason,
    ms: 12,
    notes: [],
    transcript: status === "fail" ? transcript : [],
    stderr: "",
  }
}
