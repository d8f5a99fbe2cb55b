import { describe, expect, it } from "vitest"
import { check, type Peers } from "./PeerCheck.ts"

const door = "procwire/effect3"
const peers = { effect: "^3.22", "@effect/platform": "^0.97" } satisfies Peers

/** The words of the check where these versions are installed. */
const said = (versions: Readonly<Record<string, string>>): string | undefined => {
  const versionOf = (name: string) => {
    const version = versions[name]
    if (version === undefined) throw new Error(`Cannot find module '${name}/package.json'`)
    return version
  }
  try {
    check(door, peers, versionOf)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe("PeerCheck", () => {
  it.each([
    { effect: "3.22.0", "@effect/platform": "0.97.0" },
    { effect: "3.100.1", "@effect/platform": "0.97.12" },
  ])("says nothing where all is there: %j", (versions) => {
    expect(said(versions)).toBeUndefined()
  })

  it("names what is missing, and installs that alone", () => {
    expect(said({ effect: "3.22.4" })).toBe(
      "procwire/effect3 needs effect@^3.22 and @effect/platform@^0.97, " +
        "but @effect/platform is not installed: npm install @effect/platform@^0.97",
    )
    expect(said({})).toContain(
      "but effect is not installed and @effect/platform is not installed: " +
        "npm install effect@^3.22 @effect/platform@^0.97",
    )
  })

  it.each(["4.1.0", "3.21.9", "2.99.0", "13.22.0"])(
    "names a version of another line: effect %s",
    (effect) => {
      expect(said({ effect, "@effect/platform": "0.97.2" })).toContain(
        `but effect ${effect} is installed: npm install effect@^3.22`,
      )
    },
  )

  it("takes every minor version below 1.0.0 for a line", () => {
    expect(said({ effect: "3.22.0", "@effect/platform": "0.98.0" })).toContain(
      "but @effect/platform 0.98.0 is installed: npm install @effect/platform@^0.97",
    )
  })

  it("looks at what is installed", () => {
    expect(() => check("procwire/effect", { effect: "^4.1" })).not.toThrow()
    expect(() => check(door, { effect: "^3.22" })).toThrow(/effect 4\.\d+\.\d+ is installed/)
  })
})
