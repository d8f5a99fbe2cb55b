// @ts-check
// `node .ci/rooms.mjs`: the lines of each room outside tests beside its budget, and the size of the package that npm
// would publish from what is built.
//
//   --write  puts the table into CONTRIBUTING.md
//   --check  fails where a room has another size than the table says, by more than a twentieth
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { command } from "./command.mjs"
import * as Generated from "./generated.mjs"
import { build, root } from "./setup.mjs"

/** The most thousands of lines that a room should have. */
const budgets = {
  "core/protocol": 5.2,
  "core/{transport,rpc,spawn,files,http,session,pattern}": 5.4,
  "core/{process,server}": 4.8,
  "core/features": 4.5,
  "core/{client,agent}": 8.2,
  "core/{directory,fleet}": 2.2,
  adapters: 27,
  conformance: 33,
  ".ci": 1.7,
}

const { values } = command(import.meta.url, {
  options: { write: false, check: false },
})

const git = (/** @type {string[]} */ ...words) => execFileSync("git", words, { cwd: root, encoding: "utf8" })
const isTest = /\.test\.ts$|\/(testing|generated|integration)\//
const sources = git("ls-files", "*.ts", "*.tsx", "*.mjs", "*.js", "*.css", "*.html")
  .split("\n")
  .filter((file) => file !== "" && !isTest.test(file))

/** The lines of a room in thousands. @param {string} room one folder, or several of core in braces */
const sizeOf = (room) => {
  const [, names] = /^core\/\{(.*)\}$/.exec(room) ?? []
  const folders = names === undefined ? [room] : names.split(",").map((name) => `core/${name}`)
  const files = sources.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)))
  return (
    files.reduce((sum, file) => sum + readFileSync(`${root}${file}`, "utf8").split("\n").length - 1, 0) / 1000
  )
}

const sizes = Object.entries(budgets).map(([room, budget]) => ({ room, budget, size: sizeOf(room) }))
const path = `${root}CONTRIBUTING.md`
const text = readFileSync(path, "utf8")

if (values.check) {
  for (const { room, size } of sizes) {
    const row = Generated.linesOf(text, "rooms").find((line) => line.startsWith(`| \`${room}\` |`))
    const written = Number(row?.split("|")[2])
    if (Math.abs(size - written) <= size / 20) continue
    process.stderr.write(`${room} has ${size.toFixed(1)}k lines, and CONTRIBUTING.md says ${written}k: `)
    process.stderr.write("node .ci/rooms.mjs --write\n")
    process.exitCode = 1
  }
} else {
  build()
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  )[0]
  const sum = (/** @type {"size" | "budget"} */ key) => sizes.reduce((total, one) => total + one[key], 0)
  const table = [
    "| room | thousands of lines | budget |",
    "|---|---:|---:|",
    ...sizes.map(({ room, size, budget }) => `| \`${room}\` | ${size.toFixed(1)} | ${budget.toFixed(1)} |`),
    `| all of them | ${sum("size").toFixed(1)} | ${sum("budget").toFixed(1)} |`,
    "",
    `The package: ${packed.entryCount} files, ${(packed.size / 1e6).toFixed(2)} MB packed, ` +
      `${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked.`,
    "",
  ].join("\n")
  process.stdout.write(table)
  if (values.write) writeFileSync(path, Generated.replaced(text, "rooms", table))
}
