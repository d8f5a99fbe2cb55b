// Output without secrets, against a naive model: whatever the values, and wherever the output is cut.
import { describe, expect, it } from "vitest"
import { utf8, utf8Decoder } from "../../protocol/Bytes.ts"
import type { OutputStream, Secret } from "../../spawn/Spawner.ts"
import { around, Mask, masksOf } from "./Mask.ts"
import { formsOf, tokenOf } from "./Secrets.ts"

const decoder = utf8Decoder()

/** All occurrences of all forms, those that overlap joined, each under the name of the first and longest one. */
const model = (secrets: ReadonlyArray<Secret>, text: string): string => {
  const found = secrets.flatMap((secret) =>
    [...formsOf(secret)].flatMap((form) => {
      const places = []
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
        places.push({ begin: at, end: at + form.length, token: tokenOf(secret) })
      return places
    }),
  )
  found.sort((one, other) => one.begin - other.begin || other.end - one.end)
  let [shown, at] = ["", 0]
  for (const { begin, end, token } of found) {
    if (begin >= at) shown += text.slice(at, begin) + token
    at = Math.max(at, end)
  }
  return shown + text.slice(at)
}

const masked = (secrets: ReadonlyArray<Secret>, pieces: ReadonlyArray<string>): string => {
  let shown = ""
  const mask = new Mask(masksOf(secrets), (bytes) => (shown += decoder.decode(bytes)))
  for (const piece of pieces) mask.push(utf8.encode(piece))
  mask.flush()
  return shown
}

const named = (...values: ReadonlyArray<string>): ReadonlyArray<Secret> =>
  values.map((value, index) => ({ name: `S${index}`, value }))

const token = named('ghp_Zk3Xq9/+Lm"é\n42')

const texts = (secrets: ReadonlyArray<Secret>) =>
  secrets.flatMap((secret) =>
    [...formsOf(secret)].map((form) => `a ${form}b${form}${form.slice(0, -1)} ${form.slice(1)}`),
  )

describe("Mask", () => {
  // guards: secrets
  it("finds each form at every cut of the output, and at every two", () => {
    for (const text of texts(token)) {
      // Cuts are those of characters; bytes are below.
      const whole = model(token, text)
      expect(whole).not.toContain(token[0]!.value)
      expect(masked(token, [text])).toBe(whole)
      for (let one = 0; one <= text.length; one++)
        expect(masked(token, [text.slice(0, one), text.slice(one)])).toBe(whole)
    }
    const value = "secret-value"
    const text = `x${value}${value}y${value.slice(0, 7)}${value}`
    const whole = model(named(value), text)
    for (let one = 0; one <= text.length; one++)
      for (let two = one; two <= text.length; two++)
        expect(masked(named(value), [text.slice(0, one), text.slice(one, two), text.slice(two)])).toBe(whole)
  })

  it("finds each form byte by byte", () => {
    for (const text of texts(token)) {
      const shown: Array<number> = []
      const mask = new Mask(masksOf(token), (bytes) => shown.push(...bytes))
      for (const byte of utf8.encode(text)) mask.push(Uint8Array.of(byte))
      mask.flush()
      expect(decoder.decode(Uint8Array.from(shown))).toBe(model(token, text))
    }
  })

  it("leaves no byte of values that overlap, contain each other or repeat themselves", () => {
    for (const [values, text, expected] of [
      [["abcdefgh", "efghijkl"], "-abcdefghijkl-", "-***S0***-"],
      [["cdefgh", "abcdefghij"], "-abcdefghij-abcdefgh-", "-***S1***-ab***S0***-"],
      [["abcdef", "abcdef"], "abcdef", "***S0***"],
      [["abcabc"], "abcabcabcabcab", "***S0***ab"],
      [["abcdef", "abcdef-more"], "abcdef abcdef-more abcdef-mor", "***S0*** ***S1*** ***S0***-mor"],
      [["aaaaaa"], "aaaaa b aaaaaaaaaaaaaa", "aaaaa b ***S0***"],
    ] as const) {
      const secrets = named(...values)
      expect(model(secrets, text)).toBe(expected)
      for (let cut = 0; cut <= text.length; cut++)
        expect(masked(secrets, [text.slice(0, cut), text.slice(cut)])).toBe(expected)
      expect(masked(secrets, [...text])).toBe(expected)
    }
  })

  it("is as the model for random values, texts and cuts", () => {
    for (let seed = 1; seed <= 800; seed++) {
      const random = randoms(seed)
      const letters = 'ab01+/=%"\n'.slice(0, 2 + random(9))
      const word = (least: number, most: number) =>
        Array.from({ length: least + random(most - least) }, () => letters[random(letters.length)]).join("")
      const secrets = named(...Array.from({ length: 1 + random(5) }, () => word(6, seed % 3 === 0 ? 9 : 40)))
      const forms = secrets.flatMap((secret) => [...formsOf(secret)])
      let text = ""
      while (text.length < 300) {
        const form = forms[random(forms.length)]!
        const begin = random(3) === 0 ? random(form.length) : 0
        text +=
          random(2) === 0 ? word(0, 30) : form.slice(begin, random(3) === 0 ? random(form.length) : undefined)
      }
      const pieces = []
      const longest = [2, 8, 60, 301][seed % 4]!
      for (let at = 0; at < text.length;) {
        const next = at + random(longest)
        pieces.push(text.slice(at, next))
        at = next
      }
      expect(masked(secrets, pieces), `seed ${seed}`).toBe(model(secrets, text))
    }
  })

  it("holds less than the longest form has, and nothing that no value begins with", () => {
    const secrets = named("secret-value")
    const forms = [...formsOf(secrets[0]!)]
    const longest = Math.max(...forms.map(({ length }) => length))
    let given = 0
    const mask = new Mask(masksOf(secrets), (bytes) => (given += bytes.length))
    const bytes = utf8.encode(forms.map((form) => `${form.slice(0, -1)} nothing`).join(""))
    let most = 0
    for (const [index, byte] of bytes.entries()) {
      mask.push(Uint8Array.of(byte))
      most = Math.max(most, index + 1 - given)
    }
    expect([given, most]).toEqual([bytes.length, longest - 1])
  })
})

/** A pause, by hand. */
const pausing = (secrets: ReadonlyArray<Secret>) => {
  const shown: Array<string> = []
  const waits: Array<() => void> = []
  const events = around(
    {
      output: (stream, bytes) => shown.push(`${stream} ${decoder.decode(bytes)}`),
      end: (stream) => shown.push(`${stream} end`),
      exit: () => shown.push("exit"),
    },
    secrets,
    (_, run) => waits.push(run),
  )
  return {
    write: (text: string, stream: OutputStream = "pty") => events.output(stream, utf8.encode(text)),
    events,
    /** All that waits now runs. */
    pause: () => waits.splice(0).forEach((run) => run()),
    waiting: () => waits.length,
    told: () => shown.splice(0),
  }
}

describe("the events of a masked process", () => {
  const secrets = named("hunter22")

  it("shows two bytes of a beginning in a pause, and no more of it", () => {
    const { write, pause, told, waiting } = pausing(secrets)
    write("$ h")
    expect(told()).toEqual(["pty $ "])
    pause()
    expect(told()).toEqual(["pty h"])
    write("u")
    pause()
    expect(told()).toEqual(["pty u"])
    write("n")
    expect(waiting()).toBe(0)
    write("ter2")
    pause()
    expect(told()).toEqual([])
    write("2$ ")
    expect(told()).toEqual(["pty ***S0***$ "])
    write("hu")
    pause()
    write("nter-")
    expect(told()).toEqual(["pty hu", "pty nter-"])
  })

  it("waits on while output comes", () => {
    const { write, pause, told } = pausing(secrets)
    write("h")
    write("uh")
    expect(told()).toEqual(["pty hu"])
    pause()
    expect(told()).toEqual([])
    pause()
    expect(told()).toEqual(["pty h"])
  })

  it("masks each stream for itself, shows what is held at its end, and not at the exit", () => {
    const { write, events, told } = pausing(secrets)
    write("hunt", "stdout")
    write("hun", "stderr")
    write("er22", "stderr")
    write("er22", "stdout")
    write("hunt", "stdout")
    expect(told()).toEqual(["stderr huner22", "stdout ***S0***"])
    events.exit({ kind: "exited", code: 0 })
    events.end("stderr")
    events.end("stdout")
    expect(told()).toEqual(["exit", "stderr end", "stdout hunt", "stdout end"])
  })
})

/** Whole numbers below a bound (Lehmer). */
const randoms = (seed: number) => {
  let state = seed * 7919 + 1
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
