import { describe, expect, it } from "vitest"
import * as Confinement from "./Confinement.ts"

const confine = (
  places: Readonly<Record<string, Confinement.Access>>,
  network = true,
): Confinement.Confinement => ({
  places: Confinement.merge(Object.entries(places).map(([path, access]) => ({ path, access }))),
  network,
})

const placesOf = (confinement: Confinement.Confinement | undefined) =>
  Object.fromEntries(confinement?.places.map(({ path, access }) => [path, access]) ?? [])

const readOnly = confine({ "/": "read" }, false)
const workspace = confine({ "/": "read", "/work": "write", "/work/keys": "none" }, false)

describe("Confinement.underFloor", () => {
  it("is what the request asks for where there is no floor, and the floor where it asks for nothing", () => {
    expect(Confinement.underFloor(undefined, undefined)).toBeUndefined()
    expect(Confinement.underFloor(undefined, workspace)).toBe(workspace)
    expect(Confinement.underFloor(workspace, undefined)).toBe(workspace)
  })

  it("gives the floor to a request that asks for more", () => {
    for (const asked of [
      confine({ "/": "write" }),
      confine({ "/": "read", "/work": "write", "/etc": "write" }),
      confine({ "/": "write", "/etc": "write", "/work/keys": "read" }),
    ]) {
      const left = Confinement.underFloor(readOnly, asked)
      expect(left).toEqual(readOnly)
    }
    expect(Confinement.underFloor(workspace, confine({ "/": "write", "/work/keys/mine": "write" }))).toEqual(
      workspace,
    )
  })

  it("gives less to a request that asks for less, path by path", () => {
    const left = Confinement.underFloor(
      workspace,
      confine({ "/usr": "read", "/work": "write", "/work/src": "read" }),
    )
    expect(placesOf(left)).toEqual({
      "/usr": "read",
      "/work": "write",
      "/work/src": "read",
      "/work/keys": "none",
    })
    expect(placesOf(Confinement.underFloor(workspace, confine({ "/": "read" })))).toEqual({
      "/": "read",
      "/work/keys": "none",
    })
    expect(
      placesOf(
        Confinement.underFloor(confine({ "/work": "write" }), confine({ "/work/a": "read", "/etc": "read" })),
      ),
    ).toEqual({ "/work/a": "read" })
  })

  it("has a network only where both have one", () => {
    for (const [one, other] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      const left = Confinement.underFloor(confine({ "/": "read" }, one), confine({ "/usr": "read" }, other))
      expect(left?.network).toBe(one && other)
      expect(
        Confinement.underFloor(confine({ "/": "write" }, one), confine({ "/": "read" }, other))?.network,
      ).toBe(one && other)
    }
  })

  it("keeps both as layers, the floor first, because links in a place may lead out of it", () => {
    const asked = confine({ "/": "read", "/work/link": "write" })
    expect(Confinement.underFloor(workspace, asked)?.layers).toEqual([workspace, asked])
    const third = confine({ "/work": "read" })
    const two = Confinement.underFloor(workspace, asked)
    expect(two && Confinement.underFloor(two, third)?.layers).toEqual([workspace, asked, third])
    // A floor that hides no file adds no layer.
    expect(Confinement.underFloor(confine({ "/": "write" }, false), asked)).toEqual({
      ...asked,
      network: false,
    })
  })

  it("allows a path no more than either allows it, for random profiles", () => {
    const names = ["/", "/a", "/a/b", "/a/b/c", "/d", "/a/e"]
    const kinds = ["none", "read", "write"] as const
    // Numbers in [0, 1), the same in each run.
    let state = 7
    const next = () => (state = (state * 16807) % 2147483647) / 2147483647
    const random = () =>
      confine(
        Object.fromEntries(
          names.filter(() => next() < 0.5).map((name) => [name, kinds[Math.floor(next() * 3)] ?? "none"]),
        ),
      )
    const access = ({ places }: Confinement.Confinement, path: string) =>
      kinds.indexOf(Confinement.placeOf(places, path)?.access ?? "none")
    for (let round = 0; round < 2000; round++) {
      const [floor, asked] = [random(), random()]
      const left = Confinement.underFloor(floor, asked)
      for (const path of [...names, "/a/b/c/x", "/d/x", "/f"]) {
        expect(left && access(left, path)).toBe(Math.min(access(floor, path), access(asked, path)))
      }
    }
  })
})

describe("Confinement.showsAllFiles", () => {
  it("is false as soon as a path is hidden", () => {
    expect(Confinement.showsAllFiles(readOnly)).toBe(true)
    expect(Confinement.showsAllFiles(workspace)).toBe(false)
    expect(Confinement.showsAllFiles(confine({ "/usr": "read" }))).toBe(false)
  })
})
