// The option `secrets`: its sources, and its errors, which never say a value.
import * as Effect from "effect/Effect"
import process from "node:process"
import { expect, it } from "vitest"
import * as TextFile from "../host/TextFile.ts"
import type { Options } from "./Options.ts"
import * as SecretSources from "./SecretSources.ts"

const files = {
  "/token": "from-a-file\n",
  "/good.json": '{"A": {"value": "from-json"}}',
  "/bad.json": '{"A": s3cret-value}',
  "/list.json": "[]",
}

const read = (secrets: Options["secrets"]) =>
  SecretSources.read({ options: { secrets }, label: (path) => `--${path}` }).pipe(
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
