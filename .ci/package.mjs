// @ts-check
// The package as npm would publish it: its manifest, the types of each export as each kind of resolution finds them,
// and that packing it twice gives the same bytes. With `--types` what compiles against it and what must not, by each
// compiler that is supported, which takes longer.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { filterProblems } from "@arethetypeswrong/core/problems"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { command } from "./command.mjs"
import { build, root } from "./setup.mjs"
import { typeFaults } from "./types.mjs"

const { values } = command(import.meta.url, { options: { types: false } })
build()
const folder = mkdtempSync(join(tmpdir(), "procwire-packed-"))

/** The path of a package made now; the next one has the same. */
const pack = () => {
  const told = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  return join(folder, JSON.parse(told)[0].filename)
}

/** @param {Uint8Array} bytes */
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex")

/** Only ES modules are published, so resolution as CommonJS, and that of Node 10, find nothing that counts. */
const resolutions = /** @type {const} */ (["node16-esm", "bundler"])

/** The faults of the package, but for the types of its exports. */
const faults = async () => {
  const packed = readFileSync(pack())
  const again = digest(readFileSync(pack()))
  const { messages, pkg } = await publint({
    pack: { tarball: packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.length) },
  })
  const analysis = await checkPackage(createPackageFromTarballData(packed))
  const typed =
    analysis.types === false
      ? []
      : resolutions.flatMap((kind) => filterProblems(analysis, { resolutionKind: kind }))
  process.stdout.write(`${packed.length} bytes packed, SHA-256 ${again}\n`)
  return [
    ...messages.map((message) => formatMessage(message, pkg) ?? message.code),
    ...(analysis.types === false ? ["it has no types"] : typed.map((problem) => JSON.stringify(problem))),
    ...(digest(packed) === again ? [] : ["packing it twice gives different bytes"]),
  ]
}

try {
  const wrong = values.types ? await typeFaults(pack()) : await faults()
  if (wrong.length > 0) {
    process.stderr.write(wrong.map((line) => `the package: ${line}\n`).join(""))
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
