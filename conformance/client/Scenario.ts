/**
 * A case for a client: what the server that it talks to does, and what must come of it. They are JSON files
 * (`cases/*.json`), so that a client in any language can be tested, also without this code.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Dialect } from "../suite/Dialect.ts"
import type { JsonObject } from "../suite/Json.ts"
import type { Level } from "../suite/Case.ts"
import type { Carriers } from "../suite/wire/TransportKind.ts"

/** One thing that happens to the process of a case. Its seq is its place in the list, from 1. */
export type LogEvent =
  | { readonly stdout: string }
  | { readonly stderr: string }
  /** Bytes as base64, for output that is no text. */
  | { readonly stdoutBase64: string }
  | { readonly exited: number }
  | { readonly closed: true }

/** The steps of the server. They are done in order; everything else that a client asks is answered as usual. */
export type Step =
  /** Waits until the client has sent this request or notification once more. */
  | { readonly await: string }
  /** Gives the client so many milliseconds for what it must not do. */
  | { readonly pauseMs: number }
  /** Waits until so much has been written to the standard input. */
  | { readonly awaitInput: string }
  /** Sends the events with these seqs, in this order. They have happened from now on. */
  | { readonly push: ReadonlyArray<number> }
  /** All events up to this seq have happened, and are in what is read; nothing is sent. */
  | { readonly happen: number }
  /** Requests of this method are not answered until they are released. */
  | { readonly hold: string }
  | { readonly release: string }
  /** The next request of this method is carried out, and the connection ends in place of its answer. */
  | { readonly loseAnswer: string }
  /** The next request of this method is refused. */
  | { readonly refuse: string; readonly code: number; readonly message: string }
  /** Any message to the client. */
  | { readonly send: JsonObject }
  /** The connection ends without a word; the session is kept. */
  | { readonly cut: true }
  /** The session is forgotten with its process. */
  | { readonly forget: true }

export interface Wanted {
  readonly stdout?: string
  readonly stdoutBase64?: string
  readonly stderr?: string
  /** A part of what is on the standard error. */
  readonly stderrHas?: string
  readonly exitCode?: number
  /** The client must end with another exit code than 0. */
  readonly fails?: true
  /** The text that was written to the standard input of the process. */
  readonly input?: string
  /** The number of starts of the process: 1 by default. */
  readonly starts?: number
  /** The most messages of each of these methods that the client may send. */
  readonly atMost?: Readonly<Record<string, number>>
}

export interface Scenario {
  readonly id: string
  readonly says: string
  readonly level: Level
  readonly dialect: Dialect
  readonly transports: Carriers
  /** Abilities that a client may lack: `reconnect`, `input`. */
  readonly requires: ReadonlyArray<string>
  /** The command that the client is asked to run. */
  readonly argv: ReadonlyArray<string>
  /** The standard input of the client. */
  readonly stdin: string
  /** Capabilities that the server announces. */
  readonly capabilities: ReadonlyArray<string>
  /** Members of no version of the wire are added to everything that the server says. */
  readonly unknownMembers: boolean
  readonly log: ReadonlyArray<LogEvent>
  readonly steps: ReadonlyArray<Step>
  readonly wants: Wanted
}

const usual = {
  level: "must",
  dialect: "current",
  transports: "any",
  requires: [],
  argv: ["work"],
  stdin: "",
  capabilities: [],
  unknownMembers: false,
} as const

/** From the sources and the compiled modules, and from the library. */
const places = [
  "./cases/",
  "../../../conformance/client/cases/",
  "./client/cases/",
  "../conformance/client/cases/",
]

/** Every case, from the files, in the order of their names. */
export const load = (): ReadonlyArray<Scenario> => {
  const folder = places
    .map((place) => new URL(place, import.meta.url))
    .find((url) => existsSync(new URL("output.json", url)))
  if (folder === undefined) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as ReadonlyArray<Scenario>)
    .map((scenario) => ({ ...usual, ...scenario }))
}
