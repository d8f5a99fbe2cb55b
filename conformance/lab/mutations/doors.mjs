// @ts-check
// Mutations of whom a server lets in, what it says about itself, and how it ends.
import { elsewhere, one } from "./mutation.mjs"

const jwt = "adapters/shared/auth/SignedToken.ts"
const flags = "adapters/shared/serve/AuthRule.ts"
const bearer = "adapters/shared/auth/Bearer.ts"
const admission = "adapters/shared/transport/UpgradeAdmission.ts"
const listen = "adapters/shared/serve/ListenAddress.ts"
const doorsTest = "adapters/shared/serve/Listening.test.ts"
const serveTest = "adapters/shared/cli/ServeCommand.test.ts"
const drain = "core/spawn/Drain.ts"

export const doors = [
  one(
    jwt,
    'algorithms: ["HS256"]',
    'algorithms: ["HS256", "HS512"]',
    "HS512 is good enough",
    "websocket/jwt",
  ),
  one(jwt, "now > exp + skewSeconds", "now > exp", "clocks may not differ", "websocket/jwt"),
  one(jwt, "now < nbf - skewSeconds", "now < nbf - 3600", "a token may be an hour early", "websocket/jwt"),
  one(
    jwt,
    "iss !== issuer",
    "iss !== undefined && iss !== issuer",
    "a token may be anybody's",
    "websocket/jwt",
  ),
  one(jwt, "!== true) return", "=== false) return", "a token may be for nobody", "websocket/jwt"),
  one(
    bearer,
    '.toLowerCase() !== "bearer"',
    ' !== "Bearer"',
    "the scheme has one spelling",
    "websocket/auth",
  ),
  one(bearer, ".trim() || undefined", "|| undefined", "blanks around a token count", "websocket/auth"),
  elsewhere(
    one(flags, "contents.trim()", "contents", "white space in a file counts", "websocket/auth"),
    "adapters/shared/serve/AuthRule.test.ts",
  ),
  elsewhere(
    one(flags, ">= minSecretBytes", "> 0", "a secret may be short", "websocket/auth/flags"),
    "adapters/shared/serve/AuthRule.test.ts",
  ),
  elsewhere(
    one(listen, "guard.certificate || (", "guard.certificate || guard.token || (", "a token guards TCP"),
    doorsTest,
  ),
  elsewhere(
    one(
      "adapters/shared/host/Loopback.ts",
      '"127.0.0.0", 8',
      '"126.0.0.0", 7',
      "the neighbours of loopback are loopback",
    ),
    doorsTest,
  ),
  elsewhere(
    one(
      admission,
      "(await admit(request)).reply ?? page()",
      "page()",
      "pages are for everybody",
      "websocket/status",
    ),
    "adapters/shared/transport/WebSocketListener.test.ts",
  ),
  elsewhere(
    one(
      admission,
      "reply === undefined ? admit(request) : { reply }",
      "{ reply }",
      "no token is asked for",
      "websocket/auth",
    ),
    "adapters/shared/transport/WebSocketListener.test.ts",
  ),
  one("adapters/shared/status/Prometheus.ts", "bound !== Infinity", "true", "a bucket is there twice"),
  one("core/process/Metrics.ts", "gauge.modify(-1)", "void gauge", "processes run for ever"),
  one(
    "core/process/Process.ts",
    "outputBytes.update(bytes.length)",
    "outputBytes.update(1)",
    "chunks are counted for bytes",
  ),
  one(
    drain,
    "if (draining) return Effect.fail",
    "if (false) return Effect.fail",
    "a server that ends starts processes",
  ),
  one(
    drain,
    "children.has(child) && (yield* isThere(child))",
    "yield* isThere(child)",
    "a drain waits for children that were killed",
  ),
  one(
    drain,
    "exited() ? handle.lingering",
    "exited() ? Effect.succeed(false)",
    "who outlives its leader gets no time",
  ),
  one(
    drain,
    "yield* each(({ handle }) => handle.kill)",
    "",
    "who does not heed SIGTERM is waited for in vain",
  ),
  elsewhere(
    one(
      "adapters/shared/cli/Cli.ts",
      "signal !== undefined || command.ends !== true",
      "command.ends !== true",
      "a second signal changes nothing",
      "lifecycle/grace*",
    ),
    "adapters/shared/cli/Shutdown.test.ts",
  ),
  elsewhere(
    one(
      "adapters/shared/cli/OptionFlags.ts",
      "[...sources, fromEnvironment, given]",
      "[given, fromEnvironment, ...sources]",
      "the file wins over the flag",
    ),
    serveTest,
  ),
  elsewhere(
    one(
      "adapters/shared/serve/Environment.ts",
      "if (unknown !== undefined)",
      "if (false)",
      "a mistyped variable is ignored",
    ),
    serveTest,
  ),
  elsewhere(
    one(
      "adapters/shared/serve/ConfigFile.ts",
      "if (before !== undefined && !isList)",
      "if (false)",
      "an option that is in the file twice has its last value",
    ),
    serveTest,
  ),
  elsewhere(
    one("adapters/shared/serve/Option.ts", "Number(value) >= least && ", "", "an option has no lower bound"),
    serveTest,
  ),
  elsewhere(
    one(
      "adapters/shared/cli/ServeCommand.ts",
      "delete process.env[name]",
      "void name",
      "a server configures those that its processes start",
    ),
    "adapters/shared/integration/Configuration.test.ts",
  ),
  elsewhere(
    one(
      "adapters/shared/serve/ProgramOptions.ts",
      "if (refusal !== undefined)",
      "if (false)",
      "a program may give options that do not exist",
    ),
    "adapters/shared/integration/Serve.test.ts",
  ),
  elsewhere(
    one(
      "adapters/shared/serve/Upgrades.ts",
      "if (stopped) return refuse(socket)",
      "",
      "a server that has ended takes upgrades",
    ),
    "adapters/shared/integration/Serve.test.ts",
  ),
  one(
    "core/protocol/Suggestion.ts",
    "(one, other) => one.steps - other.steps",
    "() => 0",
    "the first near word is suggested, not the nearest",
  ),
]
