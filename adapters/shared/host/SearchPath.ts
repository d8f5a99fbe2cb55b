/** Programs of this host by their name, from the server's own PATH; those of children are found by `ProgramPath`. */
import { delimiter, isAbsolute, join } from "node:path"

/**
 * The first file of this name in the absolute folders of `path`, the value of a PATH variable, that `runs` accepts.
 * A relative folder would be another one after each change of the working directory, so it is passed over.
 */
export const find = (
  name: string,
  path: string | undefined,
  runs: (file: string) => boolean,
): string | undefined =>
  (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(runs)
