/** The registration of hosts at a router, which passes their words on to the directory. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DirectoryService } from "../directory/Directory.ts"
import type { DirectoryError } from "../directory/DirectoryError.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Message from "../protocol/Message.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Messages from "./FleetMessages.ts"
import type { Tunnel, Tunnels } from "./Tunnels.ts"

const readAnnounce = Messages.reader(Messages.Announce)
const readSession = Messages.reader(Messages.SessionKey)
const readEnd = Messages.reader(Messages.End)

const refusal = (code: number, message: string) => new ErrorCode.RpcError({ code, message })

/** Serves the tunnel of a host until it ends; `address` is where other routers find this one. */
export const serve = (
  transport: Transport,
  directory: DirectoryService,
  tunnels: Tunnels,
  address: string,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    let host: { readonly hostId: string; readonly tunnel: Tunnel } | undefined

    /** The row of the directory for a host whose words are late. */
    const fenced = (error: DirectoryError, hostId: string, epoch: number) =>
      error.reason !== "Fenced"
        ? Effect.fail(error)
        : Effect.map(directory.list({ hostId, limit: 1 }), ({ hosts: [known] }) => {
            if (host !== undefined) tunnels.remove(hostId, host.tunnel)
            return { fenced: error.message, epoch: known?.epoch ?? epoch, state: known?.state ?? "gone" }
          })

    const announce = (said: Messages.Announce) => {
      const { hostId, epoch } = said
      if (host !== undefined) tunnels.remove(host.hostId, host.tunnel)
      const dial = (words: Messages.Dial) =>
        void connection.write(Message.notificationText("fleet/dial", words))
      host = { hostId, tunnel: { epoch, dial, lost: Deferred.await(lost) } }
      // Also while the directory is away: sessions of this host can be resumed.
      tunnels.add(hostId, host.tunnel)
      return Effect.catch(directory.announce({ ...said, address }), (error) => fenced(error, hostId, epoch))
    }

    const beat = Effect.suspend((): Effect.Effect<unknown, DirectoryError> => {
      if (host === undefined) return Effect.succeed({ unknown: true })
      const { hostId, tunnel } = host
      const renewed: Effect.Effect<unknown, DirectoryError> = directory.renew({ hostId, epoch: tunnel.epoch })
      return Effect.catch(renewed, (error): Effect.Effect<unknown, DirectoryError> =>
        error.reason === "NoHostKnown"
          ? Effect.succeed({ unknown: true })
          : fenced(error, hostId, tunnel.epoch),
      )
    })

    const answer = answering(directory, { announce, beat })
    const connection = yield* Connection.make(
      transport,
      {
        request: (request) =>
          Effect.map(answer(request), (result) => JSON.stringify(result)).pipe(
            Effect.mapError((error) =>
              error._tag === "DirectoryError" ? refusal(ErrorCode.internalError, error.message) : error,
            ),
          ),
        slotted: () => true,
        notification: () => true,
      },
      { concurrentRequests: 16 },
    )
    yield* Effect.ensuring(
      connection.run,
      Effect.suspend(() => {
        if (host !== undefined) tunnels.remove(host.hostId, host.tunnel)
        return Deferred.succeed(lost, undefined)
      }),
    )
  })

interface Answers {
  readonly announce: (said: Messages.Announce) => Effect.Effect<unknown, DirectoryError>
  readonly beat: Effect.Effect<unknown, DirectoryError>
}

/** The answer to each request of a host. */
const answering =
  (directory: DirectoryService, { announce, beat }: Answers) =>
  ({ method, params }: Message.Request): Effect.Effect<unknown, DirectoryError | ErrorCode.RpcError> => {
    switch (method) {
      case "fleet/announce": {
        const said = readAnnounce(params)
        return said === undefined ? malformed(method) : announce(said)
      }
      case "fleet/beat":
        return beat
      case "fleet/confirm": {
        const key = readSession(params)
        return key === undefined ? malformed(method) : settled(directory.confirm(key))
      }
      case "fleet/end": {
        const key = readEnd(params)
        return key === undefined ? malformed(method) : settled(directory.end(key, key.ending))
      }
      default:
        return Effect.fail(refusal(ErrorCode.methodNotFound, `a router does not implement \`${method}\``))
    }
  }

/** The fate of a session. One that the directory no longer has is over for every other client. */
const settled = (asked: Effect.Effect<{ readonly version: number }, DirectoryError>) =>
  asked.pipe(
    Effect.map(({ version }) => ({ version, over: false })),
    Effect.catch((error) =>
      error.reason === "Fenced" || error.reason === "NoSession"
        ? Effect.succeed({ version: 0, over: true })
        : Effect.fail(error),
    ),
  )

const malformed = (method: string) =>
  Effect.fail(refusal(ErrorCode.invalidParams, `malformed params of ${method}`))
