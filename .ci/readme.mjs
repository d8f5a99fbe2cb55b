// `npm run readme`: writes the method list into README.md, from the method table.
// `npm run readme -- --check`: fails if it is not current, or if a TypeScript block of any README does not compile.
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { root } from "./setup.mjs"

const methods = await import("../dist/core/protocol/Methods.js")
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

const readme = readFileSync(`${root}README.md`, "utf8")
const current = readme.replace(/(<!-- methods: .*? -->\n)[\s\S]*?(<!-- \/methods -->)/, (_, begin, end) => `${begin}${list}\n${end}`)
if (!check) writeFileSync(`${root}README.md`, current)
else if (current !== readme) {
  process.stderr.write("the method list in README.md is not current: npm run readme\n")
  process.exit(1)
}

if (check) {
  const folder = `${root}dist/readme`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = execFileSync("git", ["ls-files", "*README.md"], { cwd: root, encoding: "utf8" }).trim().split("\n")
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
