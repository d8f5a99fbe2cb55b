// @ts-check
// `npm run check -- docs`: the API reference of every export, into dist/docs. A warning is an error: a public name
// without a docstring, a link to nothing, a type that is used but not exported.
//
// typedoc reads types through the compiler's JavaScript API, which TypeScript 7 no longer has: both are installed, in
// versions that fit each other, into .cache/docs.
import { command } from "./command.mjs"
import { existsSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { cacheOf, fetchInto } from "../conformance/lab/run/fetched.mjs"
import { install, root } from "./setup.mjs"

const wanted = { typedoc: "0.28.20", typescript: "6.0.3" }

/** The packages of the documentation, as modules. */
const typedoc = async () => {
  /** @param {string} name */
  const installed = (name) => {
    const file = `${cacheOf("docs")}/node_modules/${name}/package.json`
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined
  }
  const packages = Object.entries(wanted)
  if (packages.some(([name, version]) => installed(name) !== version)) {
    if (
      !fetchInto(
        "docs",
        packages.map((pair) => pair.join("@")),
      )
    )
      process.exit(1)
  }
  return import(pathToFileURL(`${cacheOf("docs")}/node_modules/typedoc/dist/index.js`).href)
}

/** The name of each export by its source: `core/client/index.ts` is `procwire/effect/client`. */
const exported = () => {
  /** @type {{ exports: Readonly<Record<string, string | { types: string }>> }} */
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
  /** @type {Map<string, string>} */
  const names = new Map()
  for (const [name, conditions] of Object.entries(exports)) {
    if (typeof conditions === "string") continue
    const source = conditions.types.replace("./dist/lib/", "").replace(/\.d\.ts$/, ".ts")
    if (!names.has(source)) names.set(source, `procwire${name.slice(1)}`)
  }
  return names
}

const options = {
  name: "procwire",
  readme: "none",
  tsconfig: `${root}.ci/docs.tsconfig.json`,
  out: `${root}dist/docs`,
  githubPages: false,
  disableSources: true,
  disableGit: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  includeVersion: true,
  treatWarningsAsErrors: true,
  // The compiler has checked the same sources for `npm run check`, in half of the time.
  skipErrorChecking: true,
  // Compiled patterns are handed on as they are, opaque outside. `Type` and `Encoded` only name types of a shape.
  intentionallyNotExported: ["Shape.Type", "Shape.Encoded"],
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, unusedMergeModuleWith: true },
}

command(import.meta.url)
install()
const { Application, ReflectionKind } = await typedoc()
const names = exported()
const entryPoints = [...names.keys()].map((source) => root + source)
const app = await Application.bootstrap({ ...options, entryPoints })
const project = await app.convert()
if (project === undefined) process.exit(1)
for (const entry of project.children)
  entry.name = names.get(project.getSymbolIdFromReflection(entry)?.packagePath) ?? entry.name
app.validate(project)

/**
 * The members in use of a typedoc reflection.
 * @typedef {object} Reflection
 * @property {Reflection | undefined} parent
 * @property {{ readonly declaration?: Signed } | undefined} type
 * @property {(kind: number) => boolean} kindOf
 * @property {() => boolean} hasComment
 * @property {() => string} getFullName
 * @property {ReadonlyArray<{ readonly package?: string }>} [extendedTypes]
 */

/**
 * @typedef {object} Signed
 * @property {() => readonly Reflection[]} [getAllSignatures]
 */

/**
 * A member of a type without a name (a schema's, an error's fields, a literal): its owner says what it is.
 * @type {(item: Reflection) => boolean}
 */
const isAnonymous = ({ parent }) =>
  parent !== undefined && (parent.kindOf(ReflectionKind.TypeLiteral) || isAnonymous(parent))

/**
 * A member of an interface that extends the type of a schema: its owner says what it is.
 * @type {(item: Reflection) => boolean}
 */
const isOfSchema = ({ parent }) => parent?.extendedTypes?.some((type) => type.package === "effect") ?? false

/**
 * typedoc keeps the docstring of a function at its signature.
 * @param {Reflection & Signed} item
 */
const isDocumented = (item) =>
  item.hasComment() ||
  [item, item.type?.declaration].some((owner) => owner?.getAllSignatures?.().some((one) => one.hasComment()))

const documented = [
  "Module",
  "Variable",
  "Function",
  "Class",
  "Interface",
  "TypeAlias",
  "Property",
  "Method",
  "Accessor",
]
for (const kind of documented) {
  for (const item of project.getReflectionsByKind(ReflectionKind[kind])) {
    const declared = project.getSymbolIdFromReflection(item)
    if (declared?.packageName !== "procwire" || isAnonymous(item) || isOfSchema(item)) continue
    if (isDocumented(item)) continue
    app.logger.warn(`${declared.packagePath}: ${item.getFullName()} (${kind}) has no docstring`)
  }
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1)
await app.generateOutputs(project)
