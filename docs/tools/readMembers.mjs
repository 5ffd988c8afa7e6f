import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from '../../scripts/lib/run.mjs'

/** Flags for the checker's `typeToString`: no truncation, alias names, single quotes. */
const wholeTypes = 1 | 16_384 | 268_435_456
/** Symbol flag of an optional member. */
const isOptional = 16_777_216

/** Compiler options for reading the sources of all packages at once. */
const compilerOptions = {
  noEmit: true,
  composite: false,
  declaration: false,
  declarationMap: false,
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  jsx: 'react-jsx',
  rewriteRelativeImportExtensions: false,
  allowImportingTsExtensions: true,
}

/**
 * Opens the files of `paths` in the type checker. `readMembers` returns the members of a type, including those from
 * intersections, `Omit`, `Pick`, and all variants of a union. `close` closes the checker.
 */
export function openChecker(paths) {
  const folder = join(root, '.cache/reference')
  mkdirSync(folder, { recursive: true })
  const files = paths.map((path) => `../../${path}`)
  const file = join(folder, 'tsconfig.json')
  writeFileSync(file, JSON.stringify({ extends: '../../tsconfig.base.json', files, compilerOptions }))
  const api = new API({ cwd: root })
  const [project] = api.updateSnapshot({ openProjects: [file] }).getProjects()
  const symbols = new Map()
  return {
    readMembers(each, typeName) {
      if (!symbols.has(each.path)) symbols.set(each.path, listSymbols(project, each.path))
      const symbol = symbols.get(each.path).find(({ name }) => name === each.declaredName)
      return readMembers(project, symbol, typeName)
    },
    close: () => api.close(),
  }
}

function listSymbols({ program, checker }, path) {
  const file = program.getSourceFile(join(root, path))
  return file ? checker.getExportsOfModule(checker.getSymbolAtLocation(file)) : []
}

/**
 * Returns the members of a type as `{ own, others }`: the type `typeName` in the namespace of a public name, or the
 * name's own type. `own` lists Latchkey's members as `{ name, type, isRequired, text, tags }`. `others` lists members
 * declared by another package as `{ name, owner }`. Returns undefined for a type without members, or with its own
 * documentation.
 */
function readMembers({ checker }, symbol, typeName) {
  const typeSymbol = typeName
    ? [...(symbol?.getExports().values() ?? [])].find(({ name }) => name === typeName)
    : symbol
  if (!typeSymbol) return undefined
  const type = checker.getDeclaredTypeOfSymbol(typeSymbol)
  const alias = type.getAliasSymbol?.()?.name
  if (alias !== undefined && alias !== typeSymbol.name) return undefined
  if (checker.isArrayLikeType(type)) return undefined
  const variants = type.isUnionType?.() ? type.getTypes() : [type]
  const members = collect(checker, variants)
  const own = members
    .filter(({ owner }) => owner === undefined)
    .toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired))
  return own.length === 0 ? undefined : { own, others: members.filter(({ owner }) => owner !== undefined) }
}

/** Merges the members of all variants by name. A member is required only if every variant requires it. */
function collect(checker, variants) {
  const members = new Map()
  for (const variant of variants) {
    for (const symbol of checker.getPropertiesOfType(variant)) {
      const known = members.get(symbol.name) ?? { types: new Set(), text: '', tags: [], required: 0 }
      const type = checker.getTypeOfSymbol(symbol)
      const shown = type ? checker.typeToString(type, undefined, wholeTypes) : ''
      // A key of type `never` only marks an option that belongs elsewhere.
      if (shown.startsWith(`'${symbol.name} `)) continue
      known.types.add(shown)
      known.text ||= checker.getDocumentationCommentOfSymbol(symbol)
      if (known.tags.length === 0) known.tags = checker.getJsDocTagsOfSymbol(symbol)
      if ((symbol.flags & isOptional) === 0) known.required += 1
      known.owner = readOwner(symbol)
      members.set(symbol.name, known)
    }
  }
  return [...members].map(([name, { types, required, ...rest }]) => {
    const isRequired = required === variants.length
    return { ...rest, name, isRequired, type: joinTypes(types, isRequired) }
  })
}

/** Returns the package that declares a symbol; undefined for Latchkey's packages. */
const readOwner = ({ declarations }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(declarations[0]?.path ?? '')?.[1]

/** Joins a member's types in all variants. Omits `undefined` for optional members. */
function joinTypes(types, isRequired) {
  const known = [...types].filter((type) => type !== 'undefined' || types.size === 1)
  const shown = isRequired ? known : known.map((type) => type.replace(/ \| undefined$/, ''))
  return [...new Set(shown)].join(' | ')
}
