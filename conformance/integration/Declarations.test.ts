/** The declarations of the doors without Effect, made from small modules: what is said plainly, and what cannot be. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"

const root = new URL("../..", import.meta.url).pathname
const script = join(root, ".ci/declarations.mjs")

const folders: Array<string> = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** Makes the declarations of `door` from what the compiler has made of these modules. */
const make = (modules: { readonly [name: string]: string }) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-declarations-"))
  folders.push(folder)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  for (const [name, text] of Object.entries(modules)) {
    const path = join(folder, "dist", `${name}.d.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const out = join(folder, "out")
  const { status, stderr } = spawnSync(process.execPath, [script, folder, out, "door"], { encoding: "utf8" })
  return {
    status,
    faults: stderr.split("\n").filter((line) => line !== ""),
    read: (name: string) => readFileSync(join(out, `${name}.d.ts`), "utf8"),
  }
}

describe("the declarations of doors without Effect", () => {
  it("say types of Effect plainly, and leave out what no export leads to", { timeout: 60_000 }, () => {
    const made = make({
      door: `/**
 * A door.
 * @module
 */
import * as Layer from "effect/Layer";
export { Failure, type Options, run, User, type Wire } from "./inner/Inner.ts";
/** Serves. */
export declare const serve: (layers: ReadonlyArray<Layer.Layer<string>>) => void;
`,
      "inner/Inner": `import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Unused } from "./Gone.ts";
declare const Failure_base: new <A extends Record<string, any> = {}>(
    args: import("effect/Types").VoidIfEmpty<{ readonly [P in keyof A as P extends "_tag" ? never : P]: A[P]; }>,
) => import("effect/Cause").YieldableError & {
    readonly _tag: "Failure";
} & Readonly<A>;
/** It failed. */
export declare class Failure extends Failure_base<{
    /** Why. */
    readonly reason: "A" | "B";
}> {
}
/** A user. */
export declare const User: Schema.Struct<{
    /** A name. */
    name: typeof Schema.String;
    age: Schema.optional<typeof Schema.Number>;
    team: typeof Schema.String;
}>;
/** A user. */
export type User = typeof User.Type;
/** How. */
export interface Options {
    /** Until then. */
    readonly timeout?: Duration.Input;
    /** For programs in Effect. */
    readonly effect: Service;
    readonly lists: ReadonlyArray<typeof User.Type>;
}
interface Service {
    readonly start: Effect.Effect<void>;
    readonly send: (text: string, again?: boolean) => Effect.Effect<User>;
}
type Promised<T> = {
    readonly [K in keyof T]: T[K] extends (...args: infer P) => Effect.Effect<infer A, infer _E>
        ? (...args: [...P, how?: number]) => Promise<A>
        : never;
};
/** Over the wire. */
export interface Wire extends Promised<Pick<Service, "send">> {
    readonly close: () => void;
}
/** Runs. */
export declare const run: (options: Options) => Promise<User>;
/** Nobody needs it. */
export declare const other: Effect.Effect<Unused>;
export {};
`,
    })
    expect(made.faults).toEqual([])
    expect(made.read("door")).toBe(`/**
 * A door.
 * @module
 */
import type { EffectLayer } from "./types/effect.js";
export { Failure, run } from "./types/inner/Inner.js";
export type { Options, User, Wire } from "./types/inner/Inner.js";
export type { Duration, EffectFace, EffectLayer } from "./types/effect.js";
/** Serves. */
export declare const serve: (layers: ReadonlyArray<EffectLayer>) => void;
export {};
`)
    expect(made.read("types/inner/Inner")).toBe(`import type { Duration, EffectFace } from "../effect.js";
/** It failed. */
export declare class Failure extends Error {
\t/** The tag of errors of this kind. */
\treadonly _tag: "Failure";
\t/** Why. */
\treadonly reason: "A" | "B";
\tconstructor(fields: {
\t\treadonly reason: "A" | "B";
\t});
}
/** A user. */
export type User = {
\t/** A name. */
\treadonly name: string;
\treadonly team: string;
\treadonly age?: number | undefined;
};
/** How. */
export interface Options {
\t/** Until then. */
\treadonly timeout?: Duration;
\t/** For programs in Effect. */
\treadonly effect: EffectFace;
\treadonly lists: ReadonlyArray<User>;
}
/** Over the wire. */
export interface Wire {
\treadonly send: (text: string, again?: boolean, how?: number) => Promise<User>;
\treadonly close: () => void;
}
/** Runs. */
export declare const run: (options: Options) => Promise<User>;
export {};
`)
  })

  it(
    "fail with a sentence for each export that leads to Effect, to any or to nothing",
    { timeout: 60_000 },
    () => {
      const made = make({
        door: `import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { BuildOptions } from "esbuild";
import type { Gone } from "./Gone.ts";
import type { Inner } from "./Inner.ts";
export interface Service {
    readonly start: () => Effect.Effect<void>;
}
export interface Outer {
    readonly inner: Inner;
}
export declare const Loose: Schema.Struct<{ value: typeof Schema.Any }>;
export type Loose = typeof Loose.Type;
export declare const lost: (gone: Gone) => void;
export declare const foreign: (options: BuildOptions) => void;
export declare const generic: <A>(value: A) => Effect.Effect<A>;
export declare const fine: () => void;
`,
        Inner: `import type * as Stream from "effect/Stream";
export interface Inner {
    readonly events: Stream.Stream<string>;
}
`,
      })
      expect(made.status).toBe(1)
      expect(made.faults).toEqual([
        "the declarations of door: Service: start: it has the type Effect of Effect",
        "the declarations of door: Outer: inner: Inner: events: it has the type Stream of Effect",
        "the declarations of door: Loose: value: it has the type any",
        "the declarations of door: lost: Gone is not there",
        "the declarations of door: foreign: it has the type BuildOptions of another package",
        "the declarations of door: generic: it has the type Effect of Effect",
      ])
    },
  )
})
