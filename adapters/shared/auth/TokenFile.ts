/**
 * The place of a token, and its rights: `FILE`, or `NAME:SCOPES=FILE` for a token with a name, whose clients may
 * do something with the sessions of others.
 */
import * as Result from "effect/Result"
import { greater, type SessionScope, scopes } from "../../../core/protocol/SessionScope.ts"

export interface TokenFile {
  readonly file: string
  /** The name of the token; its file, if it has none. */
  readonly name: string
  /** The rights of its clients over the sessions of others. */
  readonly scope: SessionScope
}

/** The meaning of a text; as a failure, a scope that does not exist. */
export const parse = (text: string): Result.Result<TokenFile, string> => {
  const [whole, name = "", words = "", file = ""] = /^([^:=/\\]+):([a-z,]+)=(.+)$/.exec(text) ?? []
  if (whole === undefined) return Result.succeed({ file: text, name: text, scope: "own" })
  let scope: SessionScope = "own"
  for (const word of words.split(",")) {
    const found = scopes.find((one) => one === word)
    if (found === undefined) return Result.fail(word)
    scope = greater(scope, found)
  }
  return Result.succeed({ file, name, scope })
}

/** The files of an option that may be repeated; other values are left out. */
export const filesOf = (option: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  [option ?? []]
    .flat()
    .flatMap((text) => Result.match(parse(text), { onFailure: () => [], onSuccess: ({ file }) => file }))

/** The greatest scope among the words of a claim, which may have words for others. */
export const scopeOf = (claim: unknown): SessionScope =>
  typeof claim !== "string"
    ? "own"
    : claim
        .split(" ")
        .flatMap((word) => scopes.filter((one) => one === word))
        .reduce<SessionScope>(greater, "own")
