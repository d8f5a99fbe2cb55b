// @ts-check
// Mutations of the door for browsers: whom the page of a server lets in.
import { elsewhere, inFile } from "./mutation.mjs"

const names = inFile("adapters/shared/door/Names.ts")
const handlers = inFile("adapters/shared/door/Handlers.ts")
const requests = inFile("adapters/shared/door/Requests.ts")
const test = "adapters/shared/door/Door.test.ts"

const mutations = [
  names("if (port !== place.port) return false", "", "a host may have another port"),
  names("isWildcard(place.host) || address === place.host", "true", "every address is the listener's"),
  names("host === asked.host))", "asked.host.endsWith(host)))", "names below a further name are known"),
  names("asked.port === origin.port", "true", "a page may come from another port"),
  names(
    "(wasReplaced || scheme !== undefined || port !== undefined)",
    "true",
    "the default port of a name is that of the page",
  ),
  requests("if (!names.hasHost(host))", "if (host === undefined)", "the server goes by every name"),
  requests("origin !== undefined && names.hasOrigin(origin, host)", "true", "anybody may post and connect"),
  requests(
    'site === "cross-site" || site === "same-site"',
    'site === "cross-site"',
    "the same site is the page",
  ),
  handlers("if (!JsonBody.isJson(", "if (false && !JsonBody.isJson(", "a form may log in"),
  handlers("opened: visit.session.hold", "opened: undefined", "connections outlive their visitor"),
  handlers(
    "const credential = await session?.current()",
    "const credential = { kind: 'token' }",
    "a token is asked once",
  ),
  inFile("adapters/shared/door/Links.ts")("waiting.delete(digest)", "", "a link works twice"),
  inFile("adapters/shared/door/Links.ts")("now() >= link.until", "false", "a link works for ever"),
  inFile("adapters/shared/door/Cookie.ts")('"HttpOnly", ', "", "scripts can read the cookie"),
  inFile("adapters/shared/door/WrongTokens.ts")("if (wait > 0) return wait", "", "tokens can be guessed"),
  inFile("adapters/shared/door/Identity.ts")("wrong.giveBack(address)", "", "right tokens count as wrong"),
  inFile("adapters/shared/door/Visitors.ts")(
    "visitor.until ?? Infinity",
    "Infinity",
    "a visit outlives its JWT",
  ),
  inFile("adapters/shared/door/Answer.ts")(
    'weights.get("br") ??',
    "",
    "brotli is sent to those that exclude it",
  ),
  inFile("adapters/shared/transport/WebSocketListener.ts")(
    "site?.admit(request)",
    "undefined",
    "the page cannot connect",
  ),
]

const follower = inFile("adapters/web/page/model/Follower.ts")

/** Of the page itself, which the tests of its models notice. */
const pageMutations = [
  follower("this.floor = picture.seq", "this.floor = 0", "output that a picture has is shown again"),
  follower("else if (missed) this.awaitQuiet()", "", "a picture that is too old is the last one"),
  follower("seq - this.last > mostBehind", "false", "in a flood Ctrl-C is seen late"),
  follower("if (this.last > 0) this.repaint()", "", "who looks again sees what was there before"),
  inFile("adapters/web/page/model/Intake.ts")(
    "if (this.waitingBytes <= this.most) return Promise.resolve()",
    "if (this.waitingBytes >= 0) return Promise.resolve()",
    "output is queued without a bound",
  ),
  inFile("adapters/web/page/model/PipeText.ts")(
    'const before = pipe === this.current ? "" : this.turn(state)',
    'const before = ""',
    "a line has the output of both streams",
  ),
  inFile("adapters/web/page/model/Keys.ts")(
    "if (ctrlKey && shiftKey) return find(key, true)",
    "",
    "a terminal cannot be left by the keyboard",
  ),
  inFile("adapters/web/page/model/Tab.ts")("failed ?? last", "last", "the tab tells what went well instead"),
  inFile("adapters/web/page/model/Rows.ts")(
    "(old === undefined || !isOver(old))",
    "true",
    "an end is told twice",
  ),
]

export const web = [...mutations.map((mutation) => elsewhere(mutation, test)), ...pageMutations]
