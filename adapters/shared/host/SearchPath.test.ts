import { delimiter } from "node:path"
import { expect, test } from "vitest"
import * as SearchPath from "./SearchPath.ts"

/** The path of `bash`, if these files are programs. */
const find = (path: string | undefined, ...programs: ReadonlyArray<string>) =>
  SearchPath.find("bash", path, (file) => programs.includes(file))

test("the first folder with such a program wins", () => {
  const path = ["/a", "/b", "/c"].join(delimiter)
  expect(find(path, "/c/bash", "/b/bash")).toBe("/b/bash")
  expect(find(path)).toBeUndefined()
})

test("folders that are relative or empty are passed over, and no PATH has none", () => {
  expect(find(["", "bin", "."].join(delimiter), "bash", "bin/bash")).toBeUndefined()
  expect(find(undefined, "bash", "/bash")).toBeUndefined()
})
