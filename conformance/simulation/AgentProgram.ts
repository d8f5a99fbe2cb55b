/** An agent runs commands through its two tools, and compares their texts with what the children wrote. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { outlived } from "../../core/agent/Notices.ts"
import type { Reply } from "../../core/agent/Reply.ts"
import { maxSessions } from "../../core/agent/SessionTable.ts"
import {
  afterWriteMillis,
  clamp,
  earlyExitMillis,
  pollMillis,
  yieldMillis,
} from "../../core/agent/Waiting.ts"
import type { ToolError } from "../../core/agent/ToolError.ts"
import * as UnifiedExec from "../../core/agent/UnifiedExec.ts"
import { ClientError } from "../../core/client/ClientError.ts"
import { utf8, utf8Decoder } from "../../core/protocol/Bytes.ts"
import type { AgentCall, AgentCommand, AgentPlan } from "./MixMaker.ts"
import { Program, type Since } from "./Program.ts"
import type { Truth } from "./Truth.ts"

interface Tools extends Since {
  readonly exec: UnifiedExec.UnifiedExec
  /** Children that were started with them. */
  readonly started: Array<Truth>
}

interface Running {
  readonly command: AgentCommand
  readonly truth: Truth
  session: number | undefined
  /** When the last call began to wait, and how long it may. */
  since: number
  bound: number
  /** Bytes of its output that replies had. */
  told: number
}

/** A budget that no output of a run exceeds. */
const everything = 1_000_000

/** Milliseconds after its begin in which an agent begins calls. */
const patience = 150_000

export class AgentProgram extends Program<AgentPlan> {
  private writes = 0

  /** With the tools of each client that comes, until no command is left. */
  protected readonly play = (): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { plan, actor } = this
      const commands = [...plan.commands]
      while (commands.length > 0 && !this.isLate) {
        this.doing = "waits for a client"
        const live = yield* actor.connected
        const scope = yield* Scope.make()
        // Processes in the background cannot be searched: children are scripts of the simulation.
        const environmentInfo = { ...live.client.environmentInfo, platformOs: "other" }
        const exec = yield* Scope.provide(UnifiedExec.make({ ...live.client, environmentInfo }), scope)
        const tools: Tools = { ...this.since(live), exec, started: [] }
        for (let next = commands.shift(); next !== undefined; next = commands.shift()) {
          yield* this.command(tools, next)
          if (!actor.isLive(live) || this.isLate) break
        }
        this.doing = "closes its tools"
        const from = actor.world.now
        yield* Scope.close(scope, Exit.void)
        this.checkKilled(tools, from)
      }
    })

  private get isLate(): boolean {
    return this.actor.world.now > this.plan.at + patience
  }

  private command(tools: Tools, command: AgentCommand) {
    return Effect.gen({ self: this }, function* () {
      const truth = this.actor.stage.children.truth(command.key)
      const running: Running = { command, truth, session: undefined, since: 0, bound: 0, told: 0 }
      const [first, ...others] = command.calls
      let goesOn = yield* this.call(tools, running, first, this.start(tools, running, first))
      for (const call of others) {
        if (!goesOn || running.session === undefined || this.isLate) return
        goesOn = yield* this.call(tools, running, call, this.write(tools, running, running.session, call))
      }
    })
  }

  private start({ exec, started }: Tools, running: Running, { yieldMillis: asked }: AgentCall) {
    const { key, script } = running.command
    return Effect.suspend(() => {
      const begun = this.expect("the start of a command", script.spawnMillis)
      const onSession = (id: number) => {
        begun()
        started.push(running.truth)
        running.session = id
        this.waits(running, clamp(asked, yieldMillis) + earlyExitMillis)
      }
      const args = { cmd: key, tty: script.pty, yield_time_ms: asked, ...budget(running) }
      return Effect.ensuring(
        exec.execCommand(args, { onSession }),
        Effect.sync(() => begun()),
      )
    })
  }

  private write({ exec }: Tools, running: Running, session: number, { kind, yieldMillis: asked }: AgentCall) {
    return Effect.suspend(() => {
      // The first two characters of what is written are its number.
      const number = kind === "write" ? (this.writes += 1) : 0
      const letter = (of: number) => String.fromCharCode(48 + (of % 64))
      const chars = { wait: "", write: `${letter(number >> 6)}${letter(number)}\n`, interrupt: "\u0003" }[
        kind
      ]
      const longest = 2 * clamp(asked, yieldMillis) + Math.max(earlyExitMillis, afterWriteMillis)
      this.waits(running, kind === "wait" ? clamp(asked, pollMillis) : longest)
      return exec.writeStdin({ session_id: session, chars, yield_time_ms: asked, ...budget(running) })
    })
  }

  private waits(running: Running, bound: number): void {
    running.since = this.actor.world.now
    running.bound = bound
  }

  /** Makes a call and judges what comes of it. False if the session is over. */
  private call(tools: Tools, running: Running, call: AgentCall, made: Effect.Effect<Reply, ToolError>) {
    return Effect.gen({ self: this }, function* () {
      const { world } = this.actor
      const { key } = running.command
      yield* Effect.sleep(call.wait)
      this.doing = `${key}: ${call.kind}`
      this.note(`${key} calls ${call.kind}`)
      const millis = Number.isFinite(call.patience) ? call.patience : 2 ** 30
      const result = yield* Effect.result(Effect.timeoutOption(made, millis))
      this.checkTime(running, call)
      if (Result.isFailure(result)) {
        this.note(`${key} ${call.kind} fails: ${result.failure.message}`)
        this.judge(tools, running, result.failure)
        return false
      }
      if (Option.isNone(result.success)) {
        this.note(`${key} ${call.kind} is given up`)
        return running.session !== undefined
      }
      const reply = result.success.value
      this.note(`${key} ${call.kind} replies after ${world.now - running.since} ms`)
      return yield* this.take(tools, running, reply)
    })
  }

  private take(tools: Tools, running: Running, reply: Reply) {
    return Effect.map(tools.exec.sessionIds, (ids) => {
      const { truth, session } = running
      const { exitCode, sessionId, failure } = reply
      if (ids.length > maxSessions)
        this.violate("memory is bounded", `sessions of an agent: ${ids.length} of ${maxSessions}`)
      if ([exitCode, sessionId, failure].filter((fact) => fact !== undefined).length !== 1)
        this.violate("a reply has one outcome", JSON.stringify(reply))
      if (sessionId !== undefined && (sessionId !== session || !ids.includes(sessionId)))
        this.violate("a reply has one outcome", `session ${sessionId} is told, and it is ${session}`)
      if (exitCode !== undefined && (truth.exitedAt === undefined || exitCode !== truth.exitCode))
        this.violate("exited is told once and in order", `${truth.key}: a reply tells ${exitCode}`)
      if (failure !== undefined && !this.isLost(tools))
        this.violate("calls fail for a reason", `${truth.key} is lost: ${failure}`)
      const isLast = sessionId === undefined
      // A descendant that holds the output may write on.
      const isComplete = exitCode !== undefined && !(reply.notices ?? []).includes(outlived)
      if (running.command.tokens === undefined) this.checkText(running, reply.output, isLast, isComplete)
      else this.checkBudget(running.command.tokens, reply.output)
      return !isLast
    })
  }

  /** The texts have what the child wrote, from one reply to the next. */
  private checkText(running: Running, output: string, isLast: boolean, isComplete: boolean): void {
    const { truth } = running
    const rest = truth.noise.bytes(running.told, truth.total - running.told)
    const expected = utf8Decoder().decode(rest)
    // The last reply may end within a character that a descendant has completed since.
    const shown = isLast && !isComplete ? output.replace(/\uFFFD$/, "") : output
    if (!expected.startsWith(shown) || (isComplete && shown !== expected))
      this.violate(
        "a text has the output",
        `${truth.key}: ${output.length} characters after ${running.told} bytes are not what was written`,
      )
    running.told += utf8.encode(shown).length
  }

  private checkBudget(tokens: number, output: string): void {
    const { length } = utf8.encode(output)
    if (length > 4 * tokens + mostNote)
      this.violate("memory is bounded", `a text for a model: ${length} bytes of ${4 * tokens + mostNote}`)
  }

  /** A call takes its yield time at most, whatever the network does. */
  private checkTime(running: Running, call: AgentCall): void {
    if (running.session === undefined) return
    const took = this.actor.world.now - running.since
    const { bound } = running
    if (took > bound) this.violate("an agent waits its yield time", `${call.kind}: ${took} of ${bound} ms`)
  }

  private judge(tools: Tools, running: Running, error: ToolError): void {
    const { truth, command } = running
    const { reason, cause, message } = error
    // One more session has taken its place.
    if (reason === "UnknownSession" && this.plan.commands.length > maxSessions) return
    if (!(cause instanceof ClientError))
      return this.violate("calls fail for a reason", `${truth.key}: ${message}`)
    if (command.script.missing && cause.reason === "ProgramNotFound") return
    const ending = truth.exitedAt !== undefined || truth.killedAt !== undefined
    if (reason === "Write" && (ending || cause.reason === "StdinClosed")) return
    this.excuse(cause, tools, message)
  }

  /** With its tools every command ends that they have started. */
  private checkKilled(tools: Tools, from: number): void {
    const { network, index, settings } = this.actor
    // Long polls may take every slot, and delay the rest.
    if (!network.isSmooth(index, from) || settings.concurrentRequests < 1024) return
    // A command of a session that was lost is the server's.
    if (this.isLost(tools)) return
    for (const { key, spawnedAt, killedAt, exitedAt } of tools.started)
      if (spawnedAt !== undefined && killedAt === undefined && exitedAt === undefined)
        this.violate("nothing outlives its session", `${key} runs after its tools are closed`)
  }
}

/** Bytes of the words that say what was cut from a text. */
const mostNote = 200

const budget = ({ command: { tokens } }: Running) => ({ max_output_tokens: tokens ?? everything })
