import { describe, expect, it } from "vitest"
import type * as Message from "../protocol/Message.ts"
import { RequestSlots } from "./Requests.ts"

const request = (id: number) => ({ kind: "request", id, method: "x", params: null }) as Message.Request

describe("RequestSlots", () => {
  it("gives out as many slots as there are, in the order of the requests, and each again when it is free", () => {
    const slots = new RequestSlots(2)
    for (const id of [1, 2, 3, 4]) slots.add(request(id), 1)
    expect([slots.next()?.id, slots.next()?.id, slots.next()]).toEqual([1, 2, undefined])
    slots.release()
    expect([slots.next()?.id, slots.next()]).toEqual([3, undefined])
  })

  it("is crowded above 1,024 waiting requests, or 8 Mi of their texts", () => {
    const many = new RequestSlots(1)
    for (let id = 0; id < 1024; id++) many.add(request(id), 1)
    expect(many.crowded).toBe(false)
    many.add(request(1024), 1)
    expect(many.crowded).toBe(true)
    many.next()
    expect(many.crowded).toBe(false)
    const large = new RequestSlots(1)
    large.add(request(1), 8 * 1024 * 1024 + 1)
    expect(large.crowded).toBe(true)
    large.clear()
    expect([large.crowded, large.next()]).toEqual([false, undefined])
  })
})
