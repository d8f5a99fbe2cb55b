/**
 * The servers of one case: the one that cases share, or servers of its own. Those are dead after `stop`.
 */
import type { Server, Target } from "./Target.ts"
import * as ProcessTree from "./wire/ProcessTree.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"

/**
 * The server that a case may share. `shared`: any one. `owned`: one that the suite has started, so that its environment
 * is known. `fresh`: started for this case alone, because the case signals it or watches it end.
 */
export type ServerNeed = "shared" | "owned" | "fresh"

export interface Options {
  /** Arguments added to the command line. */
  readonly args: ReadonlyArray<string>
  readonly server: ServerNeed
  /** The value of the variable that marks the servers of this case and every process below them. */
  readonly token: string
  readonly timeoutMs: number
}

/** Results that cases of a target share, by names that they agree upon. */
const made = new WeakMap<Target, Map<string, Promise<unknown>>>()

export interface CaseServers {
  /** True if other cases use the same server. */
  readonly shared: boolean
  /** The server for the next connection. Over stdio there is one for each connection, otherwise one for the case. */
  readonly forConnection: () => Promise<Server>
  /** The server of the last connection, or the one that the first connection will have. */
  readonly current: () => Promise<Server>
  /** Starts a server with further arguments, and with `listen` instead of its WebSocket URL; waits for nothing. */
  readonly launch: (args: ReadonlyArray<string>, listen?: string) => ServerProcess.ServerProcess
  /** The server that cases with these further arguments share; over stdio one for each call. */
  readonly withArgs: (args: ReadonlyArray<string>) => Promise<Server>
  /** The result that the first case of this target has made under this name. */
  readonly once: <A>(name: string, make: () => Promise<A>) => Promise<A>
  /** The standard error of the servers of this case alone. */
  readonly stderr: () => string
  readonly stop: () => void
}

/** Nothing is started before it is asked for. */
export const make = (target: Target, { server: need, ...needs }: Options): CaseServers => {
  const older = ProcessTree.running()
  const own: Array<{ readonly stop: () => void; readonly errors: () => string }> = []
  const shared = target.kind !== "stdio" && need !== "fresh"
  let latest: Promise<Server> | undefined
  let connected = false

  const start = async (): Promise<Server> => {
    if (shared) return target.shared(needs)
    const server = await target.fresh(needs)
    own.push({ stop: server.stop, errors: () => server.process?.errors() ?? "" })
    return server
  }
  const current = (): Promise<Server> => (latest ??= start())
  return {
    shared,
    current,
    forConnection: () => {
      if (target.kind === "stdio" && connected) latest = undefined
      connected = true
      return current()
    },
    launch: (args, listen) => {
      const words = target
        .argv()
        .map((word) => (listen === undefined ? word : word.replace(/ws:\/\/\S*/, listen)))
      const started = ServerProcess.launch({ argv: [...words, ...args], env: {}, token: needs.token })
      own.push({ stop: started.kill, errors: started.errors })
      return started
    },
    withArgs: (args) => target.shared({ ...needs, args }),
    once: <A>(name: string, make: () => Promise<A>): Promise<A> => {
      const all = made.get(target) ?? new Map<string, Promise<unknown>>()
      made.set(target, all)
      const found = all.get(name) as Promise<A> | undefined
      if (found !== undefined) return found
      const making = make()
      all.set(name, making)
      // A failed result is made again for the next case.
      making.catch(() => all.delete(name))
      return making
    },
    stderr: () =>
      own
        .map(({ errors }) => errors())
        .filter((text) => text !== "")
        .join("\n"),
    stop: () => {
      for (const { stop } of own) stop()
      if (target.owned)
        ProcessTree.killAll(ProcessTree.marked(`${ServerProcess.marker}=${needs.token}`, older))
    },
  }
}
