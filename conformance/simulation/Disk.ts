/**
 * The file system of the server's host, in memory: it outlives servers, takes its time as the seed says, and knows
 * what is open.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { FileError, type FileReason } from "../../core/files/FileError.ts"
import type { FileInfo, FilesService, OpenFile } from "../../core/files/Files.ts"
import { split } from "../../core/files/Paths.ts"
import type { Seed } from "./Seed.ts"
import { epoch, type World } from "./World.ts"

/** Milliseconds that an operation takes at most. */
export const longestOperation = 2000

interface Node {
  readonly kind: "file" | "directory"
  readonly identity: string
  readonly createdMs: number
  bytes: Uint8Array
  modifiedMs: number
  version: number
}

/** A descriptor or a watch that is open. */
export interface Held {
  readonly path: string
  /** When it was opened, in milliseconds of the run. */
  readonly at: number
  /** Of a watch: is called with changes in its folder. */
  readonly changed?: (name: string) => void
}

export class Disk {
  /** Descriptors and watches that are open. */
  readonly held = new Set<Held>()
  private readonly world: World
  private readonly seed: Seed
  private readonly nodes = new Map<string, Node>()
  private readonly broken = new Map<string, number>()

  /** Each client has a folder of its own. */
  constructor(world: World, seed: Seed, clients: number) {
    this.world = world
    this.seed = seed
    const folders = Array.from({ length: clients }, (_, client) => folderOf(client))
    for (const folder of ["/", "/srv", ...folders]) this.nodes.set(folder, this.node("directory"))
  }

  /** Creates a file or replaces its content, as another program of the host does. */
  put(path: string, bytes: Uint8Array): void {
    const node = this.nodes.get(path) ?? this.node("file")
    this.nodes.set(path, node)
    this.change(path, node, bytes)
  }

  /** Reads of that file fail from that offset on. */
  breaks(path: string, offset: number): void {
    this.broken.set(path, offset)
  }

  /** The content of a file; undefined if there is none. */
  content(path: string): Uint8Array | undefined {
    return this.nodes.get(path)?.bytes
  }

  /** The number of descriptors and watches below a path that were opened before then. */
  heldOf(path: string, before = Infinity): number {
    let count = 0
    for (const held of this.held) if (held.path.startsWith(path) && held.at < before) count += 1
    return count
  }

  /** The seam. */
  readonly service: FilesService = {
    available: true,
    watches: true,
    info: (path) => this.operation(() => this.found(path, toInfo)),
    list: (folder) =>
      this.operation(() =>
        Effect.succeed(
          [...this.nodes]
            .filter(([path]) => path !== "/" && split(path)[0] === folder)
            .map(([path, { kind }]) => ({ name: split(path)[1], kind })),
        ),
      ),
    canonicalize: (path) => this.operation(() => this.found(path, () => path)),
    makeFolder: (path) =>
      this.operation(() => {
        if (this.nodes.has(path)) return failure("AlreadyExists")
        this.nodes.set(path, this.node("directory"))
        return Effect.void
      }),
    removeFolder: (path) => this.operation(() => this.removed(path)),
    removeFile: (path) => this.operation(() => this.removed(path)),
    rename: () => failure("Unsupported"),
    setMode: () => failure("Unsupported"),
    readLink: () => failure("Unsupported"),
    makeLink: () => failure("Unsupported"),
    open: (path, { create }) =>
      Effect.andThen(
        this.operation(() => {
          const node = this.nodes.get(path)
          if (node !== undefined) return Effect.succeed(node)
          if (create === undefined) return failure("NotFound")
          this.put(path, new Uint8Array(0))
          return Effect.void
        }),
        Effect.suspend(() => this.opened(path)),
      ),
    save: (path, bytes) => this.operation(() => Effect.sync(() => this.put(path, bytes.slice()))),
    hold: (folder) => this.operation(() => this.found(folder, () => folder)),
    watch: (folder, changed) =>
      Effect.andThen(
        this.operation(() => this.found(folder, () => folder)),
        Effect.asVoid(this.hold(folder, changed)),
      ),
  }

  /** A call that has begun is completed, whoever waits for it. */
  private operation<A>(work: () => Effect.Effect<A, FileError>): Effect.Effect<A, FileError> {
    return Effect.suspend(() => {
      const millis = this.seed.chance(90) ? 0 : this.seed.skewed(longestOperation)
      return millis === 0 ? work() : Effect.andThen(Effect.sleep(millis), Effect.suspend(work))
    }).pipe(Effect.uninterruptible)
  }

  private hold(path: string, changed?: Held["changed"]): Effect.Effect<Held, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => {
        const held = { path, at: this.world.now, ...(changed && { changed }) }
        this.held.add(held)
        return held
      }),
      (held) =>
        Effect.sync(() => {
          if (!this.held.delete(held)) this.world.violate("what is open is closed once", path)
        }),
    )
  }

  private opened(path: string): Effect.Effect<OpenFile, FileError, Scope.Scope> {
    const usable = <A>(held: Held, use: (node: Node) => Effect.Effect<A, FileError>) =>
      this.operation(() => {
        const node = this.nodes.get(path)
        if (!this.held.has(held)) this.world.violate("what is closed is not used", path)
        return node === undefined ? failure("NotFound") : use(node)
      })
    return Effect.map(this.hold(path), (held) => ({
      info: usable(held, (node) => Effect.succeed(toInfo(node))),
      empty: usable(held, (node) => Effect.sync(() => this.change(path, node, new Uint8Array(0)))),
      setMode: () => Effect.void,
      read: (offset, length) =>
        usable(held, ({ bytes }) => {
          const from = Number(offset)
          if (from + length > (this.broken.get(path) ?? Infinity)) return failure("Other")
          return Effect.succeed(bytes.slice(from, from + length))
        }),
      write: (offset, bytes) =>
        usable(held, (node) =>
          Effect.sync(() => {
            const end = Number(offset) + bytes.length
            const next = new Uint8Array(Math.max(end, node.bytes.length))
            next.set(node.bytes)
            next.set(bytes, Number(offset))
            this.change(path, node, next)
          }),
        ),
    }))
  }

  private found<A>(path: string, use: (node: Node) => A): Effect.Effect<A, FileError> {
    const node = this.nodes.get(path)
    return node === undefined ? failure("NotFound") : Effect.succeed(use(node))
  }

  private removed(path: string): Effect.Effect<void, FileError> {
    if (!this.nodes.delete(path)) return failure("NotFound")
    this.tell(path)
    return Effect.void
  }

  private change(path: string, node: Node, bytes: Uint8Array): void {
    node.bytes = bytes
    node.version += 1
    node.modifiedMs = epoch + this.world.now
    this.tell(path)
  }

  /** Watches hear of a change a little later. */
  private tell(path: string): void {
    const [folder, name] = split(path)
    for (const held of this.held)
      if (held.changed !== undefined && held.path === folder)
        this.world.after(this.seed.skewed(50), () => this.held.has(held) && held.changed?.(name))
  }

  private node(kind: Node["kind"]): Node {
    const now = epoch + this.world.now
    const identity = `${kind} ${this.nodes.size}`
    return { kind, identity, createdMs: now, bytes: new Uint8Array(0), modifiedMs: now, version: 0 }
  }
}

export const folderOf = (client: number): string => `/srv/c${client}`

const toInfo = ({ kind, bytes, createdMs, modifiedMs, identity, version }: Node): FileInfo => ({
  kind,
  size: bytes.length,
  mode: 0o644,
  createdMs,
  modifiedMs,
  identity,
  version: String(version),
})

const failure = (reason: FileReason) =>
  Effect.fail(new FileError({ reason, message: `the disk says ${reason}` }))
