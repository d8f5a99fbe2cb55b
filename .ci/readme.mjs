// @ts-check
// `npm run readme`: writes the generated parts of READMEs: the methods of both wires into core/README.md and the limits
// and options into adapters/shared/serve/README.md, from their tables; the support table into adapters/README.md, from
// what `npm run lab -- support` has proved.
// `npm run readme -- --check`: fails if one is not current, if README.md or CONTRIBUTING.md is too long, if a link
// leads nowhere, or if a TypeScript block of a README or of the docstring of an export does not compile, or a manifest
// for Kubernetes is none.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { command } from "./command.mjs"
import * as Generated from "./generated.mjs"
import { binary, root } from "./setup.mjs"

/** @import { Support } from "../conformance/lab/run/support.mjs" */

const { check } = command(import.meta.url, { options: { check: false } }).values
const methods = await import("../dist/core/protocol/Methods.js")
const abouts = await import("../dist/core/features/Abouts.js")
const v0 = await import("../dist/core/protocol/dialect/v0.js")
const { versions } = await import("../dist/core/protocol/document/Versions.js")
const limits = await import("../dist/core/protocol/Limits.js")
const options = await import("../dist/adapters/shared/serve/Options.js")
const { events } = await import("../dist/core/server/audit/AuditEvent.js")

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`

/**
 * @param {Readonly<Record<string, { readonly says: string }>>} table
 * @param {string} direction
 */
const methodRows = (table, direction) =>
  Object.entries(table).map(([name, { says }]) => row([`\`${name}\``, direction, says]))

const methodHead = ["| method | | |", "|---|---|---|"]

const currentWire = [
  ...methodHead,
  ...methodRows(methods.requests, "request"),
  ...methodRows(methods.clientNotifications, "notification to the server"),
  ...methodRows(methods.serverNotifications, "notification to the client"),
  ...methodRows(abouts.serverNotifications, "notification to the client"),
  ...methodRows(abouts.serverRequests, "request to the client"),
].join("\n")

const firstWire = [
  ...methodHead,
  ...methodRows(v0.requests, "request"),
  ...methodRows(v0.serverNotifications, "notification to the client"),
].join("\n")

/** Every version of the wire, with what it added. */
const versionRows = [
  "| version | | adds |",
  "|---|---|---|",
  ...versions.map(({ adds, addsToAll = [], says, version }) => {
    const names = Object.entries(adds).map(
      ([capability, things = []]) =>
        `\`${capability}\`${things.length > 0 ? ` (${things.map((thing) => `\`${thing}\``).join(", ")})` : ""}`,
    )
    return row([version, says, [...names, ...addsToAll.map((thing) => `\`${thing}\``)].join("; ")])
  }),
].join("\n")

/** Every option that is no limit: its flag, where programs have it, and its default. */
const optionRows = [
  "| flag | in a program | default | |",
  "|---|---|---|---|",
  ...options.general.map(({ path, option }) => {
    const { flag, kind, help } = option
    const shows = kind === "switch" ? "" : ` ${option.shows}`
    const usual = kind === "switch" ? "" : String(option.default ?? "")
    const cells = [`\`--${flag}${shows}\``, `\`${path}\``, usual, help]
    return row(cells.map((cell) => cell.replaceAll("|", "\\|")))
  }),
].join("\n")

/**
 * The type of a row of the table of options.
 * @param {import("../dist/adapters/shared/serve/Option.js").Option} option
 */
const typeOf = (option) => {
  if (option.kind === "switch") return "boolean"
  if (option.kind === "choice") return option.of.map((name) => JSON.stringify(name)).join(" | ")
  if (option.kind === "number") return "number"
  return option.repeatable ? "string | ReadonlyArray<string>" : "string"
}

/**
 * A property for each row of a group, with its help as the docstring.
 * @param {string} group `tls`, or empty for options in none
 */
const properties = (group) =>
  options.general
    .map(({ path, option }) => ({ option, names: path.split(".") }))
    .filter(({ names }) => (names.length === 1 ? "" : names[0]) === group)
    .map(({ option, names }) => {
      const usual = option.kind === "switch" ? "false" : option.default
      const help = `${option.help.charAt(0).toUpperCase()}${option.help.slice(1)}`
      const all = `${help}.${usual === undefined ? "" : ` Default: ${usual}.`} The flag is \`--${option.flag}\`.`
      const lines = all.replace(/(.{1,110})(?: |$)/g, "   * $1\n")
      return `  /**\n${lines}   */\n  readonly ${names.at(-1)}?: ${typeOf(option)} | undefined\n`
    })
    .join("")

const optionTypes = `/** The types of the rows of \`OptionTable\`, written by \`npm run readme\`. */

/** The options of the table that are in no group. */
export interface GeneralOptions {
${properties("")}}

/** The options \`tls\` of the table. */
export interface TlsFileOptions {
${properties("tls")}}

/** The options \`auth\` of the table. */
export interface AuthFileOptions {
${properties("auth")}}
`

/** Every limit, with the text of the refusal beyond it. */
const limitRows = [
  "| flag | in a program | default | | the words of a refusal |",
  "|---|---|---:|---|---|",
  ...limits.names.map((name) => {
    /** @type {{ flag: string, default: number, help: string, refused?: unknown }} */
    const { flag, default: usual, help, refused } = limits.table[name]
    const words = refused ? `\`${limits.textOf(name, usual)}\`` : ""
    return row([`\`--${flag}\``, `\`limits.${name}\``, String(usual), help, words])
  }),
].join("\n")

/** Every event of the audit log, with the members that only it has. */
const auditRows = [
  "| event | | its members |",
  "|---|---|---|",
  ...events.map(({ fields, form, says }) => {
    const common = ["event", "time", "connection", "peer", "session"]
    const members = Object.keys(fields).filter((name) => !common.includes(name))
    return row([
      `\`${form.kind === "struct" ? form.name : ""}\``,
      says,
      members.map((member) => `\`${member}\``).join(", "),
    ])
  }),
].join("\n")

/**
 * Writes a file; with `--check`, fails if it is not current.
 * @param {string} file
 * @param {string} text
 */
const keep = (file, text) => {
  const path = `${root}${file}`
  if (!check) return writeFileSync(path, text)
  if (existsSync(path) && readFileSync(path, "utf8") === text) return undefined
  process.stderr.write(`${file} is not current: npm run readme\n`)
  return process.exit(1)
}

/** The results of the suites, a column for each runtime. */
const support = () => {
  /** @type {Support} */
  const proved = JSON.parse(readFileSync(`${root}conformance/lab/run/support.json`, "utf8"))
  const names = Object.keys(proved)
  const [features = []] = Object.values(proved).map((facts) => Object.keys(facts))
  return [
    row(["", ...names.map((name) => (name.startsWith("Node") ? name : `${name} ${proved[name]?.version}`))]),
    row(["---", ...names.map(() => ":-:")]),
    ...features
      .filter((feature) => feature !== "version")
      .map((feature) => row([feature, ...names.map((name) => (proved[name]?.[feature] ? "yes" : "no"))])),
  ].join("\n")
}

/**
 * The generated parts, by the file and by the name of their comments.
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const generated = {
  "core/README.md": { methods: currentWire, v0: firstWire, versions: versionRows },
  "adapters/README.md": { support: support() },
  "adapters/shared/audit/README.md": { audit: auditRows },
  "adapters/shared/serve/README.md": { options: optionRows, limits: limitRows },
}

for (const [file, parts] of Object.entries(generated)) {
  const text = readFileSync(`${root}${file}`, "utf8")
  keep(
    file,
    Object.entries(parts).reduce((before, [name, lines]) => Generated.replaced(before, name, lines), text),
  )
}
keep("adapters/shared/serve/generated/OptionTypes.ts", optionTypes)

/** The most words of the two documents that a newcomer reads from top to bottom. */
const mostWords = 1_000

/** @param {string[]} patterns */
const tracked = (...patterns) =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")

/** The documents for people: every README, CONTRIBUTING.md, and the page of tasks. */
const documents = () => tracked("*README.md", "CONTRIBUTING.md", "core/client/TASKS.md")

/**
 * The text of a document, or of the docstrings of a source.
 * @param {string} file
 */
const textOf = (file) => {
  const text = readFileSync(`${root}${file}`, "utf8")
  return file.endsWith(".ts") ? text.replaceAll(/^ \* ?/gm, "") : text
}

/**
 * The anchor of a heading.
 * @param {string} heading
 */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** Links to files that are not there, or to headings that they do not have. */
const brokenLinks = () =>
  documents().flatMap((file) => {
    const text = readFileSync(`${root}${file}`, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "")
    return [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([, path = "", heading]) => {
        const target = path === "" ? `${root}${file}` : join(root, dirname(file), path)
        if (!existsSync(target)) return [`${file}: no ${path}`]
        if (heading === undefined) return []
        const headings = [...readFileSync(target, "utf8").matchAll(/^#+ (.*)$/gm)]
        return headings.some(([, name = ""]) => anchor(name) === heading)
          ? []
          : [`${file}: no ${path}#${heading}`]
      },
    )
  })

/**
 * The lines of the table for who comes from execa and zx, as a program: a test runs them.
 * @param {string} file
 */
const linesOf = (file) => {
  const [, table = ""] = /^## From execa and zx\n([\s\S]*?)^## /m.exec(textOf(file)) ?? []
  const lines = [...table.matchAll(/^\|.* \| (`+) ?(.*?) ?\1 \|$/gm)].map(([, , code = ""]) => code)
  const given =
    'declare const client: Client\nconst $ = client.$\nconst { run, start } = client\nconst file = ""\n'
  const imported = 'import type { Client } from "procwire/runtime"\n'
  return lines.length === 0 ? [] : [`${imported}${given}${lines.join("\n;")}\n`]
}

/** A page whose blocks are one program: the first is in front of the others. A test runs it. */
const tasks = "core/client/TASKS.md"

/**
 * The programs of a text.
 * @param {string} file
 * @returns {string[]}
 */
const programsOf = (file) => {
  const blocks = [...textOf(file).matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code)
  if (file !== tasks) return [...blocks, ...linesOf(file)]
  const [setup = "", ...others] = blocks
  return [[setup, ...others.map((code) => `{\n${code}}\n`)].join("")]
}

/**
 * The manifests for Kubernetes in a document, as TypeScript: the types of its API are made from its schema, and know
 * every member.
 * @param {string} file
 * @returns {string[]}
 */
const manifestsOf = (file) =>
  [...textOf(file).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml = ""]) => {
    const parse = "process.stdout.write(JSON.stringify(Bun.YAML.parse(await Bun.stdin.text())))"
    const json = execFileSync(binary("@oven", "bin/bun"), ["-e", parse], { input: yaml, encoding: "utf8" })
    const { apiVersion, kind } = JSON.parse(json)
    const module = apiVersion === "v1" ? "core/v1" : apiVersion
    return `import type { ${kind} } from "kubernetes-types/${module}.js"\nexport const manifest: Required<Omit<${kind}, "status">> = ${json}\n`
  })

/** Compiles every TypeScript block of every document, and of the docstrings of what programs import. */
const compileBlocks = () => {
  const [folder, three] = [`${root}.cache/readme`, `${root}.cache/readme/effect3`]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(three, { recursive: true })
  for (const file of [
    ...documents(),
    ...tracked("core/**index.ts", "adapters/**index.ts", "conformance/**.ts"),
  ]) {
    const place = file.startsWith("adapters/effect3/") ? three : folder
    let number = 0
    for (const code of programsOf(file))
      writeFileSync(`${place}/${file.replaceAll("/", ".")}.${++number}.ts`, `${code}\nexport {}\n`)
  }
  for (const file of documents())
    for (const [at, manifest] of manifestsOf(file).entries())
      writeFileSync(`${folder}/${file.replaceAll("/", ".")}.manifest${at}.ts`, manifest)
  compile(folder, {})
  // Programs on Effect 3 have the packages of its workspace, and the sources that have them as well.
  symlinkSync(`${root}adapters/effect3/node_modules`, `${three}/node_modules`)
  compile(three, { paths: { "procwire/effect3": ["../../../adapters/effect3/index.ts"] } })
}

/**
 * Compiles the programs in a folder.
 * @param {string} folder
 * @param {object} more options of the compiler
 */
const compile = (folder, more) => {
  const compilerOptions = {
    composite: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [`${root}node_modules/@types`],
    noUnusedLocals: false,
    rewriteRelativeImportExtensions: false,
    ...more,
  }
  const config = {
    extends: `${root}tsconfig.json`,
    files: [],
    references: [],
    include: ["*.ts"],
    compilerOptions,
  }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config))
  execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", folder], {
    stdio: "inherit",
  })
}

if (check) {
  const faults = brokenLinks()
  for (const file of ["README.md", "CONTRIBUTING.md"]) {
    // Tables that scripts write do not count.
    const text = readFileSync(`${root}${file}`, "utf8").replaceAll(
      /<!-- (parts|rooms):[^]*?<!-- \/\1 -->/g,
      "",
    )
    const words = text.split(/\s+/).length
    if (words > mostWords) faults.push(`${file} has ${words} words, more than ${mostWords}`)
  }
  if (faults.length > 0) {
    process.stderr.write(`${faults.join("\n")}\n`)
    process.exit(1)
  }
  try {
    compileBlocks()
  } catch {
    process.exit(1) // the compiler has printed its errors
  }
}
