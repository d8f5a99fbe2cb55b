/**
 * Flags for authentication that contradict each other: the server must not start, and must report why.
 */
import type { CaseContext } from "../CaseContext.ts"
import { table, type CaseSpec } from "../Case.ts"
import * as Check from "../Check.ts"
import { playStart, withFile } from "./guarded.ts"

const capability = ["--ws-auth", "capability-token"]
const signed = ["--ws-auth", "signed-bearer-token"]
const digest = "ab".repeat(32)
const signedFlags =
  "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds`"

interface Conflict {
  readonly when: string
  /** The flags; FILE stands for the path of a file. */
  readonly flags: ReadonlyArray<string>
  /** The content of the file. */
  readonly content?: string
  /** The error text; FILE stands for the path. */
  readonly text: string
}

const conflicts: { readonly [name: string]: Conflict } = {
  "no-mode": {
    when: "A token flag without --ws-auth",
    flags: ["--ws-token-sha256", digest],
    text: "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
  },
  "no-token-source": {
    when: "capability-token without a token",
    flags: capability,
    text: "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set",
  },
  "two-token-sources": {
    when: "capability-token with both token flags",
    flags: [...capability, "--ws-token-sha256", digest, "--ws-token-file", "FILE"],
    text: "`--ws-token-file` and `--ws-token-sha256` are mutually exclusive",
  },
  "capability-with-signed-flags": {
    when: "capability-token with a flag for signed tokens",
    flags: [...capability, "--ws-token-sha256", digest, "--ws-issuer", "me"],
    text: `${signedFlags} require \`--ws-auth signed-bearer-token\``,
  },
  "signed-with-token-flags": {
    when: "signed-bearer-token with a token flag",
    flags: [...signed, "--ws-shared-secret-file", "FILE", "--ws-token-sha256", digest],
    text: "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`",
  },
  "no-secret": {
    when: "signed-bearer-token without a secret",
    flags: signed,
    text: "`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set",
  },
  "unreadable-file": {
    when: "A token file that does not exist",
    flags: [...capability, "--ws-token-file", "FILE.none"],
    text: "failed to read websocket auth secret FILE.none: No such file or directory (os error 2)",
  },
  "blank-file": {
    when: "A token file with nothing but white space",
    flags: [...capability, "--ws-token-file", "FILE"],
    content: " \n",
    text: "websocket auth secret FILE must not be empty",
  },
  "short-secret": {
    when: "A shared secret of less than 32 bytes without the white space around it",
    flags: [...signed, "--ws-shared-secret-file", "FILE"],
    content: `${"x".repeat(31)}\n\n`,
    text: "signed websocket bearer secret FILE must be at least 32 bytes",
  },
  "bad-digest": {
    when: "A digest that is not 64 hexadecimal digits",
    flags: [...capability, "--ws-token-sha256", "xyz"],
    text: "--ws-token-sha256 must be a 64-character hex SHA-256 digest",
  },
}

const overStdio = { transports: "stdio", server: "fresh", spec: [74] } as const

const stdioConflict: Conflict = {
  when: "Flags for authentication over stdio",
  flags: [...capability, "--ws-token-sha256", digest],
  text: "WebSocket auth requires a WebSocket listener, not stdio",
}

/** Starts the server with these flags, once for all cases; its exit code, its stderr, and the expected text. */
const play = (t: CaseContext, { when, flags, content = `${"x".repeat(40)}\n`, text }: Conflict) =>
  t.once(when, () =>
    withFile(content, async (path) => {
      const end = await playStart(
        t,
        flags.map((flag) => flag.replace("FILE", path)),
      )
      return { ...end, wanted: text.replace("FILE", path) }
    }),
  )

const saysWhy = (conflict: Conflict): CaseSpec => ({
  transports: "ws",
  requires: ["ws-auth"],
  server: "fresh",
  level: "should",
  spec: [73],
  says: `${conflict.when}: the server exits with 1 or 2 and writes to its stderr "${conflict.text}".`,
  run: async (t) => {
    const { code, said, wanted } = await play(t, conflict)
    Check.isTrue(code === 1 || code === 2, `the exit code is ${code}`)
    Check.contains(said, wanted, "the standard error")
  },
})

export const websocketAuthFlags = [
  ...table("websocket/auth/flags", {
    "contradictions-end-the-server": {
      transports: "ws",
      server: "fresh",
      spec: [73],
      says:
        "A server whose flags for authentication contradict each other, are incomplete, or are unknown, exits " +
        "with a code other than 0 and prints no URL.",
      run: async (t) => {
        for (const [name, conflict] of Object.entries(conflicts)) {
          const { code, out } = await play(t, conflict)
          Check.isTrue(code !== 0 && code !== null, `${name}: the exit code is ${code}`)
          Check.equal(out, "", `${name}: the standard output`)
        }
      },
    },
    "stdio-has-no-auth": {
      ...overStdio,
      level: "must",
      says:
        "A server on stdio that is given flags for authentication, which stdio cannot honour, exits with a " +
        "code other than 0.",
      run: async (t) => {
        const { code } = await play(t, stdioConflict)
        Check.isTrue(code !== 0 && code !== null, `the exit code is ${code}`)
      },
    },
    "stdio-has-no-auth-text": {
      ...overStdio,
      level: "peer",
      says: `A server on stdio that is given flags for authentication exits with 1 or 2 and writes "${stdioConflict.text}".`,
      run: async (t) => {
        const { code, said } = await play(t, stdioConflict)
        Check.isTrue(code === 1 || code === 2, `the exit code is ${code}`)
        Check.contains(said, stdioConflict.text, "the standard error")
      },
    },
  }),
  ...table(
    "websocket/auth/flags",
    Object.fromEntries(Object.entries(conflicts).map(([name, conflict]) => [name, saysWhy(conflict)])),
  ),
]
