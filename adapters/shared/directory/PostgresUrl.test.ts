import { writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import { complete } from "./PostgresUrl.ts"

const user = encodeURIComponent(userInfo().username)

describe("an address of PostgreSQL", () => {
  it("is that of this machine's socket and of this user where it names neither", () => {
    const folder = Folder.make().at(".")
    writeFileSync(join(folder, ".s.PGSQL.5432"), "")
    const socket = encodeURIComponent(folder)
    const whole = (url: string, env: NodeJS.ProcessEnv = {}) => complete(url, env, ["/nowhere", folder])
    expect(whole("postgres:///fleet")).toBe(`postgres://${user}@${socket}/fleet`)
    expect(whole("postgresql://")).toBe(`postgresql://${user}@${socket}`)
    expect(whole("postgres://me:secret@/fleet?a=b")).toBe(`postgres://me:secret@${socket}/fleet?a=b`)
    expect(whole("postgres:///fleet?user=me")).toBe(`postgres://${socket}/fleet?user=me`)
    expect(whole("postgres:///fleet", { PGUSER: "me" })).toBe(`postgres://${socket}/fleet`)
  })

  it("stays as it is where it or a variable names the host, and where there is no socket", () => {
    const same = (url: string, env: NodeJS.ProcessEnv = {}) =>
      expect(complete(url, env, ["/nowhere"])).toBe(url)
    same("postgres://procwire@db.internal:5433/fleet")
    same("postgres://procwire@%2Frun%2Fpg/fleet")
    same("postgres:///fleet?host=/run/pg")
    same("postgres:///fleet", { PGHOST: "/run/pg" })
    same("postgres:///fleet")
    same("nats://127.0.0.1:4222")
    expect(complete("postgres://db.internal/fleet", {})).toBe(`postgres://${user}@db.internal/fleet`)
  })
})
