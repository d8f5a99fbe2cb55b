/**
 * Our server as a target of the wire suite, and the broken ones: ours behind relays, most of which share one server.
 */
import { existsSync } from "node:fs"
import { all as cases } from "../suite/cases/all.ts"
import * as Manifest from "../suite/Manifest.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Runner from "../suite/Runner.ts"
import * as Target from "../suite/Target.ts"
import * as Own from "./Own.ts"

/** A row of `../lab/faults/wire`, whose types say more. */
export interface Fault {
  readonly name: string
  readonly says: string
  readonly relay: object
  readonly cases: ReadonlyArray<string>
  readonly over?: "stdio"
  readonly args?: (args: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly everywhere?: true
  readonly kernel?: true
}

interface Scripts {
  readonly faults: ReadonlyArray<Fault>
  readonly listen: (
    url: string,
    fault: Pick<Fault, "relay">,
  ) => Promise<{ readonly url: string; readonly close: () => void }>
}

const load = (file: string): Promise<Scripts> =>
  import(new URL(`../lab/faults/wire/${file}`, import.meta.url).href)

/** Every broken server. */
export const { faults } = await load("all.mjs")
const { listen } = await load("relay.mjs")

/** No fault. */
export const right: Fault = { name: "right", says: "", relay: {}, cases: [] }

/**
 * Cases that must fail may fail by waiting in vain, so they wait for less than those that must pass; and once more for
 * longer, because a busy machine is silent, too.
 */
const [shortMs, silentMs, longMs] = [2_500, 10_000, 60_000]

/** The server that relays share. */
const shared = Own.target("ws")

/** A target that goes on after a run. */
interface BrokenTarget extends Target.Target {
  readonly end: () => void
}

/** A broken server. Over stdio each connection starts one, otherwise the relay is in this process. */
export const broken = (fault: Fault): BrokenTarget => {
  if (fault.over === "stdio") return { ...Target.command("stdio", Own.broken(fault.name)), end: () => {} }
  const { args = (given: ReadonlyArray<string>) => given } = fault
  const near = Target.command("ws", Own.broken(fault.name))
  const oursFor = (given: ReadonlyArray<string>) =>
    fault.args === undefined ? shared : Own.target("ws", ...args(given))
  const closing: Array<() => void> = []
  const behind = async (server: Target.Server, needs: Target.Needs): Promise<Target.Server> => {
    const { url, close } = await listen(server.url ?? "", fault)
    closing.push(close)
    return { ...server, ...(await Target.url(url).shared(needs)), stop: () => (close(), server.stop()) }
  }
  // However little a case waits for: a server that starts slowly shows no fault.
  const patient = (needs: Target.Needs) => ({ ...needs, timeoutMs: longMs })
  const alone = (needs: Target.Needs) => ({ ...patient(needs), args: [] })
  /** The servers that cases share, by the arguments that they want. */
  const relays = new Map<string, Promise<Target.Server>>()
  const share = (needs: Target.Needs): Promise<Target.Server> => {
    const ours = oursFor(needs.args)
    if (ours !== shared) closing.push(ours.close)
    const wanted = ours === shared ? patient(needs) : alone(needs)
    return ours.shared(wanted).then((server) => behind(server, wanted))
  }
  return {
    ...near,
    shared: (needs) => {
      const key = needs.args.join("\0")
      const relay = relays.get(key) ?? share(needs)
      relays.set(key, relay)
      return relay
    },
    fresh: async (needs) =>
      behind(await Own.target("ws", ...args(needs.args)).fresh(alone(needs)), alone(needs)),
    close: () => {},
    end: () => {
      for (const close of closing) close()
    },
  }
}

/** Ends the server that relays share. */
export const close = (): void => shared.close()

/** True if the kernel has the facts that the cases of some faults need. */
export const kernelTells = existsSync("/proc/self/syscall")

/** Short cases of several families: a server whose fault lies elsewhere passes them. */
const unrelated = {
  now: [
    "handshake/second-initialize-refused",
    "envelope/string-id-echoed",
    "process/output/streams-and-exit-code",
    "process/read/unknown-process-refused",
    "process/read/max-bytes-keeps-chunks-whole",
    "process/write/reaches-the-input",
    "process/exit-code/the-largest",
  ],
  v0: [
    "v0/initialize/initialized-not-needed",
    "v0/exec/input-is-empty",
    "v0/exec/unknown-fields-ignored",
    "v0/output/bytes-are-exact",
    "v0/terminate/unknown-is-not-running",
  ],
}

const run = async (
  on: Target.Target,
  ids: ReadonlyArray<string>,
  timeoutMs: number,
): Promise<ReadonlyArray<Outcome>> => {
  const chosen = cases.filter(({ id }) => ids.includes(id))
  // The capabilities of a server are found out once: on a busy machine it needs longer to start than a case may last.
  for (const item of chosen) await Manifest.missing(item, on, longMs)
  const options = { parallel: 3, timeoutMs, slow: false, without: new Set<never>() }
  return Runner.run({ cases: chosen, targets: [on], ...options })
}

/** Why cases have not passed. */
export const whyNot = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  outcomes.flatMap((one) => (one.status === "pass" ? [] : [`${one.case.id}: ${one.status}, ${one.reason}`]))

/** The right server behind a relay plays these cases: why one of them has not passed. */
export const passes = async (fault: Fault, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const on = broken(fault)
  try {
    return whyNot(await run(on, ids, longMs))
  } finally {
    on.end()
  }
}

/**
 * Plays a broken server: what of its cases has not failed, and what of three others has not passed, from another
 * one on for each name.
 */
export const plays = async (fault: Fault): Promise<ReadonlyArray<string>> => {
  const { cases: ids, everywhere = false } = fault
  const on = broken(fault)
  const others = unrelated[fault.name.startsWith("v0-") ? "v0" : "now"].filter((id) => !ids.includes(id))
  // By its name, so that another fault beside it changes nothing.
  const from = [...fault.name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)
  const sure = everywhere ? [] : [0, 1, 2].map((at) => others[(from + at) % others.length] ?? "")
  try {
    const wrong = whyNot(await run(on, sure, longMs))
    const first = await run(on, ids, shortMs)
    const silent = first.filter((one) => one.silent === true).map((one) => one.case.id)
    const again = await run(on, silent, fault.over === "stdio" ? 3 * silentMs : silentMs)
    const outcomes = [...first.filter((one) => one.silent !== true), ...again]
    const unseen = outcomes.filter(({ status }) => status !== "fail").map((one) => one.case.id)
    const missing = ids.filter((id) => outcomes.every((one) => one.case.id !== id))
    return [
      ...wrong,
      ...unseen.map((id) => `${id} has not noticed`),
      ...missing.map((id) => `${id} is no case`),
    ]
  } finally {
    on.end()
  }
}
