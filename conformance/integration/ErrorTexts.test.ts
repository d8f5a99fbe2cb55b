/**
 * The texts of errors in `procwire.meta.json`, as the suite judges them: our server behind a relay that changes every
 * text as far as the document lets another server do so.
 */
import { readFileSync } from "node:fs"
import { afterAll, expect, it } from "vitest"
import * as Broken from "../testing/Broken.ts"
import { all } from "../suite/cases/all.ts"

interface Text {
  readonly code: number
  readonly codeOfFiles?: number
  readonly message: string
  readonly level: "must" | "should"
  readonly contains?: string
}

interface Refusal {
  readonly code: number
  readonly message: string
}

const file = new URL("../../dist/schema/procwire.meta.json", import.meta.url)
const { texts, systemError } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly texts: { readonly [name: string]: Text }
  readonly systemError: Text & {
    readonly codesOfFiles: { readonly [name: string]: number }
    readonly texts: { readonly [name: string]: string }
    readonly linux: { readonly [name: string]: number }
  }
}

afterAll(Broken.close)

const ofSystem: ReadonlyArray<Text> = Object.entries(systemError.texts).map(([name, text]) => ({
  code: systemError.code,
  codeOfFiles: systemError.codesOfFiles[name] ?? systemError.code,
  message: `${text} (os error ${systemError.linux[name]})`,
  level: "must",
}))

/** A template as a pattern. What has free words behind it, as this server may add, is only the begin of a text. */
const patternOf = ({ message, contains }: Text): RegExp => {
  const literal = message.replace(/[\\^$.*+?()[\]|/]/g, "\\$&")
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>[^]*?)")}${contains === undefined ? "$" : ""}`)
}

/** The part of a text that the document prescribes. Undefined if it has no such text. */
const leastOf = (known: ReadonlyArray<Text>, { code, message }: Refusal): string | undefined => {
  for (const text of known) {
    const places = code === text.code || code === text.codeOfFiles ? patternOf(text).exec(message) : null
    if (places === null) continue
    if (text.contains === undefined) return message
    return text.contains.replace(/\{(\w+)\}/g, (_, place: string) => places.groups?.[place] ?? "")
  }
  return undefined
}

/** Cases about bounds have servers of their own, which a relay can stand before. */
const bounded = /^limits\/flags\/(?:processes-of|start-rate$|sessions$|bytes-that-wait)/

const levels = { must: ["must"], should: ["must", "should"] } as const

/** Cases of a must are many: tests play a third of them each, so that only a hang reaches the limit of a test. */
const thirds = [0, 1, 2]

/** Why cases of a level fail on a server with texts of its own, as far as the document allows that. */
const play = async (level: keyof typeof levels, third?: number) => {
  const known = [...Object.values(texts), ...ofSystem].filter((text) =>
    (levels[level] as ReadonlyArray<string>).includes(text.level),
  )
  const changed = (error: Refusal) => {
    const least = leastOf(known, error)
    return least === error.message ? error : { ...error, message: `${least ?? ""} in other words` }
  }
  const cases = all.filter(
    (item, index) =>
      (third === undefined || index % thirds.length === third) &&
      item.level === level &&
      item.dialect === "current" &&
      !item.slow &&
      (item.server === "shared" || bounded.test(item.id)) &&
      // The relay answers no request of HTTP, and has frames of its own.
      item.transports !== "ws",
  )
  const outcomes = await Broken.passes(
    {
      name: "other-words",
      says: "",
      cases: [],
      relay: {
        answered: (m: { error?: Refusal }) =>
          m.error === undefined ? undefined : { ...m, error: changed(m.error) },
      },
    },
    cases.map(({ id }) => id),
  )
  expect(cases.length).toBeGreaterThan(50)
  return outcomes.filter((why) => !why.includes(": skip, "))
}

it.each(thirds)(
  "are all that a must compares, on a server whose other texts are its own (%i)",
  async (third) => {
    expect(await play("must", third)).toEqual([])
  },
)

it("are all that a should compares", async () => {
  expect(await play("should")).toEqual([])
})
