import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CreditWindow } from "./FlowControl.ts"

const chunk = 64 * 1024

/** A window of an open connection, and what it has granted. */
const make = (size: number, waiting = () => 0) => {
  const granted: Array<number> = []
  const pending: Array<() => boolean> = []
  const window = new CreditWindow({
    size,
    waiting,
    grant: (bytes, current) => {
      granted.push(bytes)
      pending.push(current)
    },
  })
  window.open()
  return { window, granted, pending }
}

const push = (window: CreditWindow, bytes: number) => {
  window.left -= bytes
  window.settle()
}

describe("CreditWindow", () => {
  it("grants again in halves what nobody consumes", () => {
    const { window, granted } = make(8 * chunk)
    for (let i = 0; i < 16; i++) push(window, chunk)
    expect(granted).toEqual([4, 4, 4, 4].map((chunks) => chunks * chunk))
  })

  it("grants nothing while all of it waits, and everything when that is taken", () => {
    let waiting = 0
    const { window, granted } = make(8 * chunk, () => waiting)
    for (let i = 0; i < 8; i++) {
      waiting += chunk
      push(window, chunk)
    }
    expect(granted).toEqual([])
    waiting = 0
    window.settle()
    expect(granted).toEqual([8 * chunk])
  })

  it("does not grant for what waits without having been pushed, nor for what was pushed beyond", () => {
    let waiting = 20 * chunk
    const { window, granted } = make(8 * chunk, () => waiting)
    push(window, 10 * chunk)
    expect(granted).toEqual([])
    waiting = 0
    window.settle()
    expect(granted).toEqual([10 * chunk])
  })

  it("begins another connection with what is free, and grants nothing before it is open", () => {
    let waiting = 3 * chunk
    const { window, granted, pending } = make(8 * chunk, () => waiting)
    window.left -= 4 * chunk
    waiting = 0
    window.settle()
    expect(pending.map((current) => current())).toEqual([true])
    waiting = 3 * chunk
    expect(window.begin()).toBe(5 * chunk)
    expect(pending.map((current) => current())).toEqual([false])
    waiting = 0
    push(window, 5 * chunk)
    expect(granted).toEqual([4 * chunk])
    window.open()
    expect(granted).toEqual([4 * chunk, 8 * chunk])
    waiting = 9 * chunk
    expect(window.begin()).toBe(0)
  })

  it("never leaves a server stuck whose output is consumed, nor more than the window waiting", () => {
    const size = fc.integer({ min: chunk, max: 4 * chunk })
    const sizes = fc.array(fc.integer({ min: 1, max: chunk }), { maxLength: 200 })
    fc.assert(
      fc.property(size, sizes, fc.infiniteStream(fc.boolean()), (size, chunks, takes) => {
        let [credit, waiting] = [size, 0]
        const window = new CreditWindow({
          size,
          waiting: () => waiting,
          grant: (bytes) => {
            credit += bytes
          },
        })
        window.open()
        const take = () => {
          waiting = 0
          window.settle()
        }
        for (const bytes of chunks) {
          if (takes.next().value) take()
          if (bytes > credit) take()
          expect(bytes).toBeLessThanOrEqual(credit)
          credit -= bytes
          waiting += bytes
          push(window, bytes)
          expect(waiting).toBeLessThanOrEqual(size)
        }
      }),
    )
  })
})
