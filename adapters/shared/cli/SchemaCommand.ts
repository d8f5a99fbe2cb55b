/**
 * `procwire schema`: writes the files that describe the wire for other languages.
 *
 * They are made by the build, and are beside the command in the package, compressed into one (`dist/schema`). An
 * executable of one file has none.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Folders from "../host/Folders.ts"
import * as OsError from "../host/OsError.ts"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import { help as helpFlag, type FlagSpecs, type Spec } from "./table/Spec.ts"

const command = "procwire schema"

const flags = {
  out: {
    type: "string",
    short: "o",
    shows: "DIR",
    help: "the folder for them; it is made if it is not there, and files of these names are replaced",
    completes: "directory",
  },
  ...helpFlag,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "schema",
  summary: "Write the files that describe the wire for other languages",
  usage: "--out DIR",
  flags,
  text: `
Files:
  procwire.schema.json   every type, as JSON Schema 2020-12: descriptions, units (x-unit), examples, the version of
                         the wire that it came with (x-since) and its capability (x-capability)
  procwire.meta.json     methods: direction, capability, idempotence, errors; versions of the wire; capabilities
  procwire.openrpc.json  the methods for tools that read OpenRPC 1.3; its types are in the schema file
  procwire.v0.*.json     the same of the first wire, v0`,
  examples: ["procwire schema --out wire", "npx json-schema-to-typescript wire/procwire.schema.json"],
}

/** All files by their names, as JSON, compressed. */
const packed = "all.br"

/** From the built command, from the library and its compiled modules, and from the sources. */
const places = ["schema/", "../schema/", "../../../schema/", "../../../dist/schema/"]

/** Unpacks the files, and prints their paths. */
export const schema = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { out } = yield* Flags.parse(command, args, flags)
    if (out === undefined || out === "")
      return yield* new Flags.UsageError({ command, message: "name a folder for the files: --out DIR" })
    const folder = yield* found
    const files = JSON.parse(brotliDecompressSync(readFileSync(join(folder, packed))).toString()) as object
    const names = Object.keys(files)
    yield* Effect.try({
      try: () => {
        Folders.make(out)
        for (const [name, document] of Object.entries(files))
          writeFileSync(join(out, name), `${JSON.stringify(document)}\n`)
      },
      catch: (cause) =>
        new Flags.ConfigurationError({ message: `--out ${out}: ${OsError.fromUnknown(cause).message}` }),
    })
    process.stdout.write(names.map((name) => `${join(out, name)}\n`).join(""))
  })

/** A link to the command, as npm makes it, is followed. */
const isThere = (folder: string) => existsSync(join(folder, packed))

const found: Effect.Effect<string, Flags.ConfigurationError> = Effect.suspend(() => {
  const own = import.meta.url.startsWith("file:") ? realpathSync(fileURLToPath(import.meta.url)) : ""
  const folder = places.map((place) => join(own, "..", place)).find(isThere)
  return folder === undefined
    ? new Flags.ConfigurationError({
        message:
          "this executable has no schema files: the npm package has them, as `npx procwire schema --out DIR`",
      })
    : Effect.succeed(folder)
})
