/** A client uses one file of the server's host, and begins anew with the next client if it loses its connection. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { RemoteFile } from "../../core/client/FileBlocks.ts"
import { maxHandles } from "../../core/features/fs/FileBounds.ts"
import { folderOf, longestOperation } from "./Disk.ts"
import { Noise } from "./Noise.ts"
import type { FilePlan } from "./MixMaker.ts"
import { Program, type Since } from "./Program.ts"

/** Milliseconds that a call may take besides the time of an answer. */
const soon = 20 * longestOperation

/** Times that it begins anew. */
const mostAttempts = 4

/** A use of the file by one client: its path, which only this attempt has. */
interface Attempt extends Since {
  readonly path: string
}

type Use<A = void> = Effect.Effect<A, ClientError>

export class FileProgram extends Program<FilePlan> {
  private readonly disk = this.actor.stage.disk
  private readonly noise = new Noise(this.key)

  protected readonly play = (): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { plan, actor, key } = this
      for (let number = 1; number <= mostAttempts; number++) {
        this.doing = "waits for a client"
        const since = this.since(yield* actor.connected)
        const attempt = { ...since, path: `${folderOf(actor.index)}/${key}.${number}` }
        this.doing = plan.kind
        this.note(`${plan.kind}, attempt ${number}`)
        const result = yield* Effect.result(this.use(attempt))
        if (!this.isLost(attempt) && this.disk.heldOf(attempt.path) > 0)
          this.violate("what is open is closed", `${attempt.path} is open after its use`)
        if (Result.isSuccess(result)) break
        const error = result.failure
        this.note(`${plan.kind} fails: ${error.reason} ${error.message}`)
        if (!this.isCrowdedOut(error)) this.excuse(error, attempt, plan.kind)
      }
    })

  /** Another program of the client may have every handle of the connection. */
  private isCrowdedOut({ code }: ClientError): boolean {
    return code === invalidRequest && this.actor.plan.files.some(({ kind }) => kind === "handles")
  }

  private use(attempt: Attempt): Use {
    const { disk, plan, noise } = this
    const there = !["write", "save", "watch"].includes(plan.kind)
    if (there) disk.put(attempt.path, noise.bytes(0, plan.size))
    if (there && plan.broken !== undefined) disk.breaks(attempt.path, plan.broken)
    switch (plan.kind) {
      case "blocks":
        return Effect.scoped(Effect.flatMap(this.open(attempt, "read"), (file) => this.readBlocks(file)))
      case "stream":
        return this.stream(attempt)
      case "whole":
        return this.tolerant(
          this.promptly("readFile", attempt.live.client.fs.readFile(attempt.path), soon),
          (bytes) => this.check(0, bytes, plan.size),
        )
      case "write":
        return this.write(attempt)
      case "save":
        return this.save(attempt)
      case "handles":
        return this.openMany(attempt)
      case "watch":
        return this.watch(attempt)
    }
  }

  private open({ live, path }: Attempt, mode: "read" | "replace") {
    return this.promptly(`open ${path}`, live.client.fs.open(path, mode), soon)
  }

  private readBlocks(file: RemoteFile): Use {
    return Effect.forEach(
      this.plan.blocks,
      ({ offset, bytes }) =>
        Effect.andThen(
          Effect.sleep(this.plan.pause),
          this.tolerant(this.promptly("a block", file.read(offset, bytes), soon), ({ chunk, eof }) => {
            const expected = Math.max(0, Math.min(bytes, this.plan.size - offset))
            this.check(offset, chunk, expected)
            if (eof !== expected < bytes)
              this.violate("no byte is lost, doubled or out of order", `eof is ${eof} at ${offset}`)
          }),
        ),
      { discard: true },
    )
  }

  private stream({ live, path }: Attempt): Use {
    return Effect.suspend(() => {
      let offset = 0
      const blocks = Stream.runForEach(live.client.fs.readStream(path), (block) => {
        this.check(offset, block, block.length)
        offset += block.length
        return Effect.sleep(this.plan.pause)
      })
      return this.tolerant(blocks, () => this.check(offset, new Uint8Array(0), this.plan.size - offset))
    })
  }

  /** Blocks one after the other. Each is on the disk when its write is answered; one that fails may be there or not. */
  private write(attempt: Attempt): Use {
    const { plan, noise, disk } = this
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const file = yield* this.open(attempt, "replace")
        let at = 0
        for (const { bytes } of plan.blocks) {
          yield* this.promptly("a write", file.write(at, noise.bytes(at, bytes)), soon)
          at += bytes
          const content = disk.content(attempt.path)
          if (content?.length !== at || !noise.equals(0, content))
            this.violate("what is written is there", `${attempt.path} has ${content?.length} of ${at} bytes`)
          yield* Effect.sleep(plan.pause)
        }
      }),
    )
  }

  /** Whole contents. Each is there when it is answered; without a loss before, nothing older comes back. */
  private save(attempt: Attempt): Use {
    const { live, path } = attempt
    const { plan, noise, disk } = this
    return Effect.forEach(
      plan.blocks,
      ({ offset, bytes }, index) =>
        Effect.gen({ self: this }, function* () {
          yield* this.promptly("writeFile", live.client.fs.writeFile(path, noise.bytes(offset, bytes)), soon)
          const content = disk.content(path) ?? new Uint8Array(0)
          const is = (block: { readonly offset: number; readonly bytes: number }) =>
            content.length === block.bytes && noise.equals(block.offset, content)
          const allowed = this.isLost(attempt) ? plan.blocks.slice(0, index + 1) : [{ offset, bytes }]
          if (!allowed.some(is))
            this.violate("what is written is there", `${path} has ${content.length} of ${bytes} bytes`)
          yield* Effect.sleep(plan.pause)
        }),
      { discard: true },
    )
  }

  /** Opens it more often than it may: the rest is refused, and everything is closed. */
  private openMany(attempt: Attempt): Use {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        let refused = 0
        for (let count = 0; count < maxHandles + 2; count++) {
          const opened = yield* Effect.result(this.open(attempt, "read"))
          if (Result.isSuccess(opened)) continue
          if (opened.failure.code !== invalidRequest) return yield* Effect.fail(opened.failure)
          refused += 1
        }
        this.note(`is refused ${refused} times`)
        const open = this.disk.heldOf(attempt.path)
        if (refused < 2 || open > maxHandles)
          this.violate("memory is bounded", `open files: ${open} of ${maxHandles}`)
      }),
    )
  }

  /** Another program creates the file, unless another watch of the client comes first. */
  private watch({ live, path }: Attempt): Use {
    const { disk, plan } = this
    return Effect.gen({ self: this }, function* () {
      const { watching, changed } = yield* this.promptly("watch", live.client.fs.watchMissing([path]), soon)
      this.note(watching ? "watches" : "does not watch")
      if (!watching) return
      let late = () => {}
      let over = false
      this.actor.world.after(plan.pause, () => {
        disk.put(path, this.noise.bytes(0, plan.size))
        if (!over) late = this.expect("a watch", 10 * longestOperation)
      })
      const told = yield* Effect.ensuring(
        changed,
        Effect.sync(() => {
          over = true
          late()
        }),
      )
      this.note(told ? "is told" : "is replaced")
      if (told && disk.content(path) === undefined)
        this.violate("a watch tells what is so", `${path} is not there`)
    })
  }

  /** A read, which may fail if the disk is broken. */
  private tolerant<A>(read: Use<A>, use: (value: A) => void): Use {
    return Effect.catchIf(
      Effect.map(read, use),
      ({ reason, message }: ClientError) =>
        this.plan.broken !== undefined && (reason === "Server" || message.includes("is no longer open")),
      (error) => Effect.sync(() => this.note(`is broken: ${error.message}`)),
    )
  }

  /** Checks bytes from an offset on, and how many there are. */
  private check(offset: number, bytes: Uint8Array, expected: number): void {
    if (bytes.length !== expected || !this.noise.equals(offset, bytes))
      this.violate(
        "no byte is lost, doubled or out of order",
        `${bytes.length} bytes at ${offset} are not the ${expected} of the file`,
      )
  }
}

const invalidRequest = -32600
