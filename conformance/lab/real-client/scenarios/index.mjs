// Every scenario by name, in the order in which they are played. Beside `says` and `run` one may have `only`, the ways
// to the server that it is for, `cuts`, if it cuts them, `flags`, of our server, `confines`, if it needs
// a sandbox, and `slow`, if it is played only where it is named.
import { scenarios as commands } from "./commands.mjs"
import { scenarios as connections } from "./connections.mjs"
import { scenarios as files } from "./files.mjs"
import { scenarios as sandboxes } from "./sandboxes.mjs"
import { scenarios as sessions } from "./sessions.mjs"
import { scenarios as tools } from "./tools.mjs"

export const all = { ...commands, ...sessions, ...connections, ...files, ...sandboxes, ...tools }
