// @ts-check
// Paths on the wire: names of the work folder, and the ways to spell them. Whatever a server takes a spelling for, it
// stays inside the folder of the sequence; those of `elsewhere` do not, and are only for methods that change nothing.

/** @import { Random } from "../../stress/lib/command.mjs" */

const there = [
  "a.txt", "b.bin", "empty", "lines", "sp%20ace", "per%25cent", "back%5Cslash", "hash%23mark%3F", "secret", "dir",
  "dir/one", "dir/sub", "dir/sub/two", "dir/sub/deep", "dir/sub/deep/three", "br[id]", "br%5Bid%5D", "br[id]/page.tsx",
  "a%7Cb%5Ec", "a|b^c/x", "we(i)r", "we%28i%29r", "we(i)r/x", ".hid", ".hid/.hidden", "void", "bin", "run.sh", "noexec",
  "present", "%C3%BC.txt", "ü.txt", "n%FF%FE", "hard",
] // prettier-ignore
const linked = [
  "lnk", "dirlnk", "dirlnk/one", "dirlnk/sub/two", "dangling", "dangling/x", "loop", "loop/x", "ping", "dir/up",
  "dir/up/a.txt", "dir/sub/lnk3", "tolong", "absolute", "absolute/one", "dirlnk/up/dirlnk/one",
] // prettier-ignore
const missing = [
  "new", "new2", "none/new", "void/new", "void/a/b", "dir/new", "a.txt/x", "empty/", "new%FFbytes", "n w", "nü",
  `${"n".repeat(255)}`, `${"n".repeat(256)}`, `void/${"%C3%BC".repeat(128)}`, "void/{x}", "void/`\"<>", "void/q%3Fq",
  "watched-1/x", "void/%", "void/%zz", "void/%4", "void/a%2Fb", "void/a+b", "void/~a;b=c&d,e!$'*",
] // prettier-ignore

/** A path below the work folder, as a URI would name it. @param {Random} random */
export const name = (random) => {
  const share = random.next()
  return random.pick(share < 0.5 ? there : share < 0.75 ? linked : missing)
}

const letter = /[a-z]/g

/** @param {Random} random @param {string} text */
const escapeOne = (random, text) => {
  const places = [...text.matchAll(letter)].map(({ index }) => index)
  if (places.length === 0) return text
  const at = random.pick(places)
  const code = text.charCodeAt(at).toString(16)
  return `${text.slice(0, at)}%${random.chance(0.5) ? code : code.toUpperCase()}${text.slice(at + 1)}`
}

/** Other spellings of the path in a URI. @type {readonly ((path: string, random: Random) => string)[]} */
const twists = [
  (path, random) => escapeOne(random, path),
  (path) => path.replace("/", "//"),
  (path) => path.replace("/", "/./"),
  (path) => path.replace("/", "/%2e/"),
  (path) => path.replace("/", "/x/../"),
  (path) => path.replace("/", "/x/%2E%2e/"),
  (path) => path.replace("/", "/x/.%2e/"),
  (path) => path.replace("/", "/nul%00/../"),
  (path) => path.replace("/", "/a%00b/%2e%2e/"),
  (path) => path.replaceAll("/", "\\"),
  (path) => path.replace("/", "\\"),
  (path) => path.replaceAll("/", "%2F"),
  (path) => path.replaceAll("/", "%5C"),
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => `${path}//`,
  (path) => `${path}\\`,
  (path) => `${path}/%2e`,
  (path) => `${path}/none/..`,
  (path) => path.replace("/", "\t/"),
  (path) => path.replace("/", "/\n"),
  (path) => `${path}\r`,
  (path) => `${path}%00`,
  (path) => `${path}\u0000`,
  (path) => `${path}\u0001`,
  (path) => `${path}?x=1`,
  (path) => `${path}?`,
  (path) => `${path}#f`,
  (path) => `${path}#`,
  (path) => decodeURIComponentSafe(path),
  (path) => `${path}|`,
  (path) => `${path}\ud800`,
]

/** @param {string} path */
const decodeURIComponentSafe = (path) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What stands before the path. */
const fronts = [
  "file:{D}", "FILE://{D}", "file://localhost{D}", "file://LOCALHOST{D}", "file://%6cocalhost{D}", "file://loc%61lhost{D}",
  "file:\\\\{D}", "file:\\\\localhost{D}", "file:/{D}", "file:///{D}", "file:////{D}", " file://{D}", "\tfile://{D}",
  "\u0001\u001f file://{D}", "fi\tle://{D}", "file:\n//{D}", "file:///.{D}", "file:///..{D}", "file:///x/..{D}",
  "file:///%2e{D}", "file://LOCAL%48OST{D}", "file://loc\talhost{D}",
] // prettier-ignore

/** What no server takes for a file here, or takes for a file elsewhere. */
const refused = [
  "", "{D}/a.txt", "a.txt", "http://x/y", "file://otherhost{D}/a.txt", "file://a b{D}", "file://localhost:80{D}/a.txt",
  "file://user@localhost{D}", "file://[::1]{D}", "file://127.0.0.1{D}", "file://%00{D}", "file://xn--a{D}", "::", "file",
  "C:", "data:x", "mailto:a@b", "file://:80{D}", "file://a%20b{D}", "FILE", "1file://{D}", "file://lo calhost{D}",
  "http://", "https:{D}", "ws://h/{D}", "file://localhost.{D}", "file://lOcAlHoSt:{D}", "about:blank", "//localhost{D}",
  "file://ｌocalhost{D}", "file://a%b{D}", "file://a<b{D}", "file://256.1.1.1{D}", "file://0x7f.1{D}", "file://@{D}",
] // prettier-ignore

/** For methods that change nothing. */
const elsewhere = [
  "file:C:/x", "file:///C:/x", "file:///C|/x", "file:///c:", "file://C:/x", "file:/C:/../x", "file://localhost/C:/x",
  "file:", "file:///", "file://", "file:/", "file:x", "file:.", "file:///dev/null", "file:///dev/null/x", "file:///dev",
  "file:///etc/hostname", "file:///nowhere/x", "file:///proc/self/status/x", "file:?x", "file:#x", "file:///C%3A/x",
  "file:///proc/version", "file:///%43:/x", "file:///C:", "file:c|", "file:///x/C:/y", "file:\\C:\\x",
] // prettier-ignore

/**
 * A URI. Most lead to a file of the work folder.
 * @param {Random} random
 * @param {{ harmless?: boolean, of?: string }} [options] harmless for methods that change nothing
 */
export const uri = (random, { harmless = false, of = name(random) } = {}) => {
  const share = random.next()
  if (share < 0.04) return random.pick(refused)
  if (share < 0.08 && harmless) return random.pick(elsewhere)
  if (share < 0.1 && harmless) return random.pick(["{U}", "{U}/", "{U}/.", "{U}/..", "{U}/fifo"])
  const twisted = random.chance(0.25) ? random.pick(twists)(`/${of}`, random) : `/${of}`
  const twice = random.chance(0.04) ? random.pick(twists)(twisted, random) : twisted
  const front = random.chance(0.1) ? random.pick(fronts) : "{U}"
  const ends = random.chance(0.02) ? random.pick([" ", "\t", "\u0000", "\r\n", "\u001f"]) : ""
  return `${front}${twice}${ends}`
}

/** A folder to work in. @param {Random} random */
export const cwd = (random) =>
  random.chance(0.6)
    ? "{U}"
    : uri(random, {
        harmless: true,
        of: random.pick([
          "dir",
          "br[id]",
          "dirlnk",
          "a.txt",
          "none",
          "loop",
          "we%28i%29r",
          "n%FF%FE",
          "dir/sub",
          "bin",
        ]),
      })
