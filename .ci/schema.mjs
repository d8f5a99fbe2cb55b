// @ts-check
// `npm run schema`: writes core/protocol/document/wire.lock, which says what is on the wire, if every change of it is
// declared in the wire of a feature or in Versions.ts.
// `npm run schema -- --check`: fails if a change is not declared, or if the file is not current.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "./command.mjs"
import { build, install, root } from "./setup.mjs"

const { values } = command(import.meta.url, { options: { check: false } })
install()
build()
const { wires, current } = await import("../dist/core/protocol/document/Wire.js")
const Lock = await import("../dist/core/protocol/document/Lock.js")
const Versions = await import("../dist/core/protocol/document/Versions.js")

const name = "core/protocol/document/wire.lock"
const file = join(root, name)
const old = existsSync(file) ? readFileSync(file, "utf8") : undefined
const lock = Lock.make(wires)
const text = Lock.toText(lock)

const signs = { added: "+", changed: "~", removed: "-" }
const differences = old === undefined ? [] : Lock.compare(Lock.fromText(old), lock, current)
const undeclared = differences.filter(({ declared }) => !declared)
if (undeclared.length > 0) {
  const lines = undeclared.map(
    ({ kind, name }) => `  ${signs[kind]} ${name}: ${lock.get(name) ?? "is gone"}\n`,
  )
  process.stderr.write(
    `the wire has changed, and nothing declares it:\n${lines.join("")}` +
      "name what was added in `adds` of the wire of its feature, where it does not follow from that, or in " +
      `core/protocol/document/Versions.ts, under its capability (now ${Versions.current}; begin a new version if ` +
      "that is released); and what was changed or removed in `changes` there; then: npm run schema\n",
  )
  process.exit(1)
}

if (old !== text) {
  if (values.check) {
    process.stderr.write(`${name} is not current: npm run schema\n`)
    process.exit(1)
  }
  writeFileSync(file, text)
}
process.stdout.write(`wire ${Versions.current}: ${lock.size} lines in ${name}\n`)
