/**
 * Watches a file or folder by looking at it again and again, because the wire tells no changes.
 *
 * What appears and vanishes between two looks is missed; so is a change that keeps the size within the same
 * millisecond.
 */
import * as PlatformFileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RemoteFiles } from "../../../core/client/RemoteFiles.ts"
import type { Metadata } from "../../../core/protocol/FileSystem.ts"
import { at, isMissing } from "./Failure.ts"

/** What a look sees: for each path how it was then. */
type Seen = ReadonlyMap<string, string>

/** Lists the paths below a folder. */
export type List = (path: string, recursive: boolean) => Effect.Effect<ReadonlyArray<string>, PlatformError>

/** How many paths are looked at together. */
const concurrency = 16

/** The changes after the first look, which fails if there is nothing at the path. */
export const watch = (
  fs: RemoteFiles,
  list: List,
  path: string,
  recursive: boolean,
  interval: Duration.DurationInput,
): Stream.Stream<PlatformFileSystem.WatchEvent, PlatformError> => {
  const stat = (path: string) =>
    at({ module: "FileSystem", method: "watch", pathOrDescriptor: path })(fs.stat(path))
  const lookAt = (path: string) =>
    Effect.map(stat(path), (found): readonly [string, string] => [path, stampOf(found)])

  const look: Effect.Effect<Seen, PlatformError> = Effect.gen(function* () {
    const found = yield* stat(path)
    if (!found.isDirectory) return new Map([[path, stampOf(found)]])
    const paths = yield* list(path, recursive)
    const each = (path: string) => orMissing(Effect.map(lookAt(path), Option.some), Option.none())
    const all = yield* Effect.forEach(paths, each, { concurrency })
    return new Map(all.filter(Option.isSome).map(({ value }) => value))
  })

  const again = Effect.zipRight(Effect.sleep(interval), orMissing(look, new Map()))
  return Stream.unwrap(
    Effect.map(look, (first) =>
      Stream.unfoldChunkEffect(first, (before: Seen) =>
        Effect.map(again, (now) => Option.some([Chunk.fromIterable(changes(before, now)), now] as const)),
      ),
    ),
  )
}

const orMissing = <A, B>(effect: Effect.Effect<A, PlatformError>, missing: B) =>
  Effect.catchIf(effect, isMissing, () => Effect.succeed<A | B>(missing))

/** A folder changes with every entry in it, which have events of their own. */
const stampOf = ({ isDirectory, isFile, size, modifiedAtMs }: Metadata): string =>
  isDirectory ? "directory" : `${isFile ? "file" : "other"} ${size} ${modifiedAtMs}`

const changes = (before: Seen, now: Seen): ReadonlyArray<PlatformFileSystem.WatchEvent> => {
  const events: Array<PlatformFileSystem.WatchEvent> = []
  for (const path of before.keys()) {
    if (!now.has(path)) events.push(PlatformFileSystem.WatchEventRemove({ path }))
  }
  for (const [path, stamp] of now) {
    const earlier = before.get(path)
    if (earlier === undefined) events.push(PlatformFileSystem.WatchEventCreate({ path }))
    else if (earlier !== stamp) events.push(PlatformFileSystem.WatchEventUpdate({ path }))
  }
  return events
}
