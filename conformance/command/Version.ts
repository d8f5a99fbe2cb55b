/**
 * The version of the package that contains this file, from the nearest `package.json` above it.
 */
import { readFileSync } from "node:fs"
import { isObject, parse } from "../suite/Json.ts"

/** The version, or `unknown` without a `package.json` of procwire. */
export const version = (): string => {
  for (const up of ["./", "../", "../../", "../../../"]) {
    try {
      const found = parse(readFileSync(new URL(`${up}package.json`, import.meta.url), "utf8"))
      if (isObject(found) && found["name"] === "procwire") return String(found["version"])
    } catch {
      continue
    }
  }
  return "unknown"
}
