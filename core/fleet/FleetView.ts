/**
 * The state of the directory as a router has last seen it: hosts, and sessions that have not ended. It is for resumes
 * while the directory is away, and for people; decisions ask the directory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Change, DirectoryService, HostRecord, SessionRecord } from "../directory/Directory.ts"
import * as Pauses from "./Pauses.ts"

export class FleetView {
  readonly hosts = new Map<string, HostRecord>()
  readonly sessions = new Map<string, SessionRecord>()

  /** Something is as it was not before. */
  take(change: Change): void {
    if (change.kind === "host") {
      this.hosts.set(change.host.hostId, change.host)
      return
    }
    const { session } = change
    if (session.state === "ended") this.sessions.delete(session.sessionId)
    else this.sessions.set(session.sessionId, session)
  }

  /** Follows a directory until it is interrupted. */
  follow(directory: DirectoryService): Effect.Effect<never> {
    const pauses = Pauses.make()
    const watch = Stream.runForEach(directory.watch, (change) =>
      Effect.sync(() => {
        pauses.reset()
        this.take(change)
      }),
    )
    return Effect.catch(watch, (error) =>
      Effect.logWarning(`no changes of the directory: ${error.message}`),
    ).pipe(Effect.andThen(pauses.next), Effect.forever)
  }
}
