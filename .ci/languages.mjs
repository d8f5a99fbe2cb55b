// @ts-check
// Types of the wire for other languages, made from the schema by quicktype, which npm fetches, and not published.
//
//   npm run schema -- LANGUAGE [DIR]   writes procwire.EXT, by default into dist/schema/LANGUAGE: go, rust (for serde)
//   node .ci/languages.mjs --check [FILE]
//
// The check reads and writes every example of the schema and every message of the cases for clients with quicktype's
// types for TypeScript, which check at run time: the result has to be the same value, where a null is the same as an
// absent member. With a FILE, one message of a run a line as `npm run lab -- schema --messages FILE` writes them, those
// are taken, too.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { build as bundle } from "esbuild"
import { cacheOf, fetchInto } from "../conformance/lab/run/fetched.mjs"
import { command } from "./command.mjs"
import { examples, messages } from "./schema/samples.mjs"
import { build, install, root } from "./setup.mjs"

const {
  values,
  positionals: [wanted = "", place],
} = command(import.meta.url, { options: { check: { type: "boolean" } }, allowPositionals: true })

/** The extension and the options of each language. @type {Readonly<Record<string, readonly [extension: string, ...options: string[]]>>} */
const languages = {
  go: ["go", "--package", "procwire"],
  rust: [
    "rs",
    "--leading-comments",
    "false",
    "--visibility",
    "public",
    "--derive-debug",
    "--skip-serializing-none",
  ],
  typescript: ["ts"],
}

const schemas = join(root, "dist/schema")

/** Writes the types for a language into a folder. @param {string} language @param {string} folder @returns the path */
const write = (language, folder) => {
  const [extension = "", ...options] = languages[language] ?? []
  const script = `${cacheOf("quicktype")}/node_modules/quicktype/dist/index.js`
  if (!existsSync(script) && !fetchInto("quicktype", ["quicktype@23.3.25"])) process.exit(1)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `procwire.${extension}`)
  const source = ["--src-lang", "schema", `${join(schemas, "procwire.schema.json")}#/$defs/`]
  const words = [script, "--quiet", "--lang", language, ...options, ...source, "--out", file]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" })
  if (status === 0) return file
  process.stderr.write(stderr)
  return process.exit(1)
}

/** A value without its members that are null. @param {unknown} value @returns {unknown} */
const bare = (value) =>
  JSON.parse(JSON.stringify(value), (_, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).filter(([, member]) => member !== null))
      : inner,
  )

/** @param {string} name */
const document = (name) => JSON.parse(readFileSync(join(schemas, name), "utf8"))

/** @param {string | undefined} recorded */
const check = async (recorded) => {
  const outfile = join(root, ".cache/languages/procwire.mjs")
  await bundle({ entryPoints: [write("typescript", join(root, ".cache/languages"))], outfile, format: "esm" })
  const { Convert } = await import(outfile)
  const names = Object.getOwnPropertyNames(Convert)
  /** @param {string} name */
  const convert = (name) => Convert[names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? ""]
  const lines = recorded === undefined ? [] : readFileSync(recorded, "utf8").split("\n").filter(Boolean)
  /** @type {readonly import("./schema/samples.mjs").Sample[]} */
  const samples = [
    ...examples(document("procwire.schema.json")),
    ...(await messages(root, document("procwire.meta.json"))),
    ...lines.map((line) => JSON.parse(line)),
  ]
  const wrong = samples.flatMap(({ Type, Value }) => {
    try {
      const again = JSON.parse(convert(`${Type}ToJson`)(convert(`to${Type}`)(JSON.stringify(Value))))
      if (isDeepStrictEqual(bare(again), bare(Value))) return []
      return [`${Type}: wanted ${JSON.stringify(Value)}, got ${JSON.stringify(again)}`]
    } catch (error) {
      return [`${Type}: ${error}`]
    }
  })
  process.stderr.write(wrong.map((line) => `${line.slice(0, 1000)}\n`).join(""))
  process.stdout.write(`${samples.length - wrong.length} of ${samples.length} values are the same\n`)
  process.exitCode = wrong.length > 0 ? 1 : 0
}

install()
build()
if (values.check) await check(wanted || undefined)
else if (languages[wanted] === undefined) {
  const names = Object.keys(languages).join(", ")
  process.stderr.write(`npm run schema: ${wanted}: expected a language of ${names}, or --check\n`)
  process.exitCode = 2
} else process.stdout.write(`${write(wanted, resolve(place ?? join(schemas, wanted)))}\n`)
