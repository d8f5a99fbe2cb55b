// @ts-check
// The modules that the doors lead to, kept or said plainly, one by one.
import { dirname, join, relative } from "node:path"
import ts from "typescript-5.6"
import {
  docOf,
  edited,
  Fault,
  Hit,
  isExported,
  isModule,
  isNameOf,
  isTopLevel,
  lineOf,
  ofEffect,
  programOf,
  shown,
  statementOf,
} from "./program.mjs"
import { importFaults, moduleText, plain, plainName, withTabs } from "./text.mjs"
import * as Words from "./words.mjs"
/** @import { Edit, Module, Way } from "./text.mjs" */

/** Properties of the Effect doors alone, because they take values of Effect, by their modules. */
const cut = [
  { module: "adapters/shared/serve/Options", property: "auditLog" },
  { module: "core/server/ExecServer", property: "auditLog" },
  { module: "core/session/SessionRegistry", property: "metrics" },
]

/**
 * The declarations of the doors, or what is wrong with them: a sentence for each.
 * @param {string} root of the repository, with `dist` as the compiler has made it
 * @param {readonly string[]} doors their modules, as paths below the root without extension
 * @returns {{ readonly files: ReadonlyMap<string, string>, readonly faults: readonly string[] }} texts by their paths
 *   below dist/lib
 */
export const make = (root, doors) => {
  const dist = join(root, "dist")
  const program = programOf(
    root,
    doors.map((door) => join(dist, `${door}.d.ts`)),
  )
  const checker = program.getTypeChecker()
  /** @type {Map<ts.SourceFile, Module>} */
  const modules = new Map()
  /** Steps that undo what was kept, newest last. @type {(() => void)[]} */
  const journal = []
  /** Why a statement cannot be said plainly. @type {Map<ts.Statement, string>} */
  const failed = new Map()
  /** The statements that a kept one refers to. @type {Set<{ readonly by: Way, readonly statements: readonly ts.Statement[] }>} */
  const uses = new Set()
  /** @type {Set<string>} */
  const faults = new Set()

  /**
   * Does what may fail, and leaves nothing of it if it does.
   * @template A
   * @param {() => A} work
   */
  const whole = (work) => {
    const start = journal.length
    try {
      return work()
    } catch (error) {
      while (journal.length > start) journal.pop()?.()
      throw error
    }
  }

  /**
   * Puts into a map what a failure around it takes out again.
   * @template K, V
   * @param {Map<K, V>} map
   * @param {K} key
   * @param {V} value
   */
  const put = (map, key, value) => {
    if (map.has(key)) return
    map.set(key, value)
    journal.push(() => map.delete(key))
  }

  /** @param {string} fileName */
  const nameOf = (fileName) => relative(dist, fileName).replace(/\.d\.ts$/, "")
  /** @param {ts.SourceFile} file */
  const isOwn = (file) => file.fileName.startsWith(`${dist}/`)
  /** @param {string} from @param {string} to names of files below dist/lib */
  const specifier = (from, to) => {
    const path = relative(dirname(from), to)
    return `"${path.startsWith(".") ? path : `./${path}`}.js"`
  }

  /** @param {ts.SourceFile} file */
  const moduleOf = (file) => {
    let module = modules.get(file)
    if (module === undefined) {
      const name = nameOf(file.fileName)
      const out = doors.includes(name) ? name : `types/${name}`
      module = { file, out, statements: new Map(), imports: new Map(), exports: new Map() }
      modules.set(file, module)
    }
    return module
  }

  /** @param {ts.Symbol} symbol */
  const final = (symbol) => {
    const found = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (found.declarations === undefined || found.declarations.length === 0)
      throw new Fault(`${symbol.name} is not there`)
    return found
  }

  /** @param {ts.Symbol} symbol */
  const home = (symbol) => {
    const [declaration] = symbol.declarations ?? []
    if (declaration === undefined) throw new Fault(`${symbol.name} is not there`)
    return declaration.getSourceFile()
  }

  /**
   * Keeps what declares a symbol, in its own module. Throws if that cannot be said plainly.
   * @param {ts.Symbol} symbol
   * @param {Way} way
   */
  const need = (symbol, way) => {
    const further = { door: way.door, path: `${way.path}: ${symbol.name}` }
    const hasType = (symbol.flags & ts.SymbolFlags.Type) !== 0
    /** @type {ts.Statement[]} */
    const statements = []
    for (const declaration of symbol.declarations ?? []) {
      const module = moduleOf(declaration.getSourceFile())
      const statement = statementOf(declaration)
      // The schema of a type that has its name.
      const isSchema = hasType && ts.isVariableStatement(statement)
      if (!isSchema) statements.push(statement)
      if (module.statements.has(statement)) continue
      const known = failed.get(statement)
      if (known !== undefined) {
        if (isSchema) continue
        throw new Hit(known)
      }
      try {
        whole(() => {
          put(module.statements, statement, "")
          module.statements.set(statement, statementText(module, statement, further))
        })
      } catch (error) {
        if (!(error instanceof Hit || error instanceof Fault)) throw error
        const why = `${symbol.name}: ${error.message}`
        failed.set(statement, why)
        if (isSchema) continue
        throw new Hit(why)
      }
    }
    const use = { by: way, statements }
    uses.add(use)
    journal.push(() => uses.delete(use))
  }

  /**
   * The name by which a module knows a symbol of another.
   * @param {Module} module
   * @param {ts.Symbol} symbol
   * @param {string} wanted
   * @param {Way} way
   */
  const imported = (module, symbol, wanted, way) => {
    const target = home(symbol)
    if (isModule(symbol)) return importedAs(module, wanted, specifier(module.out, moduleOf(target).out), "*")
    need(symbol, way)
    if (target === module.file) return symbol.name
    const from = moduleOf(target)
    if (!isExported(symbol))
      put(from.exports, symbol.name, { from: undefined, name: symbol.name, isType: true })
    return importedAs(module, wanted, specifier(module.out, from.out), symbol.name)
  }

  /**
   * @param {Module} module
   * @param {string} wanted the name that it has in this module, unless that has another meaning
   * @param {string} from
   * @param {string} name
   */
  const importedAs = (module, wanted, from, name) => {
    const key = `${name} ${from}`
    for (const [known, one] of module.imports) if (one.key === key) return known
    let local = wanted
    for (let count = 1; module.imports.has(local); count++) local = `${wanted}_${count}`
    put(module.imports, local, { key, from, name })
    return local
  }

  /**
   * @param {Module} module
   * @param {string} name of a type that stands for one of Effect
   */
  const standIn = (module, name) => importedAs(module, name, specifier(module.out, plainName), name)

  /**
   * Exports from a door the types that stand for those of Effect in what it leads to.
   * @param {Module} door
   */
  const exportStandIns = (door) => {
    const byOut = new Map([...modules.values()].map((module) => [module.out, module]))
    const seen = new Set([door])
    /** @type {Set<string>} */
    const found = new Set()
    for (const { exports, imports, out } of seen)
      for (const { from, name } of [...imports.values(), ...exports.values()]) {
        if (from === undefined || (!from.startsWith('"./') && !from.startsWith('"../'))) continue
        const target = join(dirname(out), from.slice(1, -1)).replace(/\.js$/, "")
        const next = byOut.get(target)
        if (next !== undefined) seen.add(next)
        else if (target === plainName) found.add(name)
      }
    for (const name of [...found].sort())
      if (!door.exports.has(name))
        put(door.exports, name, { from: specifier(door.out, plainName), name, isType: true })
  }

  /**
   * The exports of a module, each as a line of it or as a declaration in it.
   * @param {ts.SourceFile} file
   * @param {Way} way
   */
  const needAll = (file, way) => {
    const module = moduleOf(file)
    const symbol = checker.getSymbolAtLocation(file)
    if (symbol === undefined) throw new Fault(`${nameOf(file.fileName)} is no module`)
    for (const one of checker.getExportsOfModule(symbol))
      try {
        whole(() => needExport(module, one, way))
      } catch (error) {
        if (!(error instanceof Hit || error instanceof Fault)) throw error
        const name = error.message.startsWith(`${one.name}: `) ? "" : `${one.name}: `
        faults.add(`${way.path}: ${name}${error.message}`)
      }
  }

  /** @param {ts.Symbol} symbol */
  const isInternal = (symbol) => symbol.getJsDocTags(checker).some(({ name }) => name === "internal")

  /**
   * True if a symbol is exported as a type alone.
   * @param {ts.Symbol} symbol
   */
  const isTypeOnly = (symbol) => {
    for (let now = symbol; now.flags & ts.SymbolFlags.Alias;) {
      if (now.declarations?.some((node) => ts.isTypeOnlyImportOrExportDeclaration(node))) return true
      const next = checker.getImmediateAliasedSymbol(now)
      if (next === undefined) break
      now = next
    }
    return (final(symbol).flags & ts.SymbolFlags.Value) === 0
  }

  /**
   * True if what is kept of a symbol is more than a type.
   * @param {ts.Symbol} symbol
   */
  const hasValue = (symbol) =>
    symbol.declarations?.some((node) => {
      const statement = statementOf(node)
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
      return !isType && moduleOf(statement.getSourceFile()).statements.has(statement)
    }) ?? false

  /**
   * @param {Module} module
   * @param {ts.Symbol} symbol
   * @param {Way} way
   */
  const needExport = (module, symbol, way) => {
    const target = final(symbol)
    if (isInternal(target)) return
    if (!isOwn(home(target))) throw new Fault(`${symbol.name} is not of procwire`)
    if (isModule(target)) {
      const file = home(target)
      if (module.exports.has(symbol.name)) return
      put(module.exports, symbol.name, {
        from: specifier(module.out, moduleOf(file).out),
        name: "*",
        isType: false,
      })
      needAll(file, { door: way.door, path: `${way.path}: ${symbol.name}` })
      return
    }
    need(target, way)
    const file = home(target)
    if (file === module.file && target.name === symbol.name) return
    const from = file === module.file ? undefined : specifier(module.out, moduleOf(file).out)
    if (!isExported(target))
      put(moduleOf(file).exports, target.name, { from: undefined, name: target.name, isType: false })
    const isType = isTypeOnly(symbol) || !hasValue(target)
    put(module.exports, symbol.name, { from, name: target.name, isType })
  }

  /**
   * True if a type refers to a parameter that is declared outside of it.
   * @param {ts.Node} outer
   */
  const isGeneric = (outer) => {
    /** @param {ts.Node} node @returns {boolean} */
    const look = (node) => {
      if (ts.isThisTypeNode(node)) return true
      if (ts.isIdentifier(node)) {
        const symbol = checker.getSymbolAtLocation(node)
        if (symbol !== undefined && symbol.flags & ts.SymbolFlags.TypeParameter)
          return symbol.declarations?.some((found) => found.pos < outer.pos || found.end > outer.end) ?? false
      }
      return ts.forEachChild(node, look) ?? false
    }
    return look(outer)
  }

  /**
   * @param {Module} module
   * @param {ts.Statement} statement
   * @param {Way} way
   */
  const statementText = (module, statement, way) => {
    /** @type {Edit[]} */
    const edits = []
    if (ts.isClassDeclaration(statement)) classEdits(module, statement, edits, way)
    else if (ts.isInterfaceDeclaration(statement)) interfaceEdits(module, statement, edits, way)
    else walk(module, statement, edits, way)
    const doc = docOf(statement)
    return `${doc === undefined ? "" : `${doc}\n`}${edited(statement, edits)}`
  }

  /**
   * An interface over a type of Effect has the members of that type, but for those that it declares itself.
   * @param {Module} module
   * @param {ts.InterfaceDeclaration} statement
   * @param {Edit[]} edits
   * @param {Way} way
   */
  const interfaceEdits = (module, statement, edits, way) => {
    for (const parameter of statement.typeParameters ?? []) walk(module, parameter, edits, way)
    for (const member of statement.members) memberEdits(module, member, edits, way)
    const own = new Set(statement.members.map((member) => member.name?.getText()))
    const [clause] = statement.heritageClauses ?? []
    if (clause === undefined) return
    /** @type {string[]} */
    const kept = []
    let added = ""
    for (const parent of clause.types) {
      /** @type {Edit[]} */
      const inner = []
      try {
        whole(() => {
          for (const child of [parent.expression, ...(parent.typeArguments ?? [])])
            walk(module, child, inner, way)
        })
        kept.push(edited(parent, inner))
      } catch (error) {
        if (!(error instanceof Hit) || isGeneric(parent)) throw error
        const type = checker.getTypeAtLocation(parent)
        added += membersText(module, type, way, "    ", own)
      }
    }
    const text = kept.length === 0 ? "" : ` extends ${kept.join(", ")}`
    edits.push({ start: clause.pos, end: clause.end, text })
    if (added !== "") {
      const at = statement.members.pos
      edits.push({ start: at, end: at, text: `\n${added.trimEnd()}` })
    }
  }

  /**
   * @param {Module} module
   * @param {ts.ClassDeclaration} statement
   * @param {Edit[]} edits
   * @param {Way} way
   */
  const classEdits = (module, statement, edits, way) => {
    for (const parameter of statement.typeParameters ?? []) walk(module, parameter, edits, way)
    for (const member of statement.members) memberEdits(module, member, edits, way)
    for (const clause of statement.heritageClauses ?? []) {
      const [parent] = clause.types
      if (
        clause.token !== ts.SyntaxKind.ExtendsKeyword ||
        parent === undefined ||
        !parent.expression.getText().endsWith("_base")
      ) {
        for (const one of clause.types) walk(module, one, edits, way)
        continue
      }
      const type = checker.getTypeAtLocation(statement)
      const tag = type.getProperty("_tag")
      if (tag === undefined || type.getProperty("stack") === undefined)
        throw new Fault(`${parent.getText()} is no error`)
      const [fields] = parent.typeArguments ?? []
      let members = ""
      if (fields !== undefined) {
        if (!ts.isTypeLiteralNode(fields)) throw new Fault(`${parent.getText()} has no fields in place`)
        /** @type {Edit[]} */
        const inner = []
        walk(module, fields, inner, way)
        members = edited(fields, inner).slice(1, -1).trimEnd()
      }
      const name = printed(module, checker.getTypeOfSymbol(tag), way, "")
      const taken = members.replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, "").replaceAll("\n", "\n    ")
      const made = members === "" ? "" : `\n    constructor(fields: {${taken}\n    });`
      edits.push({ start: clause.getStart(), end: clause.end, text: "extends Error" })
      const at = statement.members.pos
      edits.push({
        start: at,
        end: at,
        text: `\n    /** The tag of errors of this kind. */\n    readonly _tag: ${name};${members}${made}`,
      })
    }
  }

  /**
   * Collects what changes in a node.
   * @param {Module} module
   * @param {ts.Node} node
   * @param {Edit[]} edits
   * @param {Way} way
   * @returns {void}
   */
  const walk = (module, node, edits, way) => {
    if (ts.isPropertySignature(node) && node.type !== undefined && node.name.getText() === "effect") {
      edits.push({ start: node.type.getStart(), end: node.type.end, text: standIn(module, "EffectFace") })
      return
    }
    if (ts.isEntityName(node) || ts.isPropertyAccessExpression(node)) {
      const text = referenced(module, node, way)
      if (text !== node.getText()) edits.push({ start: node.getStart(), end: node.end, text })
      return
    }
    if (ts.isImportTypeNode(node)) {
      edits.push({ start: node.getStart(), end: node.end, text: importType(module, node, way) })
      return
    }
    if (!ts.isTypeNode(node)) return children(module, node, edits, way)
    if (ts.isTypeQueryNode(node) && node.exprName.getText() === "globalThis") return
    const named = ts.isTypeReferenceNode(node)
      ? standInFor(checker.getSymbolAtLocation(node.typeName))
      : undefined
    if (named !== undefined) {
      edits.push({ start: node.getStart(), end: node.end, text: standIn(module, named) })
      return
    }
    const count = edits.length
    try {
      whole(() => children(module, node, edits, way))
    } catch (error) {
      if (!(error instanceof Hit) || isGeneric(node)) throw error
      edits.length = count
      const type = checker.getTypeFromTypeNode(node)
      const alias = ts.isTypeAliasDeclaration(node.parent)
        ? checker.getSymbolAtLocation(node.parent.name)
        : undefined
      const indent = /^\s*/.exec(lineOf(node))?.[0] ?? ""
      try {
        const text = whole(() => printed(module, type, way, indent, alias))
        edits.push({ start: node.getStart(), end: node.end, text })
      } catch (inner) {
        if (!(inner instanceof Hit || inner instanceof Fault)) throw inner
        throw new Hit(inner.message)
      }
    }
  }

  /** @param {Module} module @param {ts.Node} node @param {Edit[]} edits @param {Way} way */
  const children = (module, node, edits, way) => {
    /** @param {ts.Node} child */
    const each = (child) => {
      if (ts.isTypeElement(child) || ts.isClassElement(child)) return memberEdits(module, child, edits, way)
      if (isNameOf(node, child)) {
        if (ts.isComputedPropertyName(child)) walk(module, child.expression, edits, way)
        return
      }
      walk(module, child, edits, way)
    }
    ts.forEachChild(node, each)
  }

  /** @param {ts.Node} member */
  const isCut = (member) => {
    const name = /** @type {ts.NamedDeclaration} */ (member).name?.getText()
    const module = nameOf(member.getSourceFile().fileName)
    return cut.some((one) => one.module === module && one.property === name)
  }

  /**
   * A member of a type, or nothing of it if it is internal.
   * @param {Module} module
   * @param {ts.TypeElement | ts.ClassElement} member
   * @param {Edit[]} edits
   * @param {Way} way
   */
  const memberEdits = (module, member, edits, way) => {
    if (isCut(member) || ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal"))
      edits.push({ start: member.getFullStart(), end: member.end, text: "" })
    else
      try {
        walk(module, member, edits, way)
      } catch (error) {
        const name = /** @type {ts.NamedDeclaration} */ (member).name?.getText()
        if (error instanceof Hit && name !== undefined) throw new Hit(`${name}: ${error.message}`)
        throw error
      }
  }

  /** @param {ts.Symbol | undefined} symbol */
  const standInFor = (symbol) => {
    if (symbol === undefined) return undefined
    const found = final(symbol)
    const { fileName } = home(found)
    if (!ofEffect.test(fileName)) return undefined
    if (found.name === "Layer" && fileName.endsWith("/Layer.d.ts")) return "EffectLayer"
    if (/^(?:Duration|Input)$/.test(found.name) && fileName.endsWith("/Duration.d.ts")) return "Duration"
    return undefined
  }

  /**
   * A name in a type, as the module of the doors has it.
   * @param {Module} module
   * @param {ts.EntityName | ts.PropertyAccessExpression} name
   * @param {Way} way
   * @returns {string}
   */
  const referenced = (module, name, way) => {
    const symbol = checker.getSymbolAtLocation(name)
    if (symbol === undefined) throw new Fault(`${name.getText()} is not there`)
    const target = final(symbol)
    if (target.flags & ts.SymbolFlags.TypeParameter) return name.getText()
    const file = home(target)
    if (ofEffect.test(file.fileName)) throw new Hit(`it has the type ${name.getText()} of Effect`)
    /** @type {ts.Node} */
    let left = name
    while (!ts.isIdentifier(left))
      left = ts.isQualifiedName(left)
        ? left.left
        : /** @type {ts.PropertyAccessExpression} */ (left).expression
    const local = checker.getSymbolAtLocation(left)
    if (local === undefined) throw new Fault(`${left.getText()} is not there`)
    const first = final(local)
    const firstFile = home(first)
    if (program.isSourceFileDefaultLibrary(firstFile)) return name.getText()
    if (!isOwn(firstFile)) {
      if (ofEffect.test(firstFile.fileName)) throw new Hit(`it has the type ${name.getText()} of Effect`)
      if (!shown.test(firstFile.fileName))
        throw new Fault(`it has the type ${name.getText()} of another package`)
      return foreign(module, local, left.getText()) + name.getText().slice(left.getText().length)
    }
    if (first === target)
      return isTopLevel(first) || isModule(first)
        ? imported(module, first, left.getText(), way)
        : name.getText()
    if (isModule(first)) {
      const from = moduleOf(firstFile)
      const second =
        /** @type {ts.QualifiedName} */ (left.parent).right ?? /** @type {any} */ (left.parent).name
      const member = checker.getSymbolAtLocation(second)
      const exported = checker
        .getExportsOfModule(first)
        .find(
          (one) => one === member || (final(one) === final(member ?? one) && one.name === second.getText()),
        )
      if (exported === undefined) throw new Fault(`${name.getText()} is not exported`)
      needExport(from, exported, way)
      return imported(module, first, left.getText(), way) + name.getText().slice(left.getText().length)
    }
    throw new Hit(`it has the type of ${name.getText()}`)
  }

  /**
   * A name from another package, imported as procwire does, in whichever of its modules.
   * @param {Module} module
   * @param {ts.Symbol} local
   * @param {string} name
   */
  const foreign = (module, local, name) => {
    for (let symbol = local; symbol.flags & ts.SymbolFlags.Alias;) {
      const [declaration] = symbol.declarations ?? []
      if (declaration === undefined) throw new Fault(`${name} is not there`)
      /** @type {ts.Node} */
      let node = declaration
      while (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isSourceFile(node)))
        node = node.parent
      const from = ts.isSourceFile(node) ? undefined : node.moduleSpecifier?.getText()
      if (from !== undefined && !from.startsWith('"./') && !from.startsWith('"../')) {
        if (ts.isNamespaceImport(declaration) || ts.isNamespaceExport(declaration))
          return importedAs(module, name, from, "*")
        if (!ts.isImportSpecifier(declaration) && !ts.isExportSpecifier(declaration))
          return importedAs(module, name, from, "default")
        return importedAs(module, name, from, (declaration.propertyName ?? declaration.name).text)
      }
      const next = checker.getImmediateAliasedSymbol(symbol)
      if (next === undefined) throw new Fault(`${name} is not there`)
      symbol = next
    }
    return name // a global, such as those of Node
  }

  /**
   * `import("./Module.ts").Name<A>`, as `Name<A>`.
   * @param {Module} module
   * @param {ts.ImportTypeNode} node
   * @param {Way} way
   */
  const importType = (module, node, way) => {
    if (node.qualifier === undefined || ts.isQualifiedName(node.qualifier) || node.isTypeOf)
      throw new Fault(`${node.getText()} is no single name`)
    const symbol = checker.getSymbolAtLocation(node.qualifier)
    if (symbol === undefined) throw new Fault(`${node.getText()} is not there`)
    const target = final(symbol)
    const { fileName } = home(target)
    const named = standInFor(target)
    if (named !== undefined) return standIn(module, named)
    if (ofEffect.test(fileName)) throw new Hit(`it has the type ${node.getText()} of Effect`)
    if (!isOwn(home(target))) {
      if (!shown.test(fileName)) throw new Fault(`it has the type ${node.getText()} of another package`)
      return node.getText()
    }
    return (
      imported(module, target, freeName(module, target), way) + argumentsText(module, node.typeArguments, way)
    )
  }

  /** @param {Module} module @param {readonly ts.TypeNode[] | undefined} nodes @param {Way} way */
  const argumentsText = (module, nodes, way) => {
    if (nodes === undefined) return ""
    const texts = nodes.map((node) => {
      /** @type {Edit[]} */
      const edits = []
      walk(module, node, edits, way)
      return edited(node, edits)
    })
    return `<${texts.join(", ")}>`
  }

  /**
   * A name for a symbol of another module that means nothing else in this one.
   * @param {Module} module
   * @param {ts.Symbol} symbol
   */
  const freeName = (module, symbol) => {
    const locals = /** @type {{ locals?: ts.SymbolTable }} */ (/** @type {unknown} */ (module.file)).locals
    const known = locals?.get(symbol.escapedName)
    return known === undefined || final(known) === symbol ? symbol.name : `${symbol.name}_0`
  }

  const words = Words.make(program, {
    freeName,
    home,
    imported,
    isCut,
    isInternal,
    isOwn,
    standIn,
    standInFor,
  })
  const { membersText, printed } = words

  for (const { module, property } of cut) {
    const file = program.getSourceFile(join(dist, `${module}.d.ts`))
    if (file !== undefined && !new RegExp(`\\b${property}\\??:`).test(file.text))
      faults.add(`${module}: there is no ${property} to be left out`)
  }
  for (const door of doors) {
    const file = program.getSourceFile(join(dist, `${door}.d.ts`))
    if (file === undefined) throw new Error(`${door} is not compiled`)
    needAll(file, { door, path: door })
  }
  for (const { by, statements } of uses)
    for (const statement of statements)
      if (!moduleOf(statement.getSourceFile()).statements.has(statement))
        faults.add(`${by.path}: ${failed.get(statement)}`)
  for (const module of modules.values()) if (doors.includes(module.out)) exportStandIns(module)
  if (faults.size > 0)
    return { files: new Map(), faults: [...faults].map((fault) => `the declarations of ${fault}`) }
  const [first] = modules.values()
  if (first === undefined) throw new Error("there are no doors")
  /** @type {Map<string, string>} */
  const files = new Map([[`${plainName}.d.ts`, plain(words.durationText(first))]])
  for (const module of modules.values())
    if (isOwn(module.file))
      files.set(`${module.out}.d.ts`, withTabs(moduleText(module, doors.includes(module.out))))
  return { files, faults: [...files].flatMap(([name, text]) => importFaults(files, name, text)) }
}
