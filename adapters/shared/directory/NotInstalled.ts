/** The error of an engine whose packages are not installed, or not in the version that is needed. */
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"

/** The error of a directory in this engine, with the command that installs its packages. */
export const notInstalled =
  (engine: string, packages: ReadonlyArray<string>) =>
  (cause: unknown): DirectoryError =>
    new DirectoryError({
      reason: "NotInstalled",
      message: `a directory in ${engine} needs packages that are not installed: npm install ${packages.join(" ")}`,
      cause,
    })
