/**
 * The options of a server as programs have them: their types, and which values they may have. Those of the table derive
 * from it; a few more are for programs only.
 */
import * as Layer from "effect/Layer"
import type * as Limits from "../../../core/protocol/Limits.ts"
import type { AuditLog } from "../../../core/server/audit/AuditLog.ts"
import type { Listener } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import type { AuthFileOptions, GeneralOptions, TlsFileOptions } from "./generated/OptionTypes.ts"
import type * as Logging from "./Logging.ts"
import * as OptionRow from "./Option.ts"
import type { Option } from "./Option.ts"
import { auth, behaviour, joining, keeping, limits, listening, logs, tls, web } from "./OptionTable.ts"
import type { SecretSources } from "./SecretSources.ts"
import * as SpawnerLayer from "./SpawnerLayer.ts"

/** The certificate of a server, and its rules of admission: files, or their content. */
export interface TlsOptions extends TlsFileOptions {
  /** The certificate, or a chain that begins with it, as PEM; instead of `certFile`. */
  readonly cert?: string | undefined
  /** The private key as PEM; instead of `keyFile`. */
  readonly key?: string | undefined
  /** The authority of clients as PEM; instead of `clientCaFile`. */
  readonly clientCa?: string | undefined
}

/** The admission of clients over WebSocket. */
export interface AuthOptions extends AuthFileOptions {
  /** The token of `capability-token`; instead of `tokenFile`. */
  readonly token?: string | undefined
  /** The secret of `signed-bearer-token`; instead of `sharedSecretFile`. */
  readonly sharedSecret?: string | undefined
}

/** The behaviour of a server; an absent option has its default. */
export interface Options extends Omit<GeneralOptions, "spawner" | "secrets"> {
  /** TLS for the `ws://` and `tcp://` addresses. */
  readonly tls?: TlsOptions | undefined
  /** A token for WebSocket clients, those of `handleUpgrade` included. */
  readonly auth?: AuthOptions | undefined
  /** The bounds, by the names of `Limits`. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /**
   * The spawner: a layer over the spawner of the runtime, a plain object, or names as those of `--spawner`.
   * The default is the spawner of the runtime, with bubblewrap if it is there.
   */
  readonly spawner?: SpawnerLayer.SpawnerChoice | undefined
  /**
   * Secrets that every process has as variables, by their names, and no output, list or log has; or the path of a JSON
   * file with them. Each is read once, at the start. With `hosts` processes have a placeholder, and these hosts alone
   * have the value, which needs `egress`. Default: none.
   */
  readonly secrets?: string | SecretSources | undefined
  /** Further listeners, beside those of `listen`. */
  readonly listeners?: ReadonlyArray<Layer.Layer<Listener, TransportError>> | undefined
  /** Takes the logs, which then do not go to stderr. */
  readonly onLog?: ((entry: Logging.LogEntry) => void) | undefined
  /** Takes the audit log; instead of `audit`. */
  readonly auditLog?: AuditLog | undefined
  /** A file with further options, as that of `--config`; those that are given here win. */
  readonly config?: string | undefined
}

const secret = { ...OptionRow.someText, isSecret: true }

/** Options of programs alone: a text cannot express them, or must not be on a command line. */
const programOnly: Readonly<Record<string, OptionRow.Rule>> = {
  "tls.cert": secret,
  "tls.key": secret,
  "tls.clientCa": secret,
  "auth.token": secret,
  "auth.sharedSecret": secret,
  spawner: {
    accepts: (value) => SpawnerLayer.isSpawner(value) || SpawnerLayer.isNames(value),
    expected: "a layer of Spawner of effect@^4.1, a plain spawner, or names of spawners",
  },
  listeners: {
    accepts: (value) => Array.isArray(value) && value.every(Layer.isLayer),
    expected: "a list of layers of Listener of effect@^4.1",
  },
  onLog: { accepts: (value) => typeof value === "function", expected: "a function" },
  auditLog: { accepts: (value) => typeof value === "object" && value !== null, expected: "an AuditLog" },
  config: OptionRow.someText,
  secrets: {
    accepts: (value) =>
      typeof value === "string" ? value !== "" : typeof value === "object" && value !== null,
    expected: "a path, or an object of secrets by name",
    isSecret: true,
  },
}

/** The place of an option in a program: `listen`, `tls.certFile`, `limits.processes`. */
export type Path = string

/** An option, and where a program has it. */
export interface Entry {
  readonly path: Path
  readonly option: Option
}

const entriesOf = (group: string, rows: Readonly<Record<string, Option>>): ReadonlyArray<Entry> =>
  Object.entries(rows).map(([name, option]) => ({ path: `${group}${name}`, option }))

/** The form of logs. */
export const logging: ReadonlyArray<Entry> = entriesOf("", logs)

/** Every option that is no limit, in the order of the help. */
export const general: ReadonlyArray<Entry> = [
  ...entriesOf("", listening),
  ...entriesOf("tls.", tls),
  ...entriesOf("auth.", auth),
  ...entriesOf("", web),
  ...entriesOf("", joining),
  ...entriesOf("", keeping),
  ...entriesOf("", behaviour),
  ...logging,
]

/** Every limit. */
export const bounds: ReadonlyArray<Entry> = entriesOf("limits.", limits)

/** Every option. */
export const all: ReadonlyArray<Entry> = [...general, ...bounds]

/** The variable of an option: `PROCWIRE_MAX_PROCESSES` is that of `--max-processes`. */
export const variableOf = ({ flag }: Option): string => `PROCWIRE_${flag.toUpperCase().replaceAll("-", "_")}`

const rules: Readonly<Record<Path, OptionRow.Rule>> = {
  ...Object.fromEntries(all.map(({ path, option }) => [path, OptionRow.ruleOf(option)])),
  ...programOnly,
}

/** The possible values of an option. */
export const ruleOf = (path: Path): OptionRow.Rule => rules[path] ?? OptionRow.someText

/** The names of a program's options: those of each group, and with the empty name those that are in none. */
export const names: Readonly<Record<string, Readonly<Record<string, true>>>> = Object.fromEntries(
  ["", "tls", "auth", "limits"].map((group) => {
    const paths = Object.keys(rules).map((path) => path.split("."))
    const inGroup = paths.flatMap(([first = "", second]) =>
      group === "" ? [first] : first === group && second !== undefined ? [second] : [],
    )
    return [group, Object.fromEntries(inGroup.map((name) => [name, true as const]))]
  }),
)
