import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Entry, Sandbox } from "./Sandbox.ts"
import * as Confinement from "./Confinement.ts"

const context = { platform: "linux", cwd: "/work", tmpdir: "/var/tmp" }

const restricted = (
  entries: ReadonlyArray<Entry>,
  more: Partial<Sandbox> = {},
  network: "restricted" | "enabled" = "restricted",
): Sandbox => ({
  permissions: { type: "managed", file_system: { type: "restricted", entries }, network },
  windowsSandboxLevel: "disabled",
  ...more,
})

const at = (path: string, access: Entry["access"]): Entry => ({
  path: { type: "path", path: `file://${path}` },
  access,
})

const special = (value: object, access: Entry["access"] = "write"): Entry =>
  ({ path: { type: "special", value }, access }) as Entry

/** `path access` of every place except guarded names. */
const places = (sandbox: Sandbox, on = context) =>
  Result.map(Confinement.resolve(sandbox, on), (confinement) =>
    confinement?.places
      .filter(({ path }) => !Confinement.guardedNames.some((name) => path.endsWith(`/${name}`)))
      .map(({ path, access }) => `${path} ${access}`),
  )

describe("Confinement.resolve", () => {
  it("is undefined where everything is allowed", () => {
    const level = { windowsSandboxLevel: "disabled" } as const
    for (const permissions of [
      { type: "disabled" },
      { type: "external", network: "enabled" },
      { type: "managed", file_system: { type: "unrestricted" }, network: "enabled" },
    ] as const) {
      expect(Confinement.resolve({ permissions, ...level }, context)).toEqual(Result.succeed(undefined))
    }
    const all = restricted([special({ kind: "root" })], {}, "enabled")
    expect(Confinement.resolve(all, context)).toEqual(Result.succeed(undefined))
  })

  it("refuses a working directory that is not UTF-8 as a place, because the tools that confine take text", () => {
    const here = restricted([special({ kind: "current_working_directory" })])
    expect(places(here, { ...context, cwd: "/work/\udcff" })).toHaveProperty("_tag", "Failure")
    expect(places(here)).toHaveProperty("_tag", "Success")
  })

  it("confines the network alone where the files are free", () => {
    const permissions = { type: "external", network: "restricted" } as const
    const free = Confinement.resolve({ permissions, windowsSandboxLevel: "disabled" }, context)
    expect(free).toEqual(Result.succeed({ places: [{ path: "/", access: "write" }], network: false }))
    expect(Result.map(free, (confinement) => confinement && Confinement.hasAllFiles(confinement))).toEqual(
      Result.succeed(true),
    )
  })

  it("orders places from less to more specific, and takes the strictest access of each", () => {
    const entries = [
      at("/a/b", "read"),
      at("/a", "none"),
      at("/a/b", "write"),
      special({ kind: "root" }, "read"),
    ]
    expect(places(restricted(entries))).toEqual(Result.succeed(["/ read", "/a none", "/a/b write"]))
    expect(places(restricted([at("/a", "write"), at("/a", "deny")]))).toEqual(Result.succeed(["/a none"]))
  })

  it("makes guarded names in a writable folder read-only, unless the profile lists them", () => {
    const resolved = Confinement.resolve(restricted([at("/a", "write"), at("/a/.git", "write")]), context)
    const access = (path: string) =>
      Result.getOrThrow(resolved)?.places.find((place) => place.path === path)?.access
    expect(access("/a/.codex")).toBe("read")
    expect(access("/a/.git")).toBe("write")
  })

  it("finds the special places", () => {
    const roots = ["file:///p", "file:///q"]
    const more = { cwd: "file:///c", workspaceRoots: roots }
    expect(places(restricted([special({ kind: "slash_tmp" })]))).toEqual(Result.succeed(["/tmp write"]))
    expect(places(restricted([special({ kind: "tmpdir" })]))).toEqual(Result.succeed(["/var/tmp write"]))
    expect(places(restricted([special({ kind: "tmpdir" })]), { ...context, tmpdir: "x" })).toEqual(
      Result.succeed([]),
    )
    const cwd = [special({ kind: "current_working_directory" })]
    expect(places(restricted(cwd))).toEqual(Result.succeed(["/work write"]))
    expect(places(restricted(cwd, more))).toEqual(Result.succeed(["/c write"]))
    const projects = [special({ kind: "project_roots", subpath: "sub" })]
    expect(places(restricted(projects, more))).toEqual(Result.succeed(["/p/sub write", "/q/sub write"]))
    const policyContext = { cwd: null, workspaceRoots: ["file:///z"] }
    expect(places(restricted(projects, { ...more, policyContext }))).toEqual(Result.succeed(["/z/sub write"]))
    expect(places(restricted([special({ kind: "unknown", path: "/x" })]))).toEqual(Result.succeed([]))
    expect(Result.getOrThrow(places(restricted([special({ kind: "minimal" }, "read")])))).toContain(
      "/usr read",
    )
  })

  it("lets no subpath out of its root", () => {
    const more = { workspaceRoots: ["file:///p"] }
    for (const subpath of ["../q", "/etc", "a/../.."]) {
      expect(places(restricted([special({ kind: "project_roots", subpath })], more))).toEqual(
        Result.fail(`subpath \`${subpath}\` is not below its project root`),
      )
    }
  })

  it("refuses what it cannot enforce: invalid paths, and patterns that deny", () => {
    const bad = restricted([{ path: { type: "path", path: "/native" }, access: "read" }])
    expect(places(bad)).toEqual(Result.fail("invalid URI: relative URL without a base"))
    const glob = (access: Entry["access"]) =>
      restricted([{ path: { type: "glob_pattern", pattern: "/a/*.env" }, access }])
    expect(places(glob("read"))).toEqual(Result.succeed([]))
    expect(places(glob("none"))).toEqual(
      Result.fail("`glob_pattern` entries without access are not supported by this server"),
    )
  })
})
