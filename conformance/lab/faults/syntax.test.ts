import { describe, expect, it } from "vitest"

interface Syntax {
  readonly plant: (
    source: string,
    find: string,
    put: string,
  ) => { readonly text?: string; readonly why?: string }
  readonly occurrences: (source: string, find: string) => ReadonlyArray<object>
}

const { occurrences, plant }: Syntax = await import(new URL("syntax.mjs", import.meta.url).href)

const source = `export class Ring {
  private next = 1

  take(): number {
    return this.next++
  }

  push(bytes: Uint8Array, kind: "stdout" | "stderr"): void {
    if (this.size(kind) > 0 && bytes.length > 0) this.log.append(kind, bytes)
    this.wake({ kind, first: true })
  }

  end(kind: "stdout" | "stderr"): void {
    this.log.end(kind)
    this.wake({ kind, first: false })
  }
}
`

describe("A pattern of the syntax", () => {
  it("is found as it stands, and replaced", () => {
    expect(plant(source, "this.next++", "++this.next").text).toBe(
      source.replace("this.next++", "++this.next"),
    )
  })

  it("may be statements, members of a class or of an object, a condition, or a type", () => {
    const pieces = [
      "this.log.end(kind); this.wake({ kind, first: false })",
      "private next = 1; take(): number { return this.next++ }",
      "kind, first: true",
      "this.size(kind) > 0 && bytes.length > 0",
      "bytes: Uint8Array, kind: 'stdout' | 'stderr'",
    ]
    for (const piece of pieces) expect(occurrences(source, piece), piece).toHaveLength(1)
  })

  it("is deleted by putting nothing in its place", () => {
    const { text } = plant(source, "this.wake({ kind, first: false })", "")
    expect(text).toContain("this.log.end(kind)\n    \n  }")
  })

  it("is found whatever breaks, quotes, semicolons and trailing commas the source has", () => {
    const formatted = source
      .replaceAll('"', "'")
      .replace("this.log.append(kind, bytes)", "this.log.append(\n      kind,\n      bytes,\n    );")
      .replace("{ kind, first: true }", "{\n      kind,\n      first: true,\n    }")
    expect(formatted).not.toBe(source)
    expect(plant(formatted, "this.log.append(kind, bytes)", "void bytes").text).toContain("void bytes;\n")
    expect(plant(formatted, "this.wake({ kind, first: true })", "").text).not.toContain("first: true")
    expect(occurrences(formatted, 'bytes: Uint8Array, kind: "stdout" | "stderr"')).toHaveLength(1)
  })

  it("is found where a variable, a class, a method or a property was renamed, and gets the new names", () => {
    const renamed = source
      .replaceAll("kind", "stream")
      .replaceAll("Ring", "Circle")
      .replaceAll("log", "journal")
      .replaceAll("append", "add")
    const { text } = plant(renamed, "this.log.append(kind, bytes)", "this.log.append(kind, bytes.slice(1))")
    expect(text).toBe(renamed.replace("add(stream, bytes)", "add(stream, bytes.slice(1))"))
    expect(plant(renamed, "this.next++", "++this.next").text).toContain("return ++this.next")
  })

  it("is found by its shape where each of its names is now another", () => {
    const swapped = "const most = least + 1\nconst sum = most - least\nreturn [most, least, first]"
    expect(plant(swapped, "const last = first - most", "const last = first").text).toBe(
      "const most = least + 1\nconst sum = most\nreturn [most, least, first]",
    )
  })

  it("has one name for each name of the source", () => {
    const other = "a.push(b)\nc.push(c)\n"
    expect(plant(other, "list.push(list)", "list.pop()").text).toBe("a.push(b)\nc.pop()\n")
    expect(occurrences("a.push(a)", "list.push(item)")).toEqual([])
  })

  it("is refused if it is there twice, if it is not there, and if it is no syntax", () => {
    expect(plant(source, 'kind: "stdout" | "stderr"', "kind: string").why).toMatch(/^found 2 times/)
    expect(plant(source, "this.wait(1)", "").why).toMatch(/^found 0 times/)
    expect(plant(source, "this.wake({ kind", "").why).toMatch(/^no piece of a source/)
  })

  it("is text inside of a template if it is a template", () => {
    const script = "const script = `\\nkill -9 $1\\nwait ${pid}\\nkill -9 $2\\n`\nconst other = `wait`\n"
    expect(plant(script, "`kill -9 $1`", "`kill -0 $1`").text).toBe(script.replace("-9 $1", "-0 $1"))
    expect(plant(script, "`wait`", "`true`").text).toBe(script.replace("`wait`", "`true`"))
    expect(plant(script, "`kill -9`", "``").why).toMatch(/^found 2 times/)
  })

  it("is refused with what is no syntax in its place", () => {
    expect(plant("f(...a, b)", "...a", "").why).toMatch(/^no syntax with this/)
    expect(plant("f(...a, b)", "...a", "...c").text).toBe("f(...c, b)")
  })

  it("is found only where whole nodes stand", () => {
    expect(occurrences("const sum = x * a + b", "a + b")).toEqual([])
    expect(occurrences("const sum = x * (a + b)", "a + b")).toHaveLength(1)
  })
})
