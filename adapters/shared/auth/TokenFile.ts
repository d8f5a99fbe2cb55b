/**
 * The place of a token, and its rights: `FILE`, or `NAME:SCOPES=FILE` for a token with a name, whose clients may
 * do something with the sessions of others.
 */
import * as Either from "effect/Either"
import { greater, type SessionScope, scopes } from "../../../core/protocol/SessionScope.ts"

/** A file with one token. */
export interface TokenFile {
  readonly file: string
  /** The name of the token; its file, if it has none. */
  readonly name: string
  /** The rights of its clients over the sessions of others. */
  readonly scope: SessionScope
}

/** The meaning of a text; on the left, a scope that does not exist. */
export const parse = (text: string): Either.Either<TokenFile, string> => {
  const [whole, name = "", words = "", file = ""] = /^([^:=/\\]+):([a-z,]+)=(.+)$/.exec(text) ?? []
  if (whole === undefined) return Either.right({ file: text, name: text, scope: "own" })
  let scope: SessionScope = "own"
  for (const word of words.split(",")) {
    const found = scopes.find((one) => one === word)
    if (found === undefined) return Either.left(word)
    scope = greater(scope, found)
  }
  return Either.right({ file, name, scope })
}

/** The files of an option that may be repeated; other values are left out. */
export const filesOf = (option: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  [option ?? []]
    .flat()
    .flatMap((text) => Either.match(parse(text), { onLeft: () => [], onRight: ({ file }) => file }))

/** The greatest scope among the words of a claim, which may have words for others. */
export const scopeOf = (claim: unknown): SessionScope =>
  typeof claim !== "string"
    ? "own"
    : claim
        .split(" ")
        .flatMap((word) => scopes.filter((one) => one === word))
        .reduce<SessionScope>(greater, "own")
