/**
 * Faults that are noticed in any message of any case: results and notifications that the method table does not know.
 */
import { expect, test } from "vitest"
import type { Json } from "./Json.ts"
import { fault, type Questions } from "./WireInvariants.ts"

const questions = (methods: { readonly [id: number]: string }): Questions => ({
  asked: new Set(Object.keys(methods).map(Number)),
  methods: new Map(Object.entries(methods).map(([id, method]) => [Number(id), method])),
})

/** The fault of these messages, which came in this order. */
const watch = (
  messages: ReadonlyArray<Json>,
  methods: { readonly [id: number]: string } = {},
): string | undefined =>
  fault(
    messages.map((json, index) => ({
      json,
      index,
      text: JSON.stringify(json),
      at: 0,
      binary: false,
      unterminated: false,
    })),
    questions(methods),
  )

const exited = { processId: "p", seq: 1, exitCode: 0, sandboxDenied: false }

test("well-formed results and notifications pass, also with unknown members", () => {
  const messages = [
    { id: 1, result: { status: "ready", more: 1 } },
    { method: "process/output", params: { processId: "p", seq: 1, stream: "stdout", chunk: "YQ==", x: 1 } },
    { method: "process/exited", params: exited },
    { method: "zzz/unknown", params: 5 },
  ]
  expect(watch(messages, { 1: "environment/status" })).toBeUndefined()
})

test("a result is decoded as that of the method that was asked", () => {
  const read = { chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false, failure: null }
  const message = { id: 1, result: { ...read, exited: "no", sandboxDenied: false } }
  expect(watch([message], { 1: "process/read" })).toMatch(/no result of process\/read.*exited/s)
  expect(watch([{ id: 1, result: {} }], { 1: "process/terminate" })).toMatch(/running/)
  expect(watch([{ id: 1, result: {} }], { 1: "process/signal" })).toBeUndefined()
})

test("a result of a method that the table does not have passes", () => {
  expect(watch([{ id: 1, result: 5 }], { 1: "zzz/unknown" })).toBeUndefined()
})

test("a malformed notification is named", () => {
  const wrong = { method: "process/exited", params: { ...exited, exitCode: 2 ** 40 } }
  expect(watch([wrong])).toMatch(/malformed message.*process\/exited/s)
  expect(watch([{ method: "process/closed", params: { processId: "p" } }])).toMatch(/its seq is missing/)
  const delta = { requestId: "r", seq: 1, deltaBase64: "YQ==", done: true }
  expect(watch([{ method: "http/request/bodyDelta", params: delta }])).toMatch(/its error is missing/)
  expect(watch([{ method: "http/request/bodyDelta", params: { ...delta, error: null } }])).toBeUndefined()
})

test("base64 is strict", () => {
  const chunk = (text: string) => ({
    method: "process/output",
    params: { processId: "p", seq: 1, stream: "stdout", chunk: text },
  })
  for (const text of ["YQ", "YQ==\n", "YR==", "_-=="]) expect(watch([chunk(text)])).toMatch(/chunk/)
})

test("a second answer to one request is noticed", () => {
  const answer = { id: 1, result: { status: "ready" } }
  expect(watch([answer, answer], { 1: "environment/status" })).toMatch(/request 1 was answered twice/)
})
