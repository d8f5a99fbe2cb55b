import { describe, expect, it } from "vitest"
import { ClientError } from "../ClientError.ts"
import { type Template, words } from "./Words.ts"

/** The argv of a template. */
const argv = (template: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => words(template, values)

/** The message for a template that is refused. */
const refused = (template: Template, ...values: ReadonlyArray<unknown>) => {
  try {
    return words(template, values)
  } catch (error) {
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ reason: "InvalidOption" })
    return (error as ClientError).message
  }
}

const template = (...raw: ReadonlyArray<string>): Template => Object.assign([...raw], { raw })

describe("the words of a template", () => {
  it("are separated by white space, also by line ends", () => {
    expect(argv`git log --oneline`).toEqual(["git", "log", "--oneline"])
    expect(argv`  git
      log	-n  5 `).toEqual(["git", "log", "-n", "5"])
    expect(argv`git \
      log`).toEqual(["git", "log"])
  })

  it("may be quoted as in a shell", () => {
    expect(argv`echo 'a  b' "c  d" e\ f 'it'\''s' "" ''`).toEqual([
      "echo",
      "a  b",
      "c  d",
      "e f",
      "it's",
      "",
      "",
    ])
    expect(argv`echo "a\"b\\c\$d\`e" 'f\g' "h\i" \'`).toEqual(["echo", 'a"b\\c$d`e', "f\\g", "h\\i", "'"])
    expect(argv`echo "it's" '"' a"b"'c'd`).toEqual(["echo", "it's", '"', "abcd"])
    expect(argv`awk '{ print $1 | "sort" }' "*.ts" \*`).toEqual(["awk", '{ print $1 | "sort" }', "*.ts", "*"])
    expect(argv`grep "a\.b" 'c\nd'`).toEqual(["grep", "a\\.b", "c\\nd"])
  })

  it("have characters that are nothing special in the middle of a word, or alone", () => {
    expect(argv`git show HEAD~1 stash@{0} a#b --x=y -D=1 % ! {a,b} a:b,c 5$ $ "$"`).toEqual(
      "git show HEAD~1 stash@{0} a#b --x=y -D=1 % ! {a,b} a:b,c 5$ $ $".split(" "),
    )
  })

  it("have values in them as they are, whatever that is", () => {
    const evil = `a b'c"d$(e)\`f\`\\ g;h|i\n*?~`
    expect(argv`echo ${evil} --x=${evil} "${evil} ${1}" '${2n}' ${""}`).toEqual([
      "echo",
      evil,
      `--x=${evil}`,
      `${evil} 1`,
      "2",
      "",
    ])
    expect(argv`${"a program"} ${1}${2}${-0.5}`).toEqual(["a program", "12-0.5"])
  })

  it("are many for an array, and none for an empty one", () => {
    expect(argv`git add ${["a b", 1, 2n]} ${[]} -v ${["c"]}`).toEqual([
      "git",
      "add",
      "a b",
      "1",
      "2",
      "-v",
      "c",
    ])
    expect(argv`${["git", "log"]}`).toEqual(["git", "log"])
  })
})

describe("a template", () => {
  it("is refused where it has what only a shell would understand, with what to do instead", () => {
    const shell = "ask for a shell with $({ shell: true })"
    expect(refused(template("ls | wc"))).toBe(
      `$\`ls | wc\`: '|' is for shells: quote it, join commands with .pipe(), or ${shell}`,
    )
    for (const char of ["&", ";", "<", ">", "(", ")", "*", "?", "["]) {
      expect(refused(template(`echo a${char}b`)), char).toBe(
        `$\`echo a${char}b\`: '${char}' is for shells: quote it, or ${shell}`,
      )
    }
    for (const text of ["~/x", "#x"]) expect(refused(template(`ls ${text}`))).toContain("is for shells")
    for (const text of ["$HOME", "${HOME}", "$(date)", '"$HOME"', '"`date`"', "`date`", "$1", "$?"]) {
      expect(refused(template(`echo ${text}`)), text).toContain("expands nothing here: use a value ${…}")
    }
    expect(refused(template("CI=1 make"))).toBe(
      "$`CI=1 make`: 'CI=' sets no variable here: use .env({ CI: … })",
    )
  })

  it("is refused where it names no program, or does not end", () => {
    expect(refused(template("  "))).toBe("$``: there is no program to run")
    expect(refused(template("", ""), [])).toBe("$`${…}`: there is no program to run")
    expect(refused(template("echo 'a"))).toBe("$`echo 'a`: a ' is not closed")
    expect(refused(template('echo "', ""), "x")).toBe('$`echo "${…}`: a " is not closed')
    expect(refused(template("echo \\"))).toContain("the backslash at the end of a text quotes nothing")
  })

  it("is refused with a value that is no argument, which is named", () => {
    const expected = "expected a string, a number, or an array of them; [] stands for no argument"
    for (const [value, name] of [
      [{}, "an object"],
      [new Map(), "an object (Map)"],
      [undefined, "undefined"],
      [null, "null"],
      [false, "false"],
      [Number.NaN, "NaN"],
      [() => {}, "a function"],
      [Symbol("x"), "a symbol"],
    ] as const) {
      expect(refused(template("git log ", " ", ""), 1, value)).toBe(
        `$\`git log \${…} \${…}\`: value 2 is ${name}: ${expected}`,
      )
    }
    expect(refused(template("a ", ""), ["b", {}])).toBe(`$\`a \${…}\`: value 1[1] is an object: ${expected}`)
    expect(refused(template("a ", ""), [["b"]])).toBe(`$\`a \${…}\`: value 1[0] is an array: ${expected}`)
    expect(refused(template("a ", ""), "b\0c")).toBe(
      "$`a ${…}`: value 1 has a NUL character, which no argument can have",
    )
  })

  it("is refused where an array is a part of a word", () => {
    for (const [text, ...values] of [
      [template("a --x=", ""), ["b"]],
      [template('a "', '"'), ["b"]],
      [template("a ", "c"), ["b"]],
      [template("a ", '"c"'), ["b"]],
      [template("a ", "", ""), ["b"], ["c"]],
      [template("a ", "", ""), ["b"], "c"],
    ] as const) {
      expect(refused(text, ...values), text.raw.join("·")).toMatch(
        /stands for whole arguments: white space has to/,
      )
    }
  })

  it("is shown shortened where it is long", () => {
    expect(refused(template(`echo ${"x ".repeat(100)} |`))).toMatch(/^\$`echo (x ){37}…`: '\|' is for shells/)
  })
})
