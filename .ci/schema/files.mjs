// @ts-check
// The files that describe the wire for machines, from the compiled tables and the docstrings of their sources.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { brotliCompressSync } from "node:zlib"
import { docstrings } from "./docstrings.mjs"
import { pythonTypes } from "./python.mjs"

/**
 * The compiled modules of the documents.
 * @param {string} root
 */
export const documents = async (root) => {
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(root, `dist/core/protocol/document/${name}.js`)).href)
  const [{ wires }, schema, meta] = await Promise.all(["Wire", "SchemaDocument", "MetaDocument"].map(load))
  const docs = docstrings(root)
  /** @type {Record<string, any>} */
  const files = {}
  for (const wire of /** @type {readonly { readonly name: "procwire" | "procwire.v0" }[]} */ (wires)) {
    files[`${wire.name}.schema.json`] = schema.make(wire, docs[wire.name])
    files[`${wire.name}.meta.json`] = meta.make(wire, docs[wire.name])
    files[`${wire.name}.openrpc.json`] = meta.makeOpenRpc(wire, docs[wire.name])
  }
  return files
}

/**
 * Writes them into dist/schema, plain for tests, and compressed into one file as they are published; and the types of
 * the client for Python beside it.
 * @param {string} root
 */
export const writeSchema = async (root) => {
  const folder = join(root, "dist/schema")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = await documents(root)
  writeFileSync(
    join(root, "conformance/clients/python/procwire_client/types.py"),
    pythonTypes(files["procwire.schema.json"], files["procwire.meta.json"]),
  )
  for (const [name, document] of Object.entries(files))
    writeFileSync(join(folder, name), `${JSON.stringify(document)}\n`)
  writeFileSync(join(folder, "all.br"), brotliCompressSync(JSON.stringify(files)))
}
