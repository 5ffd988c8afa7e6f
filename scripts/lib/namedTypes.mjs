import { dirname } from 'node:path'
import { findDeclaration, parse, toModule } from './publicNames.mjs'
import { walk } from './sources.mjs'

/**
 * Lists types of our packages that no entry exports, but that the declarations of `names` (see `listPublicNames`)
 * mention, directly or through other types. Each has the format of a public name, `{ entry, name, path, … }`. `entry`
 * belongs to the first name that mentions the type; `isPrivate` is true if the type's file does not export it.
 */
export function listNamedTypes(names) {
  const known = new Map(names.map((each) => [toKey(each), each]))
  const found = new Map()
  const queue = [...names]
  for (const each of queue) {
    for (const mentioned of readMentioned(each)) {
      const key = toKey(mentioned)
      if (known.has(key) || found.has(key)) continue
      const named = { ...mentioned, entry: each.entry, packageName: each.packageName }
      found.set(key, named)
      queue.push(named)
    }
  }
  return [...found.values()]
}

const toKey = ({ path, name, declaredName = name }) => `${path}#${declaredName}`

/** Returns our types that a name's declarations mention, including private ones of the same file. */
export function readMentioned({ path, name, declaredName = name }) {
  const { program } = parse(path)
  const declarations = program.body
    .map((statement) => statement.declaration ?? statement)
    .filter((declaration) => readNames(declaration).includes(declaredName))
  const identifiers = new Set(declarations.flatMap(readTypeNames))
  return [...identifiers].flatMap((identifier) => {
    const type = findType(path, identifier)
    return type ? [type] : []
  })
}

const readNames = ({ id, declarations }) =>
  id ? [id.name] : (declarations ?? []).flatMap(({ id: { name } }) => (name ? [name] : []))

/** Returns the names of types that a declaration mentions outside its body and its own type parameters. */
function readTypeNames(declaration) {
  const names = []
  const own = new Set()
  const visit = (node) => {
    if (node.type === 'TSTypeParameter') own.add(node.name?.name ?? node.name)
    if (node.type === 'TSTypeAliasDeclaration' && node !== declaration) own.add(node.id.name)
    if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') names.push(node.typeName.name)
    if (node.type === 'TSInterfaceHeritage' && node.expression.type === 'Identifier') names.push(node.expression.name)
  }
  const { body, declarations, ...head } = declaration
  const isTypes = /^TS(Module|Interface|TypeAlias)/.test(declaration.type)
  walk(isTypes ? declaration : head, visit)
  for (const { id, init } of declarations ?? []) {
    walk(id, visit)
    if (/Function/.test(init?.type ?? '')) walk({ ...init, body: null }, visit)
  }
  return names.filter((name) => !own.has(name))
}

/** Finds the declaration of a type that a file declares or imports. Returns undefined for types of other packages. */
function findType(path, identifier) {
  const { module } = parse(path)
  for (const { moduleRequest, entries } of module.staticImports) {
    const entry = entries.find(({ localName }) => localName.value === identifier)
    if (!entry) continue
    const declaredName = entry.importName.name ?? identifier
    const found = findDeclaration(toModule(dirname(path), moduleRequest.value), declaredName)
    return isType(found) ? { ...found, name: declaredName } : undefined
  }
  const exported = findDeclaration(path, identifier)
  const found = exported ?? findDeclaration(path, identifier, { isPrivate: true })
  return isType(found) ? { ...found, name: identifier, isPrivate: exported === undefined } : undefined
}

const isType = (found) => found?.kind === 'type'
