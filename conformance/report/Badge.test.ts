/** The badge of a run: its words, its colours, and that it needs nothing outside it. */
import { describe, expect, it } from "vitest"
import * as Badge from "./Badge.ts"
import { cases, outcome } from "../testing/outcomes.ts"
import * as Xml from "../testing/Xml.ts"
import type * as Baseline from "./Baseline.ts"
import type { Outcome } from "../suite/RunCase.ts"
import type * as Tally from "./Tally.ts"
import * as Verdict from "./Verdict.ts"

const subject: Tally.Subject = { kind: "server", dialect: "current", wire: "1.1", suite: "1.2.3" }

const badge = (
  outcomes: ReadonlyArray<Outcome>,
  {
    baseline = [],
    strict = false,
    ...about
  }: Partial<Tally.Subject & { strict: boolean; baseline: ReadonlyArray<Baseline.Entry> }> = {},
) => Badge.make(Verdict.make(outcomes, cases, { strict, baseline }), { ...subject, ...about })

/** The texts that are seen, and those that are read aloud. */
const parts = (svg: string) => {
  const root = Xml.parse(svg)
  const [title, , value, texts] = root.children
  return {
    label: texts?.children[0]?.text,
    numbers: texts?.children[1]?.text,
    colour: value?.attributes["fill"],
    title: title?.text,
    aloud: root.attributes["aria-label"],
  }
}

const good = [outcome("a/must", "pass"), outcome("a/must", "pass", "ws"), outcome("a/should", "fail")]

describe("A badge", () => {
  it("has how many of the cases that count have passed", () => {
    const { colour, title, ...said } = parts(badge(good))
    expect(said).toMatchObject({ label: "procwire wire", numbers: "2 of 2", aloud: title })
    expect(title).toBe("procwire wire: conformant, 2 of 2 cases passed")
    expect(colour).toBe("#2b7a2b")
  })

  it("counts no case that was skipped, and with --strict what should be", () => {
    const skipped = [outcome("a/must", "pass"), outcome("a/must", "skip", "ws")]
    expect(parts(badge(skipped)).numbers).toBe("1 of 1")
    expect(parts(badge(good, { strict: true }))).toMatchObject({ numbers: "2 of 3", colour: "#c22f2f" })
  })

  it("is red for a run that has failed, and yellow for failures that are expected", () => {
    const bad = [outcome("a/must", "pass"), outcome("a/ws-only", "fail", "ws")]
    expect(parts(badge(bad))).toMatchObject({
      numbers: "1 of 2",
      colour: "#c22f2f",
      title: "procwire wire: not conformant, 1 of 2 cases passed",
    })
    const known = badge(bad, { baseline: [{ id: "a/ws-only", reason: "never could" }] })
    expect(parts(known)).toMatchObject({ numbers: "1 of 2", colour: "#846200" })
    expect(parts(badge([])).colour).toBe("#c22f2f")
    const stale = badge(good, { baseline: [{ id: "a/gone", reason: "was there once" }] })
    expect(parts(stale)).toMatchObject({ numbers: "2 of 2", colour: "#c22f2f" })
  })

  it("says what was tested", () => {
    const labels = [{ kind: "client" }, { kind: "spawner" }, { dialect: "v0" }] as const
    expect(labels.map((about) => parts(badge(good, about)).label)).toEqual([
      "procwire client",
      "procwire spawner",
      "procwire wire v0",
    ])
  })

  it("refers to nothing outside it, and its texts fit into it", () => {
    const svg = badge(good)
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(
      /https?:|href|url\(|<style|<script|@import/,
    )
    const { attributes, children } = Xml.parse(svg)
    const texts = children.at(-1)?.children ?? []
    for (const { attributes: one } of texts)
      expect(Number(one["x"]) + Number(one["textLength"])).toBeLessThan(Number(attributes["width"]))
    expect(attributes["role"]).toBe("img")
  })
})
