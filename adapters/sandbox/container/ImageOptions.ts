/** What stands behind `podman:` and `docker:`, as an image and arguments of `run`. */
import { statSync } from "node:fs"
import { isAbsolute } from "node:path"
import * as Either from "effect/Either"
import * as BuiltIn from "../BuiltIn.ts"
import type { SpawnerProblem } from "../SpawnerProblem.ts"

/** An image and how it is run. */
export interface ImageOptions {
  readonly image: string
  readonly args: ReadonlyArray<string>
}

/** How it is written. */
export const usage = ":IMAGE[,rw=DIR,ro=DIR,net=NETWORK,…]"

/** Reads it. */
export const read = (text = ""): Either.Either<ImageOptions, SpawnerProblem> =>
  Either.gen(function* () {
    const [image = "", ...rest] = text.split(",")
    if (!/^\w[\w./:@+-]*$/.test(image))
      return yield* BuiltIn.invalid(
        `'${image}' is no name of an image: expected one such as debian:stable-slim`,
      )
    const args: Array<string> = []
    for (const [name, value = ""] of yield* BuiltIn.pairs(rest.join(","), ["rw", "ro", "net"])) {
      const isNetwork = name === "net"
      if (isNetwork ? value === "" : !isFolder(value)) {
        const expected = isNetwork
          ? "a network, such as none"
          : "an absolute path of a folder, without a colon"
        return yield* BuiltIn.invalid(`${name} is '${value}': expected ${expected}`)
      }
      args.push(...(isNetwork ? ["--network", value] : ["--volume", `${value}:${value}:${name}`]))
    }
    return { image, args }
  })

/** A colon separates the parts of a mount. */
const isFolder = (path: string): boolean =>
  isAbsolute(path) && !path.includes(":") && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
