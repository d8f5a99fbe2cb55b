/**
 * The context of a case about a directory: empty directories of its own, to each of which several connect, as routers
 * and hosts do. After the case all are closed, and every book must be in order.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Change, DirectoryService } from "../../core/directory/Directory.ts"
import { DirectoryError, type DirectoryReason } from "../../core/directory/DirectoryError.ts"
import type { DirectoryOptions } from "../../core/directory/DirectoryOptions.ts"
import * as Invariants from "../../core/directory/Invariants.ts"
import * as SeamCase from "../seam/SeamCase.ts"
import type { Subject } from "../seam/SeamRunner.ts"
import { CheckFailure, fail } from "../suite/Check.ts"
import { pause, within } from "../suite/Deadline.ts"

/** Connects to one directory. The connection is open as long as the scope. */
export type Connect = Effect.Effect<DirectoryService, unknown, Scope.Scope>

/** Makes a directory that is empty and has no other users. */
export type Make = (options: DirectoryOptions) => Effect.Effect<Connect, unknown, Scope.Scope>

/** Nothing may be needed: every directory plays every case. */
export type Need = never

export type Case = SeamCase.SeamCase<Need, DirectoryContext>

/** Completes a table of cases, all below one path. */
export const table = SeamCase.table<Need, DirectoryContext>

/** One connection to a directory, with promises. Every wait has a deadline. */
export interface Connection {
  readonly service: DirectoryService
  /** Its answer; a refusal fails the case. */
  readonly ask: <A>(ask: (directory: DirectoryService) => Effect.Effect<A, DirectoryError>) => Promise<A>
  /** The reason of its refusal; an answer fails the case. */
  readonly refusal: (
    ask: (directory: DirectoryService) => Effect.Effect<unknown, DirectoryError>,
  ) => Promise<DirectoryReason>
  /** Its answer, or its refusal. */
  readonly outcome: <A>(
    ask: (directory: DirectoryService) => Effect.Effect<A, DirectoryError>,
  ) => Promise<A | DirectoryError>
  /** Watches until a change comes that this is true of. */
  readonly until: (isThis: (change: Change) => boolean, what: string) => Promise<Change>
}

export interface DirectoryContext {
  /** Makes an empty directory, in which nothing expires unless the options say so, and connects to it so many times. */
  readonly open: (connections?: number, options?: DirectoryOptions) => Promise<ReadonlyArray<Connection>>
  /** The same with one connection. */
  readonly one: (options?: DirectoryOptions) => Promise<Connection>
  /** Asks again and again until there is an answer. */
  readonly eventually: <A>(attempt: () => Promise<A | undefined>, what: string) => Promise<A>
  /** Adds a figure to the report. */
  readonly note: (text: string) => void
}

const hour = 3_600_000

/** The options of cases unless they have others: leases that nothing outlasts, and quick looks. */
const patient: DirectoryOptions = {
  leaseMillis: hour,
  goneMillis: 2 * hour,
  claimMillis: hour,
  restMillis: hour,
  tickMillis: 20,
  deadlineMillis: 100_000,
}

/** A way to make directories as a subject of the cases. */
export const subject = (make: Make): Subject<Need, DirectoryContext> => ({
  lacks: () => undefined,
  open: async (_, timeoutMs) => {
    const scope = Effect.runSync(Scope.make())
    const notes: Array<string> = []
    const opened: Array<Connection> = []
    let fault: string | undefined
    const build = async <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => {
      const exit = await within(Effect.runPromiseExit(Scope.provide(effect, scope)), timeoutMs, "a directory")
      return Exit.isSuccess(exit) ? exit.value : fail(`no directory: ${Cause.pretty(exit.cause)}`)
    }
    const open: DirectoryContext["open"] = async (connections = 1, options = {}) => {
      const connect = await build(make({ ...patient, ...options }))
      const services: Array<DirectoryService> = []
      for (let i = 0; i < connections; i++) services.push(await build(connect))
      const made = services.map((service) => connection(service, timeoutMs))
      opened.push(...made.slice(0, 1))
      return made
    }
    const close = async () => {
      for (const one of opened) {
        const listing = await one.outcome((directory) => directory.list())
        if (!(listing instanceof DirectoryError)) fault ??= Invariants.fault(listing)
      }
      await within(Effect.runPromise(Scope.close(scope, Exit.void)), timeoutMs, "the directories to close")
    }
    const one: DirectoryContext["one"] = async (options) =>
      (await open(1, options))[0] ?? fail("no connection")
    return {
      context: { open, one, eventually: eventually(timeoutMs), note: (text) => notes.push(text) },
      notes,
      fault: () => fault,
      close,
    }
  },
})

const eventually =
  (timeoutMs: number): DirectoryContext["eventually"] =>
  async (attempt, what) => {
    for (const began = performance.now(); performance.now() - began < timeoutMs; await pause(2)) {
      const got = await attempt()
      if (got !== undefined) return got
    }
    throw new CheckFailure(`waited ${timeoutMs} ms in vain for ${what}`, "late")
  }

const connection = (service: DirectoryService, timeoutMs: number): Connection => {
  const run = <A>(effect: Effect.Effect<A, DirectoryError>, what: string) =>
    within(Effect.runPromiseExit(effect), timeoutMs, what)
  const outcome: Connection["outcome"] = async (ask) => {
    const exit = await run(ask(service), "an answer of the directory")
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.findErrorOption(exit.cause)
    return Option.isSome(failure)
      ? failure.value
      : fail(`the directory is broken: ${Cause.pretty(exit.cause)}`)
  }
  return {
    service,
    outcome,
    ask: async (ask) => {
      const got = await outcome(ask)
      return got instanceof DirectoryError ? fail(`refused with ${got.reason}: ${got.message}`) : got
    },
    refusal: async (ask) => {
      const got = await outcome(ask)
      return got instanceof DirectoryError ? got.reason : fail(`wanted a refusal, got ${JSON.stringify(got)}`)
    },
    until: async (isThis, what) => {
      const first = Stream.runHead(Stream.filter(service.watch, isThis))
      const exit = await run(first, what)
      if (Exit.isSuccess(exit) && Option.isSome(exit.value)) return exit.value.value
      return fail(
        `the watch has ended before ${what}: ${Exit.isSuccess(exit) ? "" : Cause.pretty(exit.cause)}`,
      )
    },
  }
}

/** True for a change of this host to that state. */
export const hostIs =
  (hostId: string, state: string) =>
  (change: Change): boolean =>
    change.kind === "host" && change.host.hostId === hostId && change.host.state === state

/** True for a change of this session to that state. */
export const sessionIs =
  (sessionId: string, state: string) =>
  (change: Change): boolean =>
    change.kind === "session" && change.session.sessionId === sessionId && change.session.state === state
