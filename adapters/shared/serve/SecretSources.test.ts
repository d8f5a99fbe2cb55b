// The option `secrets`: its sources, and its errors, which never say a value.
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { expect, it } from "vitest"
import * as Injecting from "../../../core/features/egress/Injecting.ts"
import * as TextFile from "../host/TextFile.ts"
import type { Options } from "./Options.ts"
import * as SecretSources from "./SecretSources.ts"

const files = {
  "/token": "from-a-file\n",
  "/good.json": '{"A": {"value": "from-json"}}',
  "/bad.json": '{"A": s3cret-value}',
  "/list.json": "[]",
}

const read = (secrets: Options["secrets"], egress?: string) =>
  SecretSources.read({ options: { secrets, egress }, label: (path) => `--${path}` }).pipe(
    Effect.catch(({ message }) => Effect.succeed(message)),
    Effect.provide(TextFile.layerMemory(files)),
    Effect.runPromise,
  )

it("reads each source", async () => {
  process.env["PROCWIRE_TEST_TOKEN"] = "from-the-env"
  const secrets = {
    A: { value: "as-it-is" },
    B: { env: "PROCWIRE_TEST_TOKEN" },
    C: { file: "/token" },
    D: { command: ["/bin/echo", "from-a", "command"] },
  } as const
  expect(await read(secrets)).toEqual([
    { name: "A", value: "as-it-is" },
    { name: "B", value: "from-the-env" },
    { name: "C", value: "from-a-file" },
    { name: "D", value: "from-a command" },
  ])
  expect(await read("/good.json")).toEqual([{ name: "A", value: "from-json" }])
  expect(await read(undefined)).toEqual([])
})

it("reads the hosts of a secret, and refuses them where nothing keeps it from others", async () => {
  const hosted = {
    A: { value: "as-it-is", hosts: ["x.org"], header: "X: ${value}", base: "X_URL", http: true },
  }
  expect(await read(hosted, "allow:x.org")).toEqual([{ name: "A", ...hosted.A }])
  expect(await read(hosted)).toMatch(
    /^--secrets: secret A has hosts, which needs rules for egress \(--egress\)/,
  )
  expect(await read({ A: { value: "as-it-is", hosts: ["*"] } }, "")).toContain("secret A: hosts: ")
  expect(await read({ A: { value: "as-it-is", hosts: "x" as never } }, "")).toContain(
    "hosts is no list of texts",
  )
  expect(await read({ A: { value: "as-it-is", http: 1 as never } }, "")).toContain("http is neither")
  expect(await read({ A: { value: "as-it-is", base: "X" } }, "")).toContain("base is for a secret with hosts")
})

it("reads a file or a program again for a secret with hosts, and says what is wrong then", async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "procwire-test-"))
  const file = join(folder, "token")
  const hosts = ["x.org"]
  fs.writeFileSync(file, "first-value\n")
  const secrets = {
    A: { file, hosts },
    B: { command: ["cat", file], hosts },
    C: { value: "as-it-is", hosts },
    D: { file },
  } as const
  const given = await SecretSources.read({ options: { secrets, egress: "" }, label: String }).pipe(
    Effect.provide(TextFile.layer),
    Effect.runPromise,
  )
  const now = (name: string) =>
    Injecting.renewed(Injecting.hosted(given.filter((one) => one.name === name))).pipe(
      Effect.map((all) => all.map(({ value }) => value).join()),
      Effect.catch(({ message }) => Effect.succeed(message)),
      Effect.runPromise,
    )
  const all = () => Promise.all(["A", "B", "C", "D"].map(now))
  fs.writeFileSync(file, "second-value\n")
  expect(await all()).toEqual(["second-value", "second-value", "as-it-is", ""])
  fs.writeFileSync(file, "five5\n")
  expect((await all()).slice(0, 2)).toEqual([
    "secret A has less than 6 bytes, which cannot be masked",
    "secret B has less than 6 bytes, which cannot be masked",
  ])
  fs.rmSync(folder, { recursive: true })
  expect((await all()).slice(0, 2)).toEqual([
    `secret A: cannot read ${file}: No such file or directory (os error 2)`,
    "secret B: its command cat failed: exit code 1",
  ])
})

const one = "expected one of value, env and file with a text, or command with a list of texts"

it.each([
  ["/none.json", "--secrets /none.json: No such file or directory (os error 2)"],
  ["/bad.json", "--secrets /bad.json: it is no JSON"],
  ["/list.json", "--secrets /list.json: expected an object of secrets by name"],
  [{ A: { value: "five5" } }, "--secrets: secret A has less than 6 bytes, which cannot be masked"],
  [{ A: { value: "nul\0byte" } }, "--secrets: secret A has a NUL byte"],
  [{ "s3cret-value": { env: "A" } }, "--secrets: secret 1 has no valid name: "],
  [{ A: { env: "PROCWIRE_NOT_THERE" } }, "--secrets: secret A: there is no variable PROCWIRE_NOT_THERE"],
  [
    { A: { file: "/gone" } },
    "--secrets: secret A: cannot read /gone: No such file or directory (os error 2)",
  ],
  [
    { A: { command: ["/bin/sh", "-c", "echo s3cret-value >&2; exit 3"] } },
    "--secrets: secret A: its command /bin/sh failed: exit code 3",
  ],
  [
    { A: { command: ["/no/such/program"] } },
    "--secrets: secret A: its command /no/such/program failed: ENOENT",
  ],
  [{ A: "s3cret-value" }, `--secrets: secret A: ${one}`],
  [{ A: { value: "s3cret-value", env: "B" } }, `--secrets: secret A: ${one}`],
  [{ A: { url: "s3cret-value" } }, `--secrets: secret A: ${one}`],
])("refuses %j", async (secrets, text) => {
  const message = await read(secrets as never)
  expect(message).toContain(text)
  expect(message).not.toContain("s3cret-value")
})
