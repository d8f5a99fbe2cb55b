/**
 * Which capabilities a server lacks. The suite asks each target once, so that nobody has to list them.
 *
 * A family is missing if its method is unknown (-32601) and no capability in `environmentInfo` announces it. What is
 * announced and does not work fails its cases. A sandbox is missing if a restricted profile is refused; support for
 * earlier clients, if a write without writeId is refused; WebSocket authentication or a grace period, if the server
 * does not start with the flag; status pages, if /healthz is not found.
 */
import { createHash } from "node:crypto"
import * as CaseContext from "./CaseContext.ts"
import * as Case from "./Case.ts"
import { within } from "./Deadline.ts"
import { isObject, type Json } from "./Json.ts"
import type { Target } from "./Target.ts"
import * as HttpProbe from "./wire/HttpProbe.ts"
import { firstLine } from "./wire/ServerProcess.ts"
import type { Wire } from "./wire/Wire.ts"

/** Why a case cannot run on a server: the first capability that it requires and the server lacks. */
export const missing = async (
  item: Case.Case,
  target: Target,
  timeoutMs: number,
): Promise<string | undefined> => {
  const lacks = lacksOf(target, timeoutMs)
  for (const capability of item.requires) {
    const why = await lacks(capability)
    if (why !== undefined) return `the server is without ${capability}: ${why}`
  }
  return undefined
}

type Lacks = (capability: Case.Capability) => Promise<string | undefined>

interface Family {
  /** A method of the family. */
  readonly method?: string
  /** The member of `environmentInfo.capabilities` that announces it. */
  readonly flag?: string
}

const families: { readonly [capability in Case.Capability]?: Family } = {
  "capability-discovery": { method: "capabilityRoots/discoverV1", flag: "capabilityDiscoveryV2" },
  "environment-config": { method: "environmentConfig/read", flag: "environmentConfigRead" },
  filesystem: { method: "fs/readFile" },
  "filesystem-blocks": { method: "fs/open" },
  "filesystem-change": { flag: "fsChange" },
  "filesystem-walk": { method: "fs/walk" },
  "filesystem-watch": { method: "fs/watchMissing", flag: "fsWatchMissing" },
  "http-client": { method: "http/request" },
  "http-header-env": { flag: "httpHeaderEnvVars" },
  "network-proxy": { flag: "networkProxyLaunch" },
  "output-history": { flag: "outputHistory" },
  "process-answers": { flag: "processAnswers" },
  "process-attach": { flag: "processAttach" },
  "process-auto-remove": { flag: "processAutoRemove" },
  "process-changes": { flag: "processChanges" },
  "process-close-stdin": { flag: "processCloseStdin" },
  "process-credit": { flag: "processCredit" },
  "process-deadlines": { flag: "processDeadlines" },
  "process-list": { flag: "processList" },
  "process-marks": { flag: "processMarks" },
  "process-pid": { flag: "processPid" },
  "process-receipt": { flag: "processReceipt" },
  "process-restart": { flag: "processRestart" },
  "process-resize": { flag: "processResize" },
  "process-screen": { flag: "processScreen" },
  "process-signals": { flag: "processSignals" },
  "request-cancel": { flag: "requestCancel" },
  "process-wait": { flag: "processWait" },
  "process-wait-input": { flag: "processWaitInput" },
  "process-wait-port": { flag: "processWaitPort" },
  "session-end": { flag: "sessionEnd" },
  "session-replay": { flag: "sessionReplay" },
  "session-takeover": { flag: "sessionTakeover" },
}

/** Capabilities that the server is asked for on the wire. */
const asked: ReadonlySet<Case.Capability> = new Set([
  ...(Object.keys(families) as ReadonlyArray<Case.Capability>),
  "sandbox",
  "earlier-clients",
])

const known = new WeakMap<Target, Lacks>()

const lacksOf = (target: Target, timeoutMs: number): Lacks => {
  const lacks = known.get(target) ?? ask(target, timeoutMs)
  known.set(target, lacks)
  return lacks
}

const ask = (target: Target, timeoutMs: number): Lacks => {
  let wired: Promise<Lacks> | undefined
  const refused = new Map<Case.Capability, Promise<string | undefined>>()
  let mute: Promise<string | undefined> | undefined
  let boundless: Promise<string | undefined> | undefined
  return async (capability) => {
    const flags = startFlags[capability]
    if (flags !== undefined) {
      const found = refused.get(capability) ?? refusesFlags(target, flags, timeoutMs)
      refused.set(capability, found)
      return found
    }
    if (capability === "limit-flags") return (boundless ??= withoutLimits(target, timeoutMs))
    if (capability === "http-status")
      return (mute ??= withoutStatus(target, timeoutMs).catch(() => undefined))
    if (!asked.has(capability)) return undefined
    // A server that cannot be asked lacks nothing: its cases fail and say why.
    wired ??= askOnWire(target, timeoutMs).catch(() => () => Promise.resolve(undefined))
    return (await wired)(capability)
  }
}

const probe = Case.make("manifest", { level: "peer", spec: [], says: "", run: () => Promise.resolve() })

const askOnWire = async (target: Target, timeoutMs: number): Promise<Lacks> => {
  const running = CaseContext.make(probe, target, timeoutMs)
  try {
    const wire = await running.context.connect()
    const { environmentInfo } = await wire.handshake()
    const announced = isObject(environmentInfo) ? environmentInfo["capabilities"] : undefined
    const found = new Map<Case.Capability, string | undefined>()
    const asking = Case.capabilities.map(async (capability) => {
      const family = families[capability]
      if (family !== undefined) found.set(capability, await lacksFamily(wire, family, announced))
    })
    await Promise.all(asking)
    found.set("sandbox", await withoutSandbox(wire))
    found.set("earlier-clients", await withoutEarlierClients(wire))
    return (capability) => Promise.resolve(found.get(capability))
  } finally {
    running.finish()
  }
}

const lacksFamily = async (
  wire: Wire,
  { method, flag }: Family,
  announced: Json | undefined,
): Promise<string | undefined> => {
  if (flag !== undefined && isObject(announced) && announced[flag] === true) return undefined
  if (method === undefined) return `it does not announce ${flag}`
  const { error } = await wire.begin(method, {})
  return error?.code === -32601 ? `it has no ${method}` : undefined
}

/** A profile under which everything may be read and nothing written. */
export const readOnly = {
  permissions: {
    type: "managed",
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
    },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
}

const withoutSandbox = async (wire: Wire): Promise<string | undefined> => {
  const env = wire.childEnv
  const params = { processId: "manifest", argv: ["true"], cwd: "file:///tmp", env, tty: false }
  const { error } = await wire.begin("process/start", { ...params, sandbox: readOnly })
  return error === undefined ? undefined : `it refuses a restricted profile (${error.message})`
}

const withoutEarlierClients = async (wire: Wire): Promise<string | undefined> => {
  const { error } = await wire.begin("process/write", { processId: "nobody", chunk: "" })
  return error === undefined ? undefined : `it refuses a write without writeId (${error.message})`
}

const withoutStatus = async (target: Target, timeoutMs: number): Promise<string | undefined> => {
  if (target.kind !== "ws") return "only a WebSocket listener speaks HTTP"
  const running = CaseContext.make(probe, target, timeoutMs)
  try {
    const { url = "" } = await running.context.server()
    const { status } = await HttpProbe.probe(url, { path: "/healthz" }, timeoutMs)
    return status === 404 ? "it has no /healthz" : undefined
  } finally {
    running.finish()
  }
}

/** Only its effect shows whether a server on stdio has accepted a flag. */
const withoutLimits = async (target: Target, timeoutMs: number): Promise<string | undefined> => {
  if (!target.owned) return "only a server that the suite starts can be given its flags"
  const limited = Case.make("manifest", { ...probe, args: ["--max-json-depth", "8"], server: "fresh" })
  const running = CaseContext.make(limited, target, timeoutMs)
  try {
    const wire = await running.context.open()
    const { error } = await wire.exchange('{"id":1,"method":"environment/status","pad":[[[[[[[[[]]]]]]]]]}')
    return error === undefined ? "it ignores --max-json-depth 8" : undefined
  } catch {
    return "it does not start with --max-json-depth 8"
  } finally {
    running.finish()
  }
}

/** A server with the capability starts with these flags. */
const startFlags: { readonly [capability in Case.Capability]?: ReadonlyArray<string> } = {
  "grace-flag": ["--grace-ms", "1"],
  "process-list-all": ["--list-sessions", "all"],
  "session-scopes": ["--scope", "control"],
  "ws-auth": [
    "--ws-auth",
    "capability-token",
    "--ws-token-sha256",
    createHash("sha256").update("x").digest("hex"),
  ],
}

const refusesFlags = async (
  target: Target,
  flags: ReadonlyArray<string>,
  timeoutMs: number,
): Promise<string | undefined> => {
  if (!target.owned) return "only a server that the suite starts can be given its flags"
  const running = CaseContext.make(probe, target, timeoutMs)
  try {
    const server = running.context.launch(flags)
    await within(firstLine(server, timeoutMs), timeoutMs, "the URL of the server")
    return undefined
  } catch {
    return `it does not start with ${flags.slice(0, 2).join(" ")}`
  } finally {
    running.finish()
  }
}
