import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Fake from "./Fake.ts"
import * as FollowRedirects from "./FollowRedirects.ts"
import type { HttpClientService, Request } from "./HttpClient.ts"

const first: Request = { method: "GET", url: "http://one.example/", headers: [], body: new Uint8Array() }

/** Sends through a client whose first answers are so many redirects; the URLs that it was sent to. */
const send = (redirects: number, policy: "follow" | "stop") => {
  const urls: Array<string> = []
  const client: HttpClientService = {
    send: ({ url }) =>
      Effect.sync(() => {
        urls.push(url)
        const more = urls.length <= redirects
        return more ? Fake.response(302, { location: `/${urls.length}` }) : Fake.response(200)
      }),
  }
  const sent = Effect.result(Effect.scoped(FollowRedirects.send(client, first, policy)))
  return Effect.map(sent, (outcome) => ({ outcome, urls }))
}

it("follows ten redirects, and fails at the eleventh", async () => {
  const ten = await Effect.runPromise(send(10, "follow"))
  expect(ten.outcome).toMatchObject({ _tag: "Success", success: { status: 200 } })
  expect(ten.urls.slice(-1)).toEqual(["http://one.example/10"])
  const eleven = await Effect.runPromise(send(11, "follow"))
  expect(eleven.outcome).toMatchObject({
    _tag: "Failure",
    failure: { reason: "TooManyRedirects", url: "http://one.example/10" },
  })
  expect(eleven.urls).toHaveLength(11)
})

it("returns the redirect itself where none is to be followed", async () => {
  const { outcome, urls } = await Effect.runPromise(send(1, "stop"))
  expect(outcome).toMatchObject({ _tag: "Success", success: { status: 302 } })
  expect(urls).toEqual([first.url])
})
