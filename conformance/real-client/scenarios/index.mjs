// Every scenario by name, in the order in which they are played. Beside `says` and `run` one may have `only`, the ways
// to the server that it is for, and `cuts`, if it cuts them.
import { scenarios as commands } from "./commands.mjs"
import { scenarios as connections } from "./connections.mjs"
import { scenarios as files } from "./files.mjs"
import { scenarios as sessions } from "./sessions.mjs"

export const all = { ...commands, ...sessions, ...connections, ...files }
