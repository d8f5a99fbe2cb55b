// @ts-check
// Faults of the page, and the reports of the suite.
import { byTests, inFile } from "./fault.mjs"

export const page = [
  inFile("adapters/web/WebClient.ts")(
    "a client in a browser connects to nothing",
    "WebSocketTransport.connect(target.url)",
    "Effect.never",
    byTests("conformance/integration/Web.test.ts"),
  ),
  inFile("adapters/web/page/model/Follower.ts")(
    "in a flood Ctrl-C is seen late",
    "seq - this.last > mostBehind",
    "false",
  ),
  inFile("adapters/web/page/model/Intake.ts")(
    "output is queued without a bound",
    "if (this.waitingBytes <= this.most) return Promise.resolve()",
    "if (this.waitingBytes >= 0) return Promise.resolve()",
  ),
  inFile("adapters/web/page/model/Keys.ts")(
    "a terminal cannot be left by the keyboard",
    "if (ctrlKey && shiftKey) return find(key, true)",
    "",
  ),
  inFile("adapters/web/page/model/PipeText.ts")(
    "a line has the output of both streams",
    'pipe === this.current ? "" : this.turn(state)',
    '""',
  ),
  inFile("adapters/web/page/model/Rows.ts")(
    "an end is told twice",
    "(old === undefined || !isOver(old))",
    "true",
  ),
  inFile("adapters/web/page/model/Tab.ts")("the tab tells what went well instead", "failed ?? last", "last"),
  inFile("conformance/client/Judge.ts")(
    "an id may be used again",
    "shake.ids.has(key)",
    "false",
    byTests("conformance/integration/Clients.test.ts"),
  ),
  inFile("conformance/client/Played.ts")(
    "the played server writes a repeated write again",
    'typeof writeId !== "string" || !writeIds.has(writeId)',
    "true",
    byTests("conformance/integration/Clients.test.ts"),
  ),
  inFile("conformance/clients/python/procwire_client/client.py")(
    "the client for Python delivers again what it has delivered",
    "seq > self._seen",
    "seq != 0",
    byTests("conformance/integration/PythonClient.test.ts"),
  ),
  inFile("conformance/report/Markdown.ts")(
    "a summary has ids that were made up",
    "/\\bproc-[0-9a-f]+\\b/g",
    "/\\bproc-none\\b/g",
    byTests("conformance/report"),
  ),
  inFile("conformance/report/Tally.ts")("a badge is never red", "!verdict.passed", "counted.length === 0"),
]
