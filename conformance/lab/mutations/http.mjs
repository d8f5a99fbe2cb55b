// @ts-check
// Mutations of HTTP: what is sent, where a redirect leads, and through which proxy.
import { inFile, one } from "./mutation.mjs"

const prepare = inFile("core/http/OutgoingRequest.ts")
const redirect = inFile("core/http/Redirect.ts")
const proxies = inFile("core/http/Proxies.ts")
const exchange = inFile("core/http/FollowRedirects.ts")

export const http = [
  one(
    "core/rpc/Running.ts",
    "if (is(request)) stop()",
    "void stop",
    "a streamed body goes on that is cancelled behind its answer",
    "request/cancel/ends-a-streamed-body",
  ),
  prepare('if (value === "")', "if (false)", "an empty variable is a value", "http/request"),
  prepare(
    "protectedVariables.has(name.toUpperCase())",
    "protectedVariables.has(name)",
    "openai_api_key is sent",
  ),
  prepare("if (control.test(whole))", "if (control.test(value))", "a variable may hold a line end", "http"),
  prepare('&& !has("authorization")', "", "credentials of the URL win over a header", "http/request"),
  prepare('if (!has("accept")) headers', "headers", "accept is sent twice", "http/request"),
  redirect("elsewhere && sensitive.has(name)", "false", "credentials follow to another host", "http/request"),
  redirect("bare && ofBody.has(name)", "false", "a GET has a content-length", "http/request"),
  redirect('bare && request.method !== "HEAD"', "bare", "HEAD becomes GET on 303", "http/redirect"),
  redirect(
    "status === 303 ||",
    'status === 303 && method !== "GET" && method !== "HEAD" ||',
    "a GET keeps its body on 303",
    "http/redirect",
  ),
  redirect(
    'status < 303 && method === "POST"',
    'status < 303 && method !== "HEAD"',
    "PUT becomes GET",
    "http/request",
  ),
  redirect(
    'from.protocol === "https:" && to',
    'from.protocol === "http:" && to',
    "a secret address is told",
    "http",
  ),
  one(
    "adapters/shared/http/NodeHttpClient.ts",
    "if (body.length === 0) outgoing.useChunkedEncodingByDefault = false",
    'if (body.length === 0 && method === "GET") outgoing.useChunkedEncodingByDefault = false',
    "a POST without a body has a content-length",
    "http/redirect",
  ),
  one(
    "core/protocol/HttpRequest.ts",
    "valueEnvVar: omittable(",
    "valueEnvVar: nullable(",
    "a header in an array has three elements",
    "http/request",
  ),
  proxies('name === "HTTP_PROXY" &&', "false &&", "a CGI script takes a header of its client for a proxy"),
  proxies("host.endsWith(`.${name}`)", "host.endsWith(name)", "notexample.org is exempt with example.org"),
  proxies("Number(bits) > 32", "Number(bits) > 31", "a network of one address exempts nothing"),
  exchange(
    "followed === Redirect.most",
    "followed > Redirect.most",
    "one redirect too many is followed",
    "http",
  ),
]
