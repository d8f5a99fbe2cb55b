// @ts-check
// Types of the wire for other languages, which are made from the schema and not published.
//
//   npm run schema -- go [DIR]     writes procwire.go, by default into dist/schema/go
//   npm run schema -- rust [DIR]   writes procwire.rs, by default into dist/schema/rust
//   node .ci/languages.mjs --check [FILE]
//
// The check compiles both, and reads and writes every example of the schema and every message of the cases for clients
// with them: what comes out has to be what went in. With a FILE, one message of a run a line as `npm run
// conformance:schema -- --messages FILE` writes them, those are taken, too. A language whose compiler is not installed
// is skipped, which is said.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { documents } from "./schema/files.mjs"
import { goHarness, goTypes } from "./schema/go.mjs"
import { examples, messages } from "./schema/samples.mjs"
import { rustHarness, rustTypes } from "./schema/rust.mjs"
import { normal, shapes } from "./schema/shapes.mjs"
import { command } from "./command.mjs"
import { build, install, root } from "./setup.mjs"

const {
  values,
  positionals: [wanted = "", place],
} = command(import.meta.url, { options: { check: { type: "boolean" } }, allowPositionals: true })
install()
build()
/** @type {Record<string, any>} */
const made = await documents(root)
const [schema, meta] = [made["procwire.schema.json"], made["procwire.meta.json"]]

/** @typedef {{ readonly Type: string, readonly Value: unknown }} Sample */

/**
 * A language: its file, and a program that is compiled in a folder from the types and a harness.
 * @typedef {object} Language
 * @property {string} name
 * @property {string} file
 * @property {string} types
 * @property {readonly string[]} asks the words that tell whether it is installed
 * @property {readonly string[]} compiles the words that make the program `./again`
 * @property {Readonly<Record<string, string>>} sources
 */

/** @type {Record<string, Language>} */
const languages = {
  go: {
    name: "Go",
    file: "procwire.go",
    types: goTypes(schema, meta),
    asks: ["go", "version"],
    compiles: ["go", "build", "-o", "again", "."],
    sources: {
      "go.mod": "module procwire\n\ngo 1.18\n",
      "main.go": goHarness(schema, meta),
      "procwire/procwire.go": goTypes(schema, meta),
    },
  },
  rust: {
    name: "Rust",
    file: "procwire.rs",
    types: rustTypes(schema, meta),
    asks: ["rustc", "--version"],
    compiles: ["rustc", "--edition", "2021", "-o", "again", "main.rs"],
    sources: { "main.rs": rustHarness(schema, meta), "procwire.rs": rustTypes(schema, meta) },
  },
}

/** The text of a value with its members in the order of their names. @param {unknown} value @returns {string} */
const sorted = (value) =>
  JSON.stringify(value, (_, one) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

/** What is wrong with a language: what its program has not written as it was. @param {Language} language @param {readonly Sample[]} samples */
const faults = ({ compiles: [program = "", ...args], sources }, samples) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-types-"))
  try {
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const env = { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local", GOPROXY: "off" }
    execFileSync(program, args, { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] })
    const input = samples.map((sample) => `${JSON.stringify(sample)}\n`).join("")
    const out = execFileSync(join(folder, "again"), { input, encoding: "utf8", maxBuffer: 2 ** 30 }).split(
      "\n",
    )
    const all = shapes(schema, meta)
    return samples.flatMap(({ Type, Value }, index) => {
      const text = out[index] ?? "nothing"
      const wanted = sorted(normal(Value, { kind: "ref", name: Type }, all))
      const got = text.startsWith("{") || /^["[\d-]/.test(text) ? sorted(JSON.parse(text)) : text
      return got === wanted ? [] : [`${Type}: wanted ${wanted}, got ${got}`]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string | undefined} file */
const check = async (file) => {
  const recorded =
    file === undefined
      ? []
      : readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
  const samples = [
    ...examples(schema),
    ...(await messages(root, meta)),
    ...recorded.map((line) => /** @type {Sample} */ (JSON.parse(line))),
  ]
  let failed = false
  for (const language of Object.values(languages)) {
    const [program = "", ...args] = language.asks
    if (spawnSync(program, args).status !== 0) {
      process.stdout.write(`${language.name}: skipped, ${program} is not installed\n`)
      continue
    }
    const wrong = faults(language, samples)
    process.stderr.write(
      wrong
        .slice(0, 20)
        .map((line) => `${language.name}: ${line.slice(0, 1000)}\n`)
        .join(""),
    )
    process.stdout.write(
      `${language.name}: ${samples.length - wrong.length} of ${samples.length} values are the same\n`,
    )
    failed ||= wrong.length > 0
  }
  process.exit(failed ? 1 : 0)
}

const language = languages[wanted]
if (values.check) await check(wanted || undefined)
else if (language === undefined) {
  process.stderr.write(
    `npm run schema: name a language: ${Object.keys(languages).join(" or ")}, or --check\n`,
  )
  process.exit(2)
} else {
  const file = join(resolve(place ?? join(root, "dist/schema", wanted)), language.file)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, language.types)
  process.stdout.write(`${file}\n`)
}
