import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Methods from "./Methods.ts"
import * as Document from "./document/Shape.ts"
import * as Shape from "./shape/index.ts"
import { base, decode, shapeOf, shapes, start } from "./testing/Decoding.ts"

const requests = Object.entries(Methods.requests)

describe("Methods", () => {
  it("knows no other names than its own, whatever objects inherit", () => {
    for (const name of ["process/list", "command/exec", "initialized", "toString", "__proto__", ""])
      expect(Methods.isServerNotification(name)).toBe(false)
    for (const name of ["request/cancel", "toString", "__proto__", ""])
      expect(Methods.isCancellable(name)).toBe(false)
  })

  it("lets no request be cancelled that could be half done", () => {
    const cancellable = requests.filter(([name]) => Methods.isCancellable(name))
    expect(cancellable.length).toBeGreaterThan(8)
    // An exchange is not repeatable, for the other side may count it; to break it off is up to the client.
    const others = cancellable.filter(([name]) => name !== "http/request")
    expect(others.filter(([, row]) => !("repeatable" in row) || row.repeatable !== "always")).toEqual([])
  })

  it("lets a request that can wait for something take a slot, and what must get through none", () => {
    expect(requests.filter(([name, row]) => Methods.isCancellable(name) && !row.slotted)).toEqual([])
    const { initialize, "process/signal": signal, "process/terminate": terminate } = Methods.requests
    expect([initialize.slotted, signal.slotted, terminate.slotted]).toEqual([false, false, false])
  })

  it.each([...shapes.keys()])("has a JSON Schema of an object for %s", (name) => {
    const definitions: Document.Definitions = new Map()
    const schema = JSON.stringify([Document.of(shapeOf(name), definitions), ...definitions])
    expect(schema).toContain('"type":"object"')
    expect(schema).not.toContain('{"type":"array"}')
  })

  it.each([
    ["initialize", '{"clientName":"x"}'],
    ["initialize", '{"clientName":"","resumeSessionId":null}'],
    [
      "initialize result",
      JSON.stringify({
        sessionId: "3f6cf1ea-415e-4498-b06d-a139299c22ab",
        environmentInfo: {
          shell: { name: "bash", path: "/bin/bash" },
          executorVersion: "0.171.0",
          providerId: "sha256:2101b2",
          cwd: "file:///work",
          userHomeDir: "file:///root",
          platformOs: "linux",
          prependPathDirs: ["file:///codex-path"],
          temporaryDirectories: [],
          tempDir: "file:///tmp",
          capabilities: {
            networkProxyLaunch: true,
            networkProxyReviewDomains: true,
            networkProxyTransparentTcp: true,
            credentialMasking: true,
            credentialMaskingCustomProviders: true,
            capabilityDiscoverySandbox: true,
            fsWatchMissing: true,
            capabilityDiscoveryV2: true,
            environmentConfigRead: true,
            httpHeaderEnvVars: true,
            sandboxedFileStreaming: true,
            fileWriteStreaming: true,
            shellSnapshotV2: true,
            windowsMxc: false,
            linuxRootWritePreservesDevices: true,
            linuxApprovedRootWritePreservesRestrictions: true,
          },
        },
      }),
    ],
    ["environment/info", "null"],
    ["environment/info", "{}"],
    ["environment/info result", '{"shell":{"name":"sh","path":"/bin/sh"}}'],
    ["environment/status result", '{"status":"ready"}'],
    ["process/start result", '{"processId":"p1","sandboxType":"none"}'],
    ["process/read", '{"processId":"p1"}'],
    ["process/read", '{"processId":"p1","afterSeq":null,"maxBytes":0,"waitMs":5000}'],
    [
      "process/read result",
      JSON.stringify({
        chunks: [
          { seq: 1, stream: "stdout", chunk: "aGkK" },
          { seq: 2, stream: "stderr", chunk: "ZXJyCg==" },
        ],
        nextSeq: 5,
        exited: true,
        exitCode: 3,
        closed: true,
        failure: null,
        sandboxDenied: false,
      }),
    ],
    ["process/write", '{"processId":"p","chunk":"","writeId":"w"}'],
    ["process/write", '{"processId":"p","chunk":"aGkK"}'],
    ["process/write result", '{"status":"accepted"}'],
    ["process/signal", '{"processId":"p","signal":"interrupt"}'],
    ["process/signal result", "{}"],
    ["process/terminate", '{"processId":""}'],
    ["process/terminate result", '{"running":true}'],
    ["session/end", "{}"],
    ["session/end result", "{}"],
    ["process/credit", '{"processId":"p","bytes":9007199254740991}'],
    ["process/credit result", "{}"],
    [
      "process/wait",
      '{"processId":"p","afterSeq":1,"until":[{"exit":true},{"pattern":"a","stream":"stdout","flags":"i"},' +
        '{"idleMs":5},{"bytes":1},{"port":80,"host":"::1"},{"input":true},{"closed":true}],"timeoutMs":9,"maxBytes":2}',
    ],
    [
      "process/wait result",
      '{"met":0,"evidence":{"match":{"stream":"pty","from":{"seq":1,"offset":0},"to":{"seq":2,"offset":3},"text":"a"}},' +
        '"nextSeq":3,"exited":false,"exitCode":null,"closed":false,"head":[{"seq":1,"stream":"pty","chunk":"YQ=="}],' +
        '"tail":[],"omittedBytes":0,"gap":{"from":1,"to":2},"unknown":[{"index":0,"why":"x"}]}',
    ],
    ["process/history", '{"processId":"p","from":{"seq":1},"to":{"byte":9},"maxBytes":2}'],
    ["process/history", '{"processId":"p","from":{"time":5},"to":{"line":2},"tail":3,"times":true}'],
    [
      "process/history result",
      '{"chunks":[{"seq":1,"stream":"pty","chunk":"YQ=="}],"times":[1700000000000],"sizes":[{"afterSeq":0,"rows":2,' +
        '"columns":9}],"byte":0,"line":1,"nextByte":1,"eof":false,"closed":false,' +
        '"ended":{"reason":"full","byte":1,"message":"x"}}',
    ],
    [
      "process/grep",
      '{"processId":"p","pattern":"a","flags":"i","from":{"line":1},"to":{"seq":2},"before":1,"after":2,"maxMatches":3}',
    ],
    [
      "process/grep result",
      '{"matches":[{"line":2,"byte":3,"seq":1,"text":"a","before":["b"],"after":[]}],"complete":true,"nextByte":9,' +
        '"closed":true,"ended":{"reason":"failed","byte":1,"message":"x"}}',
    ],
    ["process/screen", '{"processId":"p","seq":4,"formats":["text","ansi","lines"],"scrollback":9}'],
    [
      "process/screen result",
      '{"seq":4,"fromSeq":1,"size":{"rows":2,"columns":9},"cursor":{"row":1,"column":0,"visible":true,"shape":"bar",' +
        '"blinks":false},"title":"t","alternate":false,"scrollback":0,"text":"a","ansi":"a","lines":[{"spans":' +
        '[{"text":"a","foreground":1,"background":"#010203","bold":true},{"text":"語","columns":2}]},' +
        '{"wrapped":true,"spans":[]}]}',
    ],
    ["process/output", '{"processId":"p1","seq":1,"stream":"stdout","chunk":"aGkK"}'],
    ["process/exited", '{"processId":"p1","seq":3,"exitCode":3,"sandboxDenied":false}'],
    ["process/closed", '{"processId":"p1","seq":4}'],
  ])("decodes and encodes a recorded %s %s", (name, text) => {
    const decoded = Result.getOrThrowWith(decode(name, text), (message) => new Error(message))
    expect(JSON.parse(JSON.stringify(Shape.encode(shapeOf(name), decoded)))).toEqual(JSON.parse(text))
  })

  it("fills in what an earlier peer leaves out", () => {
    expect(decode("process/exited", '{"processId":"p","seq":1,"exitCode":0}')).toEqual(
      Result.succeed({ processId: "p", seq: 1, exitCode: 0, sandboxDenied: false }),
    )
    expect(decode("process/start", start({}))).toEqual(
      Result.succeed({ ...base, pipeStdin: false, enforceManagedNetwork: false }),
    )
  })

  it("ignores unknown members", () => {
    expect(decode("process/start", start({ outputBytesCap: 5, size: {}, zzz: null }))).toEqual(
      decode("process/start", start({})),
    )
  })

  it("takes no members where there are none, as the peer does", () => {
    for (const params of ["null", "{}"])
      expect(Result.isSuccess(decode("environment/status", params))).toBe(true)
    expect(decode("environment/status", '{"a":1}')).toEqual(Result.fail("invalid type: map, expected unit"))
    expect(decode("environment/info", "[]")).toEqual(Result.fail("invalid type: sequence, expected unit"))
  })

  it("accepts null for what is an option", () => {
    const options = [
      "envPolicy",
      "arg0",
      "sandbox",
      "managedNetwork",
      "networkProxy",
      "shellSnapshot",
      "metadata",
    ]
    for (const option of options)
      expect(Result.isSuccess(decode("process/start", start({ [option]: null })))).toBe(true)
    expect(Result.isSuccess(decode("process/start", start({ managedNetwork: {} })))).toBe(true)
  })

  it("takes unsigned integers up to 2^64-1 for a lot", () => {
    const most = "18446744073709551615"
    expect(
      decode("process/read", `{"processId":"p","afterSeq":${most},"maxBytes":${most},"waitMs":${most}}`),
    ).toEqual(Result.succeed({ processId: "p", afterSeq: 2 ** 64, maxBytes: 2 ** 64, waitMs: 2 ** 64 }))
  })
})
