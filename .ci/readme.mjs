// `npm run readme`: writes the parts of READMEs that are generated: the methods of both wires into core/README.md, the
// limits into adapters/README.md, the support table into README.md (from what `npm run support` proved), and the list of
// conformance cases into conformance/IDS.md.
// `npm run readme -- --check`: fails if one is not current, if README.md is longer than 14 kB, or if a TypeScript block of
// any README does not compile.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { root } from "./setup.mjs"

const methods = await import("../dist/core/protocol/Methods.js")
const v0 = await import("../dist/core/protocol/dialect/v0.js")
const limits = await import("../dist/core/protocol/Limits.js")
const check = process.argv.includes("--check")

const rows = (table, direction) =>
  Object.entries(table).map(([name, { says }]) => `| \`${name}\` | ${direction} | ${says} |`)

const list = [
  "| method | | |",
  "|---|---|---|",
  ...rows(methods.requests, "request"),
  ...rows(methods.clientNotifications, "notification to the server"),
  ...rows(methods.serverNotifications, "notification to the client"),
].join("\n")

/** The same of the first wire. */
const firstWire = [
  "| method | | |",
  "|---|---|---|",
  ...rows(v0.requests, "request"),
  ...rows(v0.serverNotifications, "notification to the client"),
].join("\n")

/** Every limit, with what is said beyond it. */
const limitRows = [
  "| flag | default | | the words of a refusal |",
  "|---|---:|---|---|",
  ...limits.names.map((name) => {
    const { flag, default: usual, help, refused } = limits.table[name]
    return `| \`--${flag}\` | ${usual} | ${help} | ${refused ? `\`${limits.textOf(name, usual)}\`` : ""} |`
  }),
].join("\n")

/** The cases of one suite, by family: what an id promises stays true for ever. */
const idsOf = (title, cases, familyOf) => {
  const families = [...new Set(cases.map(({ id }) => familyOf(id)))]
  const row = ({ id, level, requires, says, slow, transports = "any" }) => {
    const tags = [transports === "any" ? [] : `${transports} only`, slow ? "slow" : [], ...requires].flat()
    return `| \`${id}\` | ${level} | ${tags.join(", ")} | ${says.replaceAll("|", "\\|")} |`
  }
  return [
    `## ${title}`,
    ...families.flatMap((family) => [
      `### ${family}\n`,
      "| id | level | needs | |",
      "|---|---|---|---|",
      ...cases.filter(({ id }) => familyOf(id) === family).map(row),
      "",
    ]),
  ].join("\n")
}

/** The suites about seams, as far as they are built. */
const seams = ["spawner", "transport"].filter((name) => existsSync(`${root}dist/conformance/${name}/cases/index.js`))

const ids = async () => {
  const { cases } = await import("../dist/conformance/suite/cases/index.js")
  const { family } = await import("../dist/conformance/suite/Case.js")
  const v0 = await import("../dist/conformance/suite/cases/v0/index.js")
  const parts = [idsOf("The wire", cases, family), idsOf("The first wire, v0", v0.cases, family)]
  for (const name of seams) {
    const seam = await import(`../dist/conformance/${name}/cases/index.js`)
    parts.push(idsOf(`The ${name}`, seam.cases, (id) => id.split("/").slice(0, 2).join("/")))
  }
  return `# Every case\n\nWritten by \`npm run readme\`, from the cases.\n\n${parts.join("\n")}`
}

/** Writes a file, or fails if it is not what it should be. */
const keep = (file, text) => {
  const path = `${root}${file}`
  if (!check) return writeFileSync(path, text)
  if (existsSync(path) && readFileSync(path, "utf8") === text) return undefined
  process.stderr.write(`${file} is not current: npm run readme\n`)
  return process.exit(1)
}

/** What runs proved, a column for each runtime. */
const support = () => {
  const proved = Object.entries(JSON.parse(readFileSync(`${root}conformance/lab/run/support.json`, "utf8")))
  const [, { version: _, ...features }] = proved[0]
  const line = (cells) => `| ${cells.join(" | ")} |`
  return [
    line(["", ...proved.map(([name, { version }]) => (name.startsWith("Node") ? name : `${name} ${version}`))]),
    line(["---", ...proved.map(() => ":-:")]),
    ...Object.keys(features).map((row) => line([row, ...proved.map(([, rows]) => (rows[row] ? "yes" : "no"))])),
  ].join("\n")
}

/** Replaces what stands between the two comments of this name, which must be there. */
const between = (text, name, lines) => {
  const block = new RegExp(`(<!-- ${name}: .*? -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!block.test(text)) throw new Error(`no block ${name} to write`)
  return text.replace(block, (_, begin, end) => `${begin}${lines}\n${end}`)
}

/** What is generated, by the file that has it and the name of its comments. */
const generated = {
  "README.md": { support: support() },
  "core/README.md": { methods: list, v0: firstWire },
  "adapters/README.md": { limits: limitRows },
}
for (const [file, blocks] of Object.entries(generated)) {
  const text = readFileSync(`${root}${file}`, "utf8")
  keep(file, Object.entries(blocks).reduce((before, [name, lines]) => between(before, name, lines), text))
}
keep("conformance/IDS.md", await ids())

if (check) {
  const { length } = readFileSync(`${root}README.md`)
  if (length > 14_000) {
    process.stderr.write(`README.md has ${length} bytes, more than 14000\n`)
    process.exit(1)
  }
  const folder = `${root}.cache/readme`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = execFileSync("git", ["ls-files", "*README.md", "CONTRIBUTING.md"], { cwd: root, encoding: "utf8" }).trim().split("\n")
  for (const file of files) {
    const blocks = readFileSync(`${root}${file}`, "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm)
    let number = 0
    for (const [, code] of blocks) writeFileSync(`${folder}/${file.replaceAll("/", ".")}.${++number}.ts`, `${code}\nexport {}\n`)
  }
  const options = { extends: "../../tsconfig.json", files: [], references: [], include: ["*.ts"] }
  options.compilerOptions = { composite: false, noEmit: true, types: ["node"], noUnusedLocals: false, rewriteRelativeImportExtensions: false }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(options))
  try {
    execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", folder], { stdio: "inherit" })
  } catch {
    process.exit(1) // the compiler has said why
  }
}
