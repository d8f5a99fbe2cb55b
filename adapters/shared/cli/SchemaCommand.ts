/**
 * `procwire schema`: writes the files that describe the wire for other languages.
 *
 * They are made by the build, and are beside the command in the package, compressed into one (`dist/schema`). An
 * executable of one file has none.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Folders from "../host/Folders.ts"
import * as OsError from "../host/OsError.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"

export const schema = Command.make({
  name: "schema",
  summary: "Write the files that describe the wire for other languages",
  usage: "--out DIR",
  flags: {
    out: Flags.text(
      "DIR",
      "the folder for them; it is made if it is not there, and files of these names are replaced",
      { short: "o", completes: "directory" },
    ),
  },
  text: `
Files:
  procwire.schema.json   every type, as JSON Schema 2020-12: descriptions, units (x-unit), examples, the version of
                         the wire that it came with (x-since) and its capability (x-capability)
  procwire.meta.json     methods: direction, capability, idempotence, errors; versions of the wire; capabilities
  procwire.openrpc.json  the methods for tools that read OpenRPC 1.3; its types are in the schema file
  procwire.v0.*.json     the same of the first wire, v0`,
  examples: ["procwire schema --out wire", "npx json-schema-to-typescript wire/procwire.schema.json"],
  run: ({ values: { out = "" } }) =>
    Effect.gen(function* () {
      if (out === "") return yield* Flags.wrong("name a folder for the files: --out DIR")
      const folder = yield* found
      const files = JSON.parse(brotliDecompressSync(readFileSync(join(folder, packed))).toString()) as object
      const paths = yield* Effect.try({
        try: () => {
          Folders.make(out)
          return Object.entries(files).map(([name, document]) => {
            writeFileSync(join(out, name), `${JSON.stringify(document)}\n`)
            return `${join(out, name)}\n`
          })
        },
        catch: (cause) =>
          new Flags.ConfigurationError({ message: `--out ${out}: ${OsError.fromUnknown(cause).message}` }),
      })
      return yield* LocalTerminal.print(paths.join(""))
    }),
})

/** All files by their names, as JSON, compressed. */
const packed = "all.br"

/** From the built command, from the library and its compiled modules, and from the sources. */
const places = ["schema/", "../schema/", "../../../schema/", "../../../dist/schema/"]

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
