/**
 * The version of the package that this file was installed with, found by walking up to its `package.json`.
 */
import { readFileSync } from "node:fs"
import { isObject, parse } from "../suite/Json.ts"

export const version = (): string => {
  for (const up of ["../", "../../", "./"]) {
    try {
      const found = parse(readFileSync(new URL(`${up}package.json`, import.meta.url), "utf8"))
      if (isObject(found) && found["name"] === "procwire") return String(found["version"])
    } catch {
      continue
    }
  }
  return "unknown"
}
