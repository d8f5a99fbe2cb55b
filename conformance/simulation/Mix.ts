/** The programs of clients. */

export const names = [
  "sessions",
  "files",
  "http",
  "agents",
  "waits",
  "drills",
  "records",
  "viewers",
  "writers",
  "fleet",
  "keep",
] as const

export type Name = (typeof names)[number]

export type Mix = ReadonlySet<Name>

/** The mix that is played by default. The others came later, and would change the seeds of all of these. */
export const usual: Mix = new Set(["sessions", "files", "http", "agents"])

/** The programs of a list with commas; undefined if one of them does not exist, or if there is none. */
export const parse = (text: string): Mix | undefined => {
  const words = text.split(",").map((word) => word.trim())
  const found = names.filter((name) => words.includes(name))
  return found.length === words.length ? new Set(found) : undefined
}

export const toText = (mix: Mix): string => [...mix].join(",")
