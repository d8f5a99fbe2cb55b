/**
 * The listener of a host of a fleet, which dials out. Its connections are made when a router asks for
 * them, and are served as those that are accepted.
 */
import { hostname } from "node:os"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as HostLink from "../../../core/fleet/HostLink.ts"
import * as Limits from "../../../core/protocol/Limits.ts"
import * as OsError from "../host/OsError.ts"
import type * as TextFile from "../host/TextFile.ts"
import type { Settings } from "../serve/Given.ts"
import { invalid, misconfigured, type ServeError } from "../serve/ServeError.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import * as FleetUrl from "./FleetUrl.ts"
import * as Secrets from "./Secrets.ts"
import * as fs from "node:fs"
import { join } from "node:path"
import * as Folders from "../host/Folders.ts"

export interface JoinListener {
  /** Serves until it is interrupted. */
  readonly run: (serve: HostLink.Serve) => Effect.Effect<void>
  /** Makes no more connections; open ones go on. */
  readonly stop: Effect.Effect<void>
}

/** The listener of a server that joins fleets; undefined where it joins none. */
export const make = (
  settings: Settings,
): Effect.Effect<JoinListener | undefined, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { options, label } = settings
    const urls = [options.join ?? []].flat()
    if (urls.length === 0) {
      const alone = (
        ["joinTokenFile", "joinCaFile", "hostId", "hostLabel", "capacity", "stateDir"] as const
      ).find((name) => options[name] !== undefined)
      return alone === undefined ? undefined : yield* misconfigured(`${label(alone)} needs ${label("join")}`)
    }
    for (const url of urls)
      if (!/^wss?:\/\/[^/]/.test(url) || !URL.canParse(url))
        return yield* invalid(
          `invalid value '${url}' for '${label("join")}': expected ws://HOST:PORT or wss://HOST:PORT`,
        )
    const token = yield* Secrets.read(options.joinTokenFile, label("joinTokenFile"))
    const ca = yield* Secrets.readText(options.joinCaFile, label("joinCaFile"))
    const own = FleetUrl.labelsOf([options.hostLabel ?? []].flat())
    if (own === undefined) return yield* invalid(`${label("hostLabel")}: expected K=V`)
    // Deno may not let this program ask for it.
    const hostId =
      options.hostId ??
      (yield* Effect.mapError(Effect.try(hostname), () =>
        misconfigured(`${label("hostId")} is needed: this program may not ask for the name of its machine`),
      ))
    const folder =
      options.stateDir ?? join(Folders.ofUser(process.env, "XDG_STATE_HOME", ".local/state"), "procwire")
    const nextEpoch = (above: number) => Effect.try(() => epochAbove(folder, hostId, above))
    // Before anything is said to anybody: a folder that cannot be written is an error of the start.
    const first = yield* Effect.mapError(nextEpoch(0), (error) =>
      misconfigured(
        `cannot keep the epoch of this host in ${folder}: ${OsError.fromUnknown(error.cause).message}`,
      ),
    )
    const access = {
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
      plain: true,
    }
    const limits = { ...Limits.defaults, ...options.limits }
    let used = false
    let stopped = false
    const link = {
      hostId,
      labels: { os: process.platform, arch: process.arch, host: hostId, ...own },
      capacity: options.capacity ?? Math.min(limits.sessions, limits.connections),
      nextEpoch: (above: number) => {
        if (used || above >= first) return Effect.orDie(nextEpoch(above))
        used = true
        return Effect.succeed(first)
      },
      doors: urls.map((url) => ({
        name: url,
        tunnel: LazyWebSockets.connect(FleetUrl.of(url, "host"), access),
        dial: (connection: string) =>
          LazyWebSockets.connect(FleetUrl.of(url, "dial", { connection }), access),
      })),
    }
    return {
      run: (serve) => HostLink.run(link, (transport) => (stopped ? Effect.void : serve(transport))),
      stop: Effect.sync(() => void (stopped = true)),
    }
  })

/**
 * The next epoch of a host: above `above`, and above the last one, which a file has. Throws if it cannot be kept: the
 * file is replaced before the epoch is used.
 */
const epochAbove = (folder: string, hostId: string, above: number): number => {
  Folders.make(folder, 0o700)
  const file = join(folder, `epoch-${encodeURIComponent(hostId)}`)
  const epoch = Math.max(above, last(file)) + 1
  Folders.replaceFile(file, `${epoch}\n`)
  return epoch
}

/** 0 where there is none, or no number. */
const last = (file: string): number => {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : ""
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
