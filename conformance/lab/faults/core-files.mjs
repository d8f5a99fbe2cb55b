// @ts-check
// Faults of files and HTTP of the server.
import { byCases, inFile } from "./fault.mjs"

export const coreFiles = [
  inFile("core/files/Changing.ts")(
    "links may be refused in a tree",
    "if (recursive && !follow) return unsupported",
    "void unsupported",
    byCases("fs/noFollow/recursive-remove-refused"),
  ),
  inFile("core/files/Copying.ts")(
    "a copy to itself empties a file",
    "if (target.identity === identity) return",
    "void identity",
    byCases("fs/copy/onto-itself-loses-nothing"),
  ),
  inFile("core/files/Handles.ts")(
    "a block may end beyond the last offset",
    "+ BigInt(bytes.length)",
    "",
    byCases("fs/writeBlock/bad-size-refused"),
  ),
  inFile("core/files/MissingWatch.ts")(
    "what is written into a present folder is told",
    'kind === "directory" ? `${identity} ${mode}` : `${identity} ${version}`',
    "`${identity} ${version}`",
    byCases("fs/watchMissing/content-of-present-folder-ignored"),
  ),
  inFile("core/files/ReadWriteLock.ts")(
    "a turn that nobody wants any more is kept",
    "return release()",
    "return",
  ),
  inFile("core/files/Reading.ts")(
    "a link is listed as neither",
    'kind !== "link"',
    "kind",
    byCases("fs/readDirectory/names-and-kinds"),
  ),
  inFile("core/files/Walk.ts")(
    "a walk goes one level too deep",
    "depth >= maxDepth",
    "depth > maxDepth",
    byCases("fs/walk/limits-truncate"),
  ),
  inFile("core/http/FollowRedirects.ts")(
    "one redirect too many is followed",
    "followed === Redirect.most",
    "followed > Redirect.most",
  ),
  inFile("core/http/OutgoingRequest.ts")("an empty variable is a value", '(value === "")', "(false)"),
  inFile("core/http/Proxies.ts")("notexample.org is exempt with example.org", "(`.${name}`)", "(name)"),
  inFile("core/http/Redirect.ts")("PUT becomes GET", 'method === "POST"', 'method !== "HEAD"'),
]
