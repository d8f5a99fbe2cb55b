/**
 * The capabilities that a server lacks. The suite asks each target once, so that they need no list.
 *
 * A family is missing if its method is unknown (-32601) and no capability in `environmentInfo` announces it. A
 * capability that is announced and does not work fails its cases. A sandbox is missing if a restricted profile is
 * refused; support for earlier clients, if a write without writeId is refused; WebSocket authentication or a grace
 * period, if the server does not start with the flag; status pages, if /healthz is not found.
 */
import { createHash } from "node:crypto"
import { Capabilities } from "../../core/protocol/Environment.ts"
import * as CaseContext from "./CaseContext.ts"
import * as Case from "./Case.ts"
import * as Child from "./Child.ts"
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
  for (const capability of item.requires) {
    const why = await lacks(capability, target, timeoutMs)
    if (why !== undefined) return `the server is without ${capability}: ${why}`
  }
  return undefined
}

type Why = string | undefined

interface Family {
  readonly method?: string
  /** The member of `environmentInfo.capabilities` that announces it. */
  readonly flag?: string
}

/** The families that the wire announces, each by its name in kebab-case. */
const announcements = Object.keys(Capabilities.fields).map((flag): readonly [string, Family] => [
  flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  { flag },
])

const families: { readonly [capability in Case.Capability]?: Family } = {
  ...Object.fromEntries(announcements),
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
}

/** The first answer is kept for each target and key. */
const known = new WeakMap<Target, Map<string, Promise<unknown>>>()

const once = <A>(target: Target, key: string, ask: () => Promise<A>): Promise<A> => {
  const answers = known.get(target) ?? new Map<string, Promise<unknown>>()
  known.set(target, answers)
  const answer = (answers.get(key) as Promise<A> | undefined) ?? ask()
  answers.set(key, answer)
  return answer
}

/** Why a server lacks a capability; undefined if it has it, or cannot be asked: then its cases fail and say why. */
const lacks = async (capability: Case.Capability, target: Target, timeoutMs: number): Promise<Why> => {
  const flags = startFlags[capability]
  if (flags !== undefined) return once(target, capability, () => refusesFlags(target, flags, timeoutMs))
  if (capability === "limit-flags") return once(target, capability, () => withoutLimits(target, timeoutMs))
  if (capability === "http-status")
    return once(target, capability, () => withoutStatus(target, timeoutMs).catch(() => undefined))
  const asked = families[capability] !== undefined || Object.hasOwn(onWire, capability)
  if (!asked) return undefined
  const found = await once(target, "", () => askOnWire(target, timeoutMs).catch(() => new Map<string, Why>()))
  return found.get(capability)
}

const probe = Case.make("manifest", { says: "", run: () => Promise.resolve() })

/** Gives a case context to `use`, and ends it. */
const using = async <A>(
  target: Target,
  timeoutMs: number,
  use: (context: CaseContext.CaseContext) => Promise<A>,
  setting: CaseContext.Setting = probe,
): Promise<A> => {
  const running = CaseContext.make(setting, target, timeoutMs)
  try {
    return await use(running.context)
  } finally {
    running.finish()
  }
}

const askOnWire = (target: Target, timeoutMs: number): Promise<ReadonlyMap<string, Why>> =>
  using(target, timeoutMs, async (context) => {
    const wire = await context.connect()
    const { environmentInfo } = await wire.handshake()
    const announced = isObject(environmentInfo) ? environmentInfo["capabilities"] : undefined
    const answers = [
      ...Object.entries(families).map(
        async ([name, family]) => [name, await lacksFamily(wire, family, announced)] as const,
      ),
      ...Object.entries(onWire).map(async ([name, ask]) => [name, await ask(wire)] as const),
    ]
    return new Map(await Promise.all(answers))
  })

const lacksFamily = async (
  wire: Wire,
  { method, flag }: Family,
  announced: Json | undefined,
): Promise<Why> => {
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

/** Capabilities that one request shows. */
const onWire = {
  sandbox: async (wire: Wire): Promise<Why> => {
    const params = Child.params(wire, { id: "manifest", argv: ["true"], params: { sandbox: readOnly } })
    const { error } = await wire.begin("process/start", params)
    return error === undefined ? undefined : `it refuses a restricted profile (${error.message})`
  },
  "earlier-clients": async (wire: Wire): Promise<Why> => {
    const { error } = await wire.begin("process/write", { processId: "nobody", chunk: "" })
    return error === undefined ? undefined : `it refuses a write without writeId (${error.message})`
  },
}

const withoutStatus = async (target: Target, timeoutMs: number): Promise<Why> => {
  if (target.kind !== "ws") return "only a WebSocket listener speaks HTTP"
  return using(target, timeoutMs, async (context) => {
    const { url = "" } = await context.server()
    const { status } = await HttpProbe.probe(url, { path: "/healthz" }, timeoutMs)
    return status === 404 ? "it has no /healthz" : undefined
  })
}

const notOwned = "only a server that the suite starts can be given its flags"

/** Only its effect shows whether a server on stdio has accepted a flag. */
const withoutLimits = async (target: Target, timeoutMs: number): Promise<Why> => {
  if (!target.owned) return notOwned
  const limited = Case.make("manifest", { ...probe, args: ["--max-json-depth", "8"], server: "fresh" })
  const tooDeep = '{"id":1,"method":"environment/status","pad":[[[[[[[[[]]]]]]]]]}'
  const ask = async (context: CaseContext.CaseContext) => {
    const { error } = await (await context.open()).exchange(tooDeep)
    return error === undefined ? "it ignores --max-json-depth 8" : undefined
  }
  return using(target, timeoutMs, ask, limited).catch(() => "it does not start with --max-json-depth 8")
}

/** A server with the capability starts with these flags. */
const startFlags: { readonly [capability in Case.Capability]?: ReadonlyArray<string> } = {
  "egress-flags": ["--confine", "no-network", "--egress", "ask"],
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
): Promise<Why> => {
  if (!target.owned) return notOwned
  const ask = async (context: CaseContext.CaseContext) => {
    const server = context.launch(flags)
    await within(firstLine(server, timeoutMs), timeoutMs, "the URL of the server")
    return undefined
  }
  return using(target, timeoutMs, ask).catch(() => `it does not start with ${flags.slice(0, 2).join(" ")}`)
}
