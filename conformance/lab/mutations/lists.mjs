// @ts-check
// Mutations of lists: of processes and of sessions.
import { inFile, one } from "./mutation.mjs"

const listing = inFile("core/session/Listing.ts")

export const lists = [
  listing("    last = place\n", "", "the next page begins where this one began", "process/list/pages"),
  listing("looks >= mostLooks || ", "", "a page looks at every process where none matches"),
  listing("if (number >= own) return\n", "", "the own session is listed again behind its page"),
  listing(
    "Object.hasOwn(has, key) && has[key] === value",
    "has[key] === value || has[key] === undefined",
    "a process without a label has every value of it",
    "process/list/filters",
  ),
  one(
    "core/server/handlers/list.ts",
    'asked === "all" ? sessions.after : Listing.only(sessions.after, number)',
    "sessions.after",
    "a client sees the sessions of others",
    "process/list/own-session-only",
  ),
  one(
    "core/process/Numbered.ts",
    "if (this.items[index] === item) this.items.splice(index, 1)",
    "this.items.splice(index, 1)",
    "what is not there takes another with it",
  ),
  one(
    "core/process/Control.ts",
    "process.stdio = { ...stdio, size, sizes }",
    "process.stdio = { ...stdio, sizes }",
    "a list has the size with which a terminal began",
    "process/list/terminal-size",
  ),
]
