import * as Result from "effect/Result"
import { expect, test } from "vitest"
import * as Ssh from "./Ssh.ts"

const wordsOf = (text: string) => Result.getOrThrow(Ssh.read(text)).master("/ctl").join(" ")
const refusalOf = (text: string) => Result.getFailure(Ssh.read(text)).pipe((left) => String(left))

test.each([
  ["host", "-- host"],
  ["ann@host", "-l ann -- host"],
  ["ann@example.com@host:22", "-p 22 -l ann@example.com -- host"],
  ["[fe80::1%eth0]:2222", "-p 2222 -- fe80::1%eth0"],
  ["host,identity=/k=1", "-i /k=1 -o IdentitiesOnly=yes -- host"],
])("%s is %s", (text, end) => {
  expect(wordsOf(text)).toMatch(new RegExp(`ServerAliveInterval=20 ${end}$`.replace(/[.%[\]]/g, "\\$&")))
})

test("a configuration is that of ssh, and a silence is counted in three parts", () => {
  expect(wordsOf("host,config=/c,alive=9")).toMatch(/^-S \/ctl -F \/c .* ServerAliveInterval=3 -- host$/)
})

test.each([
  ["", "'' is no destination: expected [USER@]HOST[:PORT]"],
  ["-oProxyCommand=x", "'-oProxyCommand=x' is no destination"],
  ["-x@host", "'-x@host' is no destination"],
  ["a b", "'a b' is no destination"],
  ["host:0", "the port is '0': expected a whole number from 1 to 65535"],
  ["host,identity=", "'identity' needs a value: identity=VALUE"],
  ["host,alive=1", "alive, in seconds, is '1': expected a whole number from 3 to 3600"],
  ["host,key=1", "there is no option 'key': expected identity, config, alive"],
])("'%s' is refused: %s", (text, message) => {
  expect(refusalOf(text)).toContain(message)
})
