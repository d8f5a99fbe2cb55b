"""What a server needs of the documents of the wire: types, texts and rules."""

import errno
import json
import re
import urllib.parse

KINDS = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
NAMES = {dict: "map", list: "sequence", int: "number", float: "number", bool: "boolean", type(None): "null"}


class Refused(Exception):
    """An error response with a text of the documents."""

    known = {}

    def __init__(self, name, **values):
        text = self.known[name]
        message = re.sub(r"\{(\w+)\}", lambda place: str(values[place[1]]), text["message"])
        self.error = {"code": text["code"], "message": message}
        if "data" in text:
            self.error["data"] = text["data"]


class Free(Refused):
    """An error response with a text that no client compares."""

    def __init__(self, message, kind=None, code=-32602):
        self.error = {"code": code, "message": message}
        if kind is not None:
            self.error["data"] = {"kind": kind}


class Documents:
    def __init__(self, folder):
        meta = json.loads((folder / "procwire.meta.json").read_text())
        self.types = json.loads((folder / "procwire.schema.json").read_text())["$defs"]
        self.methods, self.labels, self.limits = meta["methods"], meta["labels"], meta["limits"]
        self.system, self.rules, Refused.known = meta["systemError"], meta["environment"], meta["texts"]

    def limit(self, name):
        return self.limits[name]["default"]

    def params(self, method, value):
        """The params of a request. Refuses what is not of their type."""
        return self.take(self.methods[method]["params"], value, "params")

    def take(self, schema, value, where):
        if "$ref" in schema:
            return self.take(self.types[schema["$ref"].split("/")[-1]], value, where)
        if "anyOf" in schema:
            return self.choose(schema["anyOf"], value, where)
        properties = schema.get("properties", {})
        if isinstance(value, list) and properties:
            value = dict(zip(properties, value))
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and type(value) not in [KINDS[kind] for kind in kinds]:
            found = f'string "{value}"' if isinstance(value, str) else NAMES[type(value)]
            raise Refused("wrongType", found=found, expected=f"a {kinds[0]}")
        if value is None:
            return None
        if value not in schema.get("enum", [value]) or value != schema.get("const", value):
            raise Free(f"{where} is none of the known words")
        if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            raise Free(f"{where} is out of range")
        if isinstance(value, dict):
            for name in schema.get("required", []):
                if name not in value:
                    raise Refused("missingField", field=name)
            others = schema.get("additionalProperties", {})
            types = {name: properties.get(name, others) for name in value}
            return {name: self.take(types[name], one, f"{where}.{name}") for name, one in value.items()}
        if isinstance(value, list):
            return [self.take(schema.get("items", {}), one, where) for one in value]
        return value

    def choose(self, choices, value, where):
        faults = []
        for one in choices:
            try:
                return self.take(one, value, where)
            except Refused as fault:
                faults.append(fault)
        raise faults[0]

    def system_error(self, number):
        """Why the operating system did not start a process."""
        name = errno.errorcode[number]
        known = self.system["texts"].get(name, "No error information")
        text = self.system["message"].format(text=known, number=number)
        return Free(text, self.system["spawnKinds"].get(name, "spawnFailed"), self.system["code"])

    def environment(self, params, own):
        """The environment of a process, where that of the server is `own`."""
        policy, variables = params.get("envPolicy"), {}
        if policy:
            excludes = [] if policy["ignoreDefaultExcludes"] else self.rules["defaultExcludes"]
            excludes = [*excludes, *policy["exclude"]]
            for name, value in own.items():
                is_core = policy["inherit"] == "core" and name.upper() in self.rules["core"]["unix"]
                if (policy["inherit"] == "all" or is_core) and not matches(name, excludes):
                    variables[name] = value
            only = policy["includeOnly"] or ["*"]
            variables |= policy["set"]
            variables = {name: value for name, value in variables.items() if matches(name, only)}
        never = self.rules["neverPassed"]
        variables |= params["env"]
        return {
            name: value
            for name, value in variables.items()
            if name not in never["exactly"] and name.upper() not in never["inAnyCase"]
        }


def matches(name, patterns):
    shapes = (re.escape(one).replace(r"\*", ".*").replace(r"\?", ".") for one in patterns)
    return any(re.fullmatch(one, name, re.IGNORECASE | re.DOTALL) for one in shapes)


def native(uri, kind=None):
    """The path of a `file:` URI, or an absolute path."""
    parts = urllib.parse.urlsplit(uri)
    if not parts.scheme and uri.startswith("/"):
        return uri
    is_foreign = parts.scheme != "file" or parts.netloc not in ("", "localhost") or parts.path[2:3] == ":"
    if is_foreign or parts.query or parts.fragment:
        raise Free(f"no path of this host: {uri}", kind)
    return urllib.parse.unquote(parts.path)


def refuse_what_is_not_here(params):
    """This server has neither a network proxy nor a sandbox nor snapshots of a shell."""
    proxy, managed, sandbox = (params.get(name) for name in ("networkProxy", "managedNetwork", "sandbox"))
    if managed and managed.get("transparentTcp") and not proxy:
        raise Refused("noManagedProxy")
    if proxy and proxy["proxy"].get("transparentTcp") and not sandbox:
        raise Refused("noManagedSandbox")
    if proxy or params.get("shellSnapshot"):
        raise Free("this server has neither a network proxy nor snapshots of a shell")
    if not params["argv"]:
        raise Refused("emptyArgv")
    if sandbox:
        for uri in [sandbox.get("cwd"), *sandbox.get("workspaceRoots", [])]:
            uri and native(uri, "sandboxPreparation")
        profile = sandbox["permissions"]
        if profile["type"] == "managed" and profile["file_system"]["type"] != "unrestricted":
            raise Free("this server confines nothing", "sandboxUnavailable")
        if sandbox["windowsSandboxLevel"] == "mxc":
            raise Free("this server confines nothing", "sandboxUnavailable")
