import { describe, expect, it } from "vitest"
import * as Keys from "./Keys.ts"
import { fittingSize, rowOfLine } from "./Lines.ts"
import * as Settings from "./Settings.ts"
import * as Store from "./Store.ts"
import * as Tiles from "./Tiles.ts"

const pressed = (key: string, how: Partial<Keys.Pressed> = {}): Keys.Pressed => ({
  key,
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  metaKey: false,
  ...how,
})
const held = { ctrlKey: true, shiftKey: true }

describe("Keys", () => {
  it("are plain where nothing is typed, and with Ctrl and Shift everywhere", () => {
    expect(Keys.actionOf(pressed("?", { shiftKey: true }), false)).toBe("help")
    expect(Keys.actionOf(pressed("?", { shiftKey: true }), true)).toBe(undefined)
    expect(Keys.actionOf(pressed("F", held), true)).toBe("find")
    expect(Keys.actionOf(pressed("ArrowLeft", held), true)).toBe("previousTile")
    for (const how of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { ...held, altKey: true }])
      expect(Keys.actionOf(pressed("l", how), true)).toBe(undefined)
  })

  it("mean one thing each, and every action has one", () => {
    for (const everywhere of [true, false]) {
      const keys = Keys.shortcuts.filter((one) => one.everywhere === everywhere).flatMap(({ keys }) => keys)
      expect(new Set(keys).size).toBe(keys.length)
    }
    expect(Keys.shortcuts.flatMap(Keys.written)).toContain("Ctrl Shift \u2190")
  })
})

describe("Tiles", () => {
  it("open in place of the others or beside them, and hand on the focus", () => {
    const two = Tiles.opened(Tiles.opened(Tiles.none, "a", false), "b", true)
    expect(two).toEqual({ open: ["a", "b"], focused: "b", alone: false })
    expect(Tiles.opened(two, "c", false).open).toEqual(["c"])
    expect(Tiles.opened(two, "a", false)).toMatchObject({ open: ["a", "b"], focused: "a" })
    expect(Tiles.moved(two, 1).focused).toBe("a")
    expect(Tiles.moved(Tiles.moved(two, -1), -1).focused).toBe("b")
    expect(Tiles.closed({ ...two, alone: true }, "b")).toEqual({ open: ["a"], focused: "a", alone: false })
    expect(Tiles.moved(Tiles.none, 1)).toBe(Tiles.none)
  })

  it("are at most so many: the first ones give way", () => {
    let tiles = Tiles.none
    for (let at = 0; at < 20; at += 1) tiles = Tiles.opened(tiles, String(at), true)
    expect(tiles.open).toHaveLength(Tiles.most)
    expect(tiles.open.at(-1)).toBe("19")
  })

  it("share the room in cells that are wide enough", () => {
    const shape = (count: number, width: number, height: number) => {
      const { columns, rows } = Tiles.grid(count, width, height)
      return `${columns}x${rows}`
    }
    expect([1, 2, 3, 4, 6, 9].map((count) => shape(count, 1600, 1000))).toEqual([
      "1x1",
      "2x1",
      "2x2",
      "2x2",
      "3x2",
      "3x3",
    ])
    expect(shape(3, 390, 800)).toBe("1x3")
  })
})

describe("Lines", () => {
  it("are found among rows, of which long ones take several", () => {
    const wrapped = (row: number) => row === 1 || row === 2 || row === 5
    expect([0, 1, 2, 3, 9].map((line) => rowOfLine(line, 7, wrapped))).toEqual([0, 3, 4, 6, 6])
  })

  it("get smaller letters where a foreign terminal does not fit, which can be read", () => {
    const cell = { width: 8, height: 16 }
    expect(fittingSize(13, cell, { columns: 80, rows: 24 }, { width: 1000, height: 900 })).toBe(13)
    expect(fittingSize(13, cell, { columns: 125, rows: 50 }, { width: 800, height: 900 })).toBe(10)
    expect(fittingSize(13, cell, { columns: 500, rows: 50 }, { width: 800, height: 900 })).toBe(9)
    expect(fittingSize(8, cell, { columns: 500, rows: 50 }, { width: 800, height: 900 })).toBe(8)
  })
})

describe("Settings", () => {
  it("are read as far as they make sense", () => {
    expect(Settings.parse(null)).toEqual(Settings.defaults)
    expect(["{", "7", '{"theme":"pink","fontSize":"x","reader":1}'].map(Settings.parse)).toEqual(
      Array.from({ length: 3 }, () => Settings.defaults),
    )
    expect(Settings.parse('{"theme":"dark","fontSize":99,"reader":true,"times":true}')).toEqual({
      theme: "dark",
      fontSize: 28,
      reader: true,
      times: true,
    })
    expect([-9, -1, 1, 99].map((pixels) => Settings.scaled(Settings.defaults, pixels).fontSize)).toEqual([
      8, 12, 14, 28,
    ])
    expect(Settings.nextTheme(Settings.nextTheme(Settings.nextTheme("system")))).toBe("system")
  })
})

describe("Store", () => {
  it("tells followers what it is, and each change once, until they leave", () => {
    const store = Store.make(1)
    const seen: Array<number> = []
    const leave = store.follow((value) => seen.push(value))
    store.set(2)
    store.set(2)
    leave()
    store.set(3)
    expect([seen, store.get()]).toEqual([[1, 2], 3])
  })
})
