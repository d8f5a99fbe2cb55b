/** Files for the output of commands. */
import * as fs from "node:fs"
import { dirname, resolve } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as OsError from "../host/OsError.ts"
import { type Unable, unable } from "./server/Unable.ts"

/** Replaces a file as a whole: it has its old content or all of the new one, whatever happens meanwhile. */
export const replace = (file: string, text: string): Effect.Effect<void, Unable> => {
  let unfinished: string | undefined
  return attempt(file, () => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    // A device, as /dev/stdout, is written to.
    if (found?.isFile() === false) return fs.writeFileSync(file, text)
    // A link stays, and its target is replaced, or made.
    const real = found === undefined ? dangling(file) : fs.realpathSync(file)
    unfinished = `${real}.${process.pid}.part`
    fs.writeFileSync(unfinished, text)
    return fs.renameSync(unfinished, real)
  }).pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        if (unfinished !== undefined) fs.rmSync(unfinished, { force: true })
      }),
    ),
  )
}

/** The missing file to which a path leads, through links if it is one. The system bounds their number. */
const dangling = (file: string): string =>
  fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? dangling(resolve(dirname(file), fs.readlinkSync(file)))
    : file

/**
 * A file that is written piece by piece: everything of a piece is in the file when `append` completes. It is made by
 * its first piece, so that a command which fails before leaves none. One that is there is an error, unless it may be
 * `overwritten`.
 */
export const grow = (file: string, overwritten: boolean) =>
  Effect.gen(function* () {
    let fd: number | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => fd !== undefined && fs.closeSync(fd)))
    return (text: string) =>
      attempt(file, () => fs.appendFileSync((fd ??= fs.openSync(file, overwritten ? "w" : "wx")), text))
  })

const attempt = (file: string, write: () => void): Effect.Effect<void, Unable> =>
  Effect.try({
    try: write,
    catch: (cause) => {
      const { message } = OsError.fromUnknown(cause)
      const remedy = (cause as NodeJS.ErrnoException).code === "EEXIST" ? "; --overwrite replaces it" : ""
      return unable(`cannot write ${file}: ${message}${remedy}`)
    },
  })
