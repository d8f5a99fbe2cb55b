import { describe, expect, it } from "vitest"
import { script, type Template } from "./Words.ts"

const sh = (template: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => script(template, values)
const template = (...raw: ReadonlyArray<string>): Template => Object.assign([...raw], { raw })

describe("the script of a template", () => {
  it("has its values as variables, and never in its text", () => {
    expect(sh`ls -l | wc -l`).toEqual(["sh", "-c", "ls -l | wc -l", "sh"])
    expect(sh`grep ${"$(x)"} "a ${2} b" < ${"f"}`).toEqual([
      "sh",
      "-c",
      'procwire1=${1}; procwire2=${2}; procwire3=${3}; grep "$procwire1" "a ${procwire2} b" < "$procwire3"',
      "sh",
      "$(x)",
      "2",
      "f",
    ])
  })

  it("has a word for each item of an array", () => {
    const [, , text, ...rest] = sh`rm ${["a b", "c"]} ${[]}; x`
    expect(text).toBe('procwire1=${1}; procwire2=${2}; rm "$procwire1" "$procwire2" ; x')
    expect(rest).toEqual(["sh", "a b", "c"])
  })

  it("knows in which quotes a value stands", () => {
    const body = (template: TemplateStringsArray, value: number) =>
      sh(template, value).at(2)?.replace("procwire1=${1}; ", "")
    expect(body`echo "$(cat ${0})"`).toBe('echo "$(cat "$procwire1")"')
    expect(body`echo "$(cat "${0}")"`).toBe('echo "$(cat "${procwire1}")"')
    expect(body`echo 'it'"'"'s' ${0}`).toBe(`echo 'it'"'"'s' "$procwire1"`)
    expect(body`# don't
      echo ${0}`).toContain('echo "$procwire1"')
    expect(body`echo a#'b' \' ${0}`).toContain('"$procwire1"')
    expect(body`(echo \"; echo "a\"b") > ${0}`).toContain('> "$procwire1"')
  })

  it("refuses a value where a shell would not see a variable, and an array in quotes", () => {
    const message = (raw: Template, value: unknown) => {
      try {
        return script(raw, [value])
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(message(template("echo '", "'"), "x")).toBe(
      "$`echo '${…}'`: value 1 stands between ' and ': take them away, a value needs no quotes",
    )
    expect(message(template('echo "', '"'), ["x"])).toContain('value 1 stands between " and "')
    expect(message(template("echo ", ""), {})).toContain("value 1 is an object")
    expect(() => script(template(" "), [])).toThrow("there is no program to run")
  })
})
