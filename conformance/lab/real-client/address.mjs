// @ts-check
// Servers on a free port of loopback.

/** The address of a server that listens. @param {import("node:net").Server} server @param {string} [scheme] */
export const urlOf = (server, scheme = "http") => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen")
  return `${scheme}://127.0.0.1:${address.port}`
}
