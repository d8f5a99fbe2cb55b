// @ts-check
// Types in words: what the compiler has computed, with the names of the types that have one.
import ts from "typescript-5.6"
import { docOf, Fault, isExported, isTopLevel, ofEffect } from "./program.mjs"
/** @import { Module, Way } from "./text.mjs" */

/**
 * Services for the declarations around a type.
 * @typedef {{
 *   readonly isOwn: (file: ts.SourceFile) => boolean,
 *   readonly home: (symbol: ts.Symbol) => ts.SourceFile,
 *   readonly isInternal: (symbol: ts.Symbol) => boolean,
 *   readonly isCut: (member: ts.Node) => boolean,
 *   readonly standInFor: (symbol: ts.Symbol | undefined) => string | undefined,
 *   readonly standIn: (module: Module, name: string) => string,
 *   readonly freeName: (module: Module, symbol: ts.Symbol) => string,
 *   readonly imported: (module: Module, symbol: ts.Symbol, wanted: string, way: Way) => string,
 * }} Around
 */

/**
 * The text of types. Its functions throw a {@link Fault} for a type that programs without Effect cannot read.
 * @param {ts.Program} program
 * @param {Around} around
 */
export const make = (
  program,
  { freeName, home, imported, isCut, isInternal, isOwn, standIn, standInFor },
) => {
  const checker = program.getTypeChecker()

  const keywords =
    ts.TypeFlags.Unknown |
    ts.TypeFlags.String |
    ts.TypeFlags.Number |
    ts.TypeFlags.Boolean |
    ts.TypeFlags.BigInt |
    ts.TypeFlags.Void |
    ts.TypeFlags.Undefined |
    ts.TypeFlags.Null |
    ts.TypeFlags.Never |
    ts.TypeFlags.ESSymbol |
    ts.TypeFlags.NonPrimitive |
    ts.TypeFlags.BooleanLiteral |
    ts.TypeFlags.NumberLiteral |
    ts.TypeFlags.BigIntLiteral

  /**
   * A type in words, with the names of those that have one.
   * @param {Module} module
   * @param {ts.Type} type
   * @param {Way} way
   * @param {string} indent
   * @param {ts.Symbol} [self] the alias that is being declared
   * @returns {string}
   */
  const printed = (module, type, way, indent, self) => {
    if (type.flags & ts.TypeFlags.Any) throw new Fault("it has the type any")
    const alias = type.aliasSymbol
    if (alias !== undefined && alias !== self) {
      const named = standInFor(alias)
      if (named !== undefined) return standIn(module, named)
      if (isOwn(home(alias)) && isTopLevel(alias) && (type.aliasTypeArguments ?? []).length === 0)
        return imported(module, alias, freeName(module, alias), way)
    }
    if (type.flags & keywords) return checker.typeToString(type)
    if (type.isStringLiteral()) return JSON.stringify(type.value)
    if (type.flags & ts.TypeFlags.TypeParameter) return type.symbol.name
    if (type.flags & ts.TypeFlags.TemplateLiteral) {
      const { texts, types } = /** @type {ts.TemplateLiteralType} */ (type)
      return `\`${texts.map((text, at) => (at === 0 ? text : `\${${printed(module, /** @type {ts.Type} */ (types[at - 1]), way, indent)}}${text}`)).join("")}\``
    }
    if (type.isUnion()) return unionText(module, type.types, way, indent)
    if (type.isIntersection())
      return type.types.map((one) => bracketed(printed(module, one, way, indent))).join(" & ")
    if (type.flags & ts.TypeFlags.Object)
      return objectText(module, /** @type {ts.ObjectType} */ (type), way, indent)
    throw new Fault(`it has the type ${checker.typeToString(type)}, which cannot be computed`)
  }

  /** @param {string} text */
  const bracketed = (text) =>
    /=>|[|&]|^\w+ is /.test(text.replaceAll(/\{[^]*\}|<[^]*>|`[^`]*`|"[^"]*"/g, "")) ||
    /^(?:<.*>)?\(/.test(text)
      ? `(${text})`
      : text

  /** @param {Module} module @param {readonly ts.Type[]} types @param {Way} way @param {string} indent */
  const unionText = (module, types, way, indent) => {
    const booleans = types.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral)
    const nothing = types.filter(({ flags }) => flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null))
    const isDuration = types.some(({ symbol }) => symbol !== undefined && standInFor(symbol) === "Duration")
    const said = isDuration ? durations() : []
    const rest = types.filter(
      (type) =>
        !nothing.includes(type) &&
        !(booleans.length === 2 && booleans.includes(type)) &&
        !said.includes(type),
    )
    const texts = isDuration ? [standIn(module, "Duration")] : []
    texts.push(...rest.map((type) => bracketed(printed(module, type, way, indent))))
    if (booleans.length === 2) texts.push("boolean")
    texts.push(...nothing.map((type) => checker.typeToString(type)).sort())
    return [...new Set(texts)].join(" | ")
  }

  /** @param {Module} module @param {ts.ObjectType} type @param {Way} way @param {string} indent @returns {string} */
  const objectText = (module, type, way, indent) => {
    if (checker.isTupleType(type))
      return tupleText(module, /** @type {ts.TupleTypeReference} */ (type), way, indent)
    const { symbol } = type
    const isNamed =
      symbol !== undefined &&
      (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0 &&
      (type.objectFlags & (ts.ObjectFlags.ClassOrInterface | ts.ObjectFlags.Reference)) !== 0
    if (isNamed) {
      const file = home(symbol)
      const named = standInFor(symbol)
      if (named !== undefined) return standIn(module, named)
      if (ofEffect.test(file.fileName)) throw new Fault(`it has the type ${symbol.name} of Effect`)
      const args = typeArguments(type).map((one) => printed(module, one, way, indent))
      const list = args.length === 0 ? "" : `<${args.join(", ")}>`
      if (program.isSourceFileDefaultLibrary(file)) return `${symbol.name}${list}`
      if (isOwn(file)) return imported(module, symbol, freeName(module, symbol), way) + list
      throw new Fault(`it has the type ${symbol.name} of another package`)
    }
    const alias = type.aliasSymbol === undefined ? namedAs(type, way) : undefined
    if (alias !== undefined) return imported(module, alias, freeName(module, alias), way)
    const calls = type.getCallSignatures()
    if (type.getConstructSignatures().length > 0) throw new Fault("it has the type of a constructor")
    const [call] = calls
    if (call !== undefined && calls.length === 1 && type.getProperties().length === 0)
      return signatureText(module, call, way, indent, " => ")
    const members = membersText(module, type, way, `${indent}    `)
    return members === "" ? "{}" : `{\n${members}${indent}}`
  }

  /** @param {ts.Type} type */
  const propertiesOf = (type) =>
    checker
      .getPropertiesOfType(type)
      .map(({ name }) => name)
      .sort()
      .join(" ")

  /**
   * The exported types of schemas, by the names of their properties.
   * @returns {Map<string, { readonly symbol: ts.Symbol, readonly type: ts.Type }[]>}
   */
  const findSchemas = () => {
    const found = new Map()
    for (const file of program.getSourceFiles().filter(isOwn))
      for (const node of file.statements) {
        if (!ts.isTypeAliasDeclaration(node) || !/^typeof \w+\.(?:Type|Encoded)$/.test(node.type.getText()))
          continue
        const symbol = checker.getSymbolAtLocation(node.name)
        const type = checker.getTypeFromTypeNode(node.type)
        if (symbol === undefined || !isExported(symbol) || !(type.flags & ts.TypeFlags.Object)) continue
        const key = propertiesOf(type)
        found.set(key, [...(found.get(key) ?? []), { symbol, type }])
      }
    return found
  }

  /**
   * The type of a schema that is the same as one without a name.
   * @param {ts.Type} type
   * @param {Way} way
   */
  const namedAs = (type, way) => {
    if (checker.getPropertiesOfType(type).length < 3) return undefined
    const same = schemas
      .get(propertiesOf(type))
      ?.find(
        (one) => checker.isTypeAssignableTo(type, one.type) && checker.isTypeAssignableTo(one.type, type),
      )
    return same === undefined || way.path.endsWith(` ${same.symbol.name}`) ? undefined : same.symbol
  }

  /** The arguments of a named type that are not those it has by default. @param {ts.ObjectType} type */
  const typeArguments = (type) => {
    if (!(type.objectFlags & ts.ObjectFlags.Reference)) return []
    const reference = /** @type {ts.TypeReference} */ (type)
    const parameters = reference.target.typeParameters ?? []
    const args = [...checker.getTypeArguments(reference)].slice(0, parameters.length)
    while (args.length > 0) {
      const parameter = parameters[args.length - 1]
      if (parameter === undefined || checker.getDefaultFromTypeParameter(parameter) !== args.at(-1)) break
      args.pop()
    }
    return args
  }

  /** @param {Module} module @param {ts.TupleTypeReference} type @param {Way} way @param {string} indent */
  const tupleText = (module, type, way, indent) =>
    `${type.target.readonly ? "readonly " : ""}[${elements(module, type, way, indent).join(", ")}]`

  /**
   * The elements of a tuple, as in a list of parameters if they have names.
   * @param {Module} module
   * @param {ts.TupleTypeReference} type
   * @param {Way} way
   * @param {string} indent
   */
  const elements = (module, type, way, indent) => {
    const { elementFlags, labeledElementDeclarations } = type.target
    return checker.getTypeArguments(type).map((one, at) => {
      const flags = elementFlags[at] ?? 0
      const label = labeledElementDeclarations?.[at]?.name.getText()
      const optional = flags & ts.ElementFlags.Optional ? "?" : ""
      const itself = printed(module, optional === "" ? one : withoutUndefined(one), way, indent)
      const dots = flags & ts.ElementFlags.Rest ? "..." : ""
      const text = dots === "" ? itself : `${bracketed(itself)}[]`
      return label === undefined ? `${dots}${text}${optional}` : `${dots}${label}${optional}: ${text}`
    })
  }

  /** @param {Module} module @param {ts.Signature} signature @param {Way} way @param {string} indent @param {string} arrow */
  const signatureText = (module, signature, way, indent, arrow) => {
    const generic = (signature.typeParameters ?? []).map((parameter) => {
      const constraint = parameter.getConstraint()
      return constraint === undefined
        ? parameter.symbol.name
        : `${parameter.symbol.name} extends ${printed(module, constraint, way, indent)}`
    })
    const parameters = signature.parameters.flatMap((parameter) => {
      const declaration = /** @type {ts.ParameterDeclaration | undefined} */ (parameter.valueDeclaration)
      const type = checker.getTypeOfSymbol(parameter)
      const rest = declaration?.dotDotDotToken !== undefined || isRest(parameter)
      if (rest && checker.isTupleType(type))
        return elements(module, /** @type {ts.TupleTypeReference} */ (type), way, indent)
      const optional = declaration?.questionToken !== undefined || isOptional(parameter)
      const text = printed(module, optional ? withoutUndefined(type) : type, way, indent)
      return [`${rest ? "..." : ""}${parameter.name}${optional ? "?" : ""}: ${text}`]
    })
    const result = printed(module, signature.getReturnType(), way, indent)
    return `${generic.length === 0 ? "" : `<${generic.join(", ")}>`}(${parameters.join(", ")})${arrow}${result}`
  }

  /** The flags of the compiler for a symbol that it has computed. @param {ts.Symbol} symbol @returns {number} */
  const checkFlags = (symbol) =>
    /** @type {{ links?: { checkFlags?: number } }} */ (/** @type {unknown} */ (symbol)).links?.checkFlags ??
    0
  /** @param {ts.Symbol} symbol */
  const isRest = (symbol) => (checkFlags(symbol) & (1 << 15)) !== 0
  /** @param {ts.Symbol} symbol */
  const isOptional = (symbol) =>
    (symbol.flags & ts.SymbolFlags.Optional) !== 0 || (checkFlags(symbol) & (1 << 14)) !== 0
  /** @param {ts.Symbol} symbol */
  const isReadonly = (symbol) =>
    (checkFlags(symbol) & 8) !== 0 ||
    (symbol.declarations?.some(
      (node) => (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Readonly) !== 0,
    ) ??
      false)

  /** @param {ts.Type} type */
  const withoutUndefined = (type) => (type.isUnion() ? withoutFlags(type) : type)
  /** @param {ts.UnionType} type */
  const withoutFlags = (type) => {
    const rest = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
    return rest.length === 1
      ? /** @type {ts.Type} */ (rest[0])
      : Object.assign(Object.create(Object.getPrototypeOf(type)), type, {
          types: rest,
          aliasSymbol: undefined,
        })
  }

  /**
   * The members of a type, each on a line of its own, with its doc comment.
   * @param {Module} module
   * @param {ts.Type} type
   * @param {Way} way
   * @param {string} indent
   * @param {ReadonlySet<string | undefined>} [without]
   */
  const membersText = (module, type, way, indent, without = new Set()) => {
    let out = ""
    // A schema of which only some fields have to be there has lost the comments of the whole one.
    const like = schemas.get(propertiesOf(type))?.[0]?.type
    for (const info of checker.getIndexInfosOfType(type)) {
      const [key, value] = [info.keyType, info.type].map((one) => printed(module, one, way, indent))
      out += `${indent}${info.isReadonly ? "readonly " : ""}[name: ${key}]: ${value};\n`
    }
    for (const call of type.getCallSignatures())
      out += `${indent}${signatureText(module, call, way, indent, ": ")};\n`
    for (const property of checker.getPropertiesOfType(type)) {
      const name = propertyName(property)
      if (without.has(name) || isInternal(property) || property.declarations?.some(isCut)) continue
      const further = { door: way.door, path: `${way.path}.${property.name}` }
      const doc = docOfProperty(property) ?? docOfProperty(like?.getProperty(property.name))
      if (doc !== undefined) out += `${indent}${doc.replaceAll(/\n\s*/g, `\n${indent} `)}\n`
      if (name === "effect") {
        out += `${indent}readonly effect: ${standIn(module, "EffectFace")};\n`
        continue
      }
      const optional = isOptional(property)
      const found = checker.getTypeOfSymbol(property)
      const missing = found.isUnion()
        ? found.types.filter(
            (one) => one.flags & ts.TypeFlags.Undefined && one !== checker.getUndefinedType(),
          )
        : []
      const itself = optional && found.isUnion() && missing.length > 0 ? withoutFlags(found) : found
      let text
      try {
        text = printed(module, itself, further, indent)
      } catch (error) {
        if (error instanceof Fault) throw new Fault(`${name}: ${error.message}`)
        throw error
      }
      out += `${indent}${isReadonly(property) ? "readonly " : ""}${name}${optional ? "?" : ""}: ${text};\n`
    }
    return out
  }

  /** @param {ts.Symbol | undefined} property */
  const docOfProperty = (property) => {
    const [declaration] = property?.declarations ?? []
    return declaration === undefined || !isOwn(declaration.getSourceFile()) ? undefined : docOf(declaration)
  }

  /** @param {ts.Symbol} property */
  const propertyName = (property) => {
    const known = /^__@(\w+)@\d+$/.exec(property.name)
    if (known !== null) return `[Symbol.${known[1]}]`
    return /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name)
  }

  /** The members of `Duration.Input` of Effect. @returns {readonly ts.Type[]} */
  const durations = () => {
    const file = program
      .getSourceFiles()
      .find(({ fileName }) => fileName.endsWith("/node_modules/effect/dist/Duration.d.ts"))
    const symbol = file && checker.getSymbolAtLocation(file)
    const alias = symbol && checker.getExportsOfModule(symbol).find(({ name }) => name === "Input")
    const type = alias && checker.getDeclaredTypeOfSymbol(alias)
    if (type === undefined || !type.isUnion()) throw new Error("effect/Duration has no Input")
    return type.types
  }
  const schemas = findSchemas()

  /** True for a duration of Effect, and for an object of units. @param {ts.Symbol} symbol */
  const isOfDuration = (symbol) => standInFor(symbol) !== undefined || symbol.name === "DurationObject"

  /** The type of a duration, without the members of Effect. @param {Module} module */
  const durationText = (module) => {
    const rest = durations().filter(({ symbol }) => symbol === undefined || !isOfDuration(symbol))
    return unionText(module, rest, { door: "", path: "Duration" }, "")
  }
  return { printed, membersText, durationText }
}
