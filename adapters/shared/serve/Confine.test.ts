/** The profiles of `--confine`, as words and as files. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, describe, expect, it } from "vitest"
import * as TextFile from "../host/TextFile.ts"
import * as Confine from "./Confine.ts"

const base = realpathSync(mkdtempSync(join(tmpdir(), "procwire-test-")))
afterAll(() => rmSync(base, { recursive: true }))
const at = (name: string) => join(base, name)
const work = at("work")
mkdirSync(join(work, "secret"), { recursive: true })
symlinkSync(work, at("link"))

const host = { platform: "linux", cwd: base, env: { TMPDIR: "/var/tmp" } }

const read = (
  confine: string | ReadonlyArray<string>,
  files: Readonly<Record<string, string>> = {},
  more = {},
) =>
  Confine.read({ options: { confine, ...more }, label: (path) => `--${path}` }, host).pipe(
    Effect.provide(TextFile.layerMemory(files)),
    Effect.result,
    Effect.runSync,
  )

const places = (...given: Parameters<typeof read>) =>
  Result.map(read(...given), (floor) => [
    ...(floor?.places.map(({ path, access }) => `${access} ${path}`) ?? []),
    floor?.network ?? "none",
  ])

const refusal = (...given: Parameters<typeof read>) => Result.merge(Result.mapError(read(...given), String))

const file = (name: string, profile: unknown) => ({ [at(name)]: JSON.stringify(profile) })

describe("--confine", () => {
  it("allows what its words say and nothing else, a network only if one of them says so", () => {
    expect(places([])).toEqual(Result.succeed(["none"]))
    expect(places("read-only")).toEqual(Result.succeed(["read /", false]))
    expect(places(["read-only", "network"])).toEqual(Result.succeed(["read /", true]))
    expect(places("no-network")).toEqual(Result.succeed(["write /", false]))
    expect(places("workspace:/tmp,/var/tmp")).toEqual(
      Result.succeed(["read /", "write /tmp", "write /var/tmp", false]),
    )
    expect(places(["workspace:/usr", "workspace:work", "deny:work/secret"])).toEqual(
      Result.succeed(["read /", "write /usr", `write ${work}`, `none ${work}/secret`, false]),
    )
  })

  it("resolves links once, when the server starts", () => {
    expect(places("workspace:link")).toEqual(Result.succeed(["read /", `write ${work}`, false]))
  })

  it("takes the sandbox of a request, or its permissions, from a file, and intersects it with the words", () => {
    const root = { path: { type: "special", value: { kind: "root" } }, access: "read" }
    const tmp = { path: { type: "path", path: "file:///opt" }, access: "none" }
    const entries = [root, tmp]
    const permissions = { type: "managed", file_system: { type: "restricted", entries }, network: "enabled" }
    const expected = Result.succeed(["read /", "none /opt", true])
    expect(places("./p.json", file("p.json", permissions))).toEqual(expected)
    expect(places("p.json", file("p.json", { permissions, cwd: "file:///srv" }))).toEqual(expected)
    expect(places(["p.json", "no-network"], file("p.json", permissions))).toEqual(
      Result.succeed(["read /", "none /opt", false]),
    )
    expect(refusal("p.json", file("p.json", { type: "managed" }))).toContain(`${at("p.json")}: missing field`)
    expect(refusal("p.json", { [at("p.json")]: "{" })).toContain("it is not JSON")
    expect(refusal("./q.json")).toContain("cannot read it: No such file")
  })

  it("hides what lets others in from those who are confined", () => {
    const more = { auth: { tokenFile: "token" }, audit: "/var/log/audit.jsonl" }
    expect(places("read-only", {}, more)).toEqual(
      Result.succeed(["read /", `none ${at("token")}`, "none /var/log/audit.jsonl", false]),
    )
    expect(places("no-network", {}, more)).toEqual(Result.succeed(["write /", false]))
  })

  it("refuses what it cannot mean, and says what is possible", () => {
    expect(refusal("readonly")).toContain(
      "there is no profile 'readonly'; did you mean 'read-only'?: expected",
    )
    expect(refusal("workspace")).toContain("'workspace' needs a path")
    expect(refusal("read-only:/tmp")).toContain("'read-only:/tmp' takes no path")
    expect(refusal("workspace:/nowhere")).toContain("there is no such folder; make it first")
    expect(refusal(["read-only", "workspace:/tmp"])).toContain("read-only and workspace exclude each other")
    expect(refusal(["network", "no-network"])).toContain("network and no-network exclude each other")
    expect(refusal("network")).toContain("this confines nothing")
  })
})
