/**
 * Requests behind a slow `http/request` on the same connection.
 */
import * as Check from "../Check.ts"
import type { Json } from "../Json.ts"
import type * as HttpOrigin from "../wire/HttpOrigin.ts"
import { originTable, type Exchange } from "./origin.ts"

/** Answers after a delay: a server that is not to answer what came later has the time to do it. */
const slowly: HttpOrigin.Answer = (_, response) => {
  setTimeout(() => response.end("late"), 600)
}

/** Answers when the requests behind it are answered. */
const last: HttpOrigin.Answer = (_, response, released) => {
  void released.then(() => response.end("late"))
}

/** Sends a slow request and two cheap ones behind it; returns the names in the order of their answers. */
const race = async ({ wire, params, origin }: Exchange): Promise<Json> => {
  const order: Array<string> = []
  const run = (name: string, answer: Promise<{ readonly error?: { readonly message: string } }>) =>
    answer.then(({ error }) => {
      if (name === "http") Check.equal(error?.message ?? null, null, "an error of http/request")
      order.push(name)
      if (order.length === 2) origin.release()
    })
  await Promise.all([
    run("http", wire.begin("http/request", params("/"))),
    run("read", wire.begin("process/read", { processId: "none" })),
    run("status", wire.begin("environment/status")),
  ])
  return order
}

export const concurrencyHttp = originTable("concurrency", {
  "slow-http-delays-nobody": {
    level: "should",
    serve: last,
    says: "A slow http/request delays no other request of its connection.",
    run: async (exchange) => {
      Check.equal(await race(exchange), ["read", "status", "http"], "the order of the answers")
    },
  },
  "slow-http-is-waited-for": {
    level: "peer",
    spec: ["b75"],
    serve: slowly,
    says: "With one request at a time, the default, requests sent after a slow http/request are answered after it.",
    run: async (exchange) => {
      Check.equal(await race(exchange), ["http", "read", "status"], "the order of the answers")
    },
  },
  "others-pass-slow-http": {
    requires: ["concurrency-flag"],
    server: "owned",
    args: ["--concurrent-requests", "4"],
    spec: ["b75"],
    serve: last,
    says: "With --concurrent-requests 4, requests sent after a slow http/request are answered before it.",
    run: async (exchange) => {
      const order = Check.list(await race(exchange), "the order of the answers")
      Check.equal(order[2], "http", "the last of the answers")
    },
  },
})
