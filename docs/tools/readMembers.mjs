import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from '../../scripts/lib/run.mjs'

/** Flags of the checker's `typeToString`: whole types, by their names, with single quotes. */
const wholeTypes = 1 | 16_384 | 268_435_456
/** Flag of a symbol that is an optional member. */
const isOptional = 16_777_216

/** Compiler options under which the checker reads the sources of all packages at once. */
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
 * Opens the files of `paths` in the type checker. `readMembers` then returns the members of a type, flattened: those of
 * intersections, `Omit` and `Pick`, and of every variant of a union. `close` ends the checker.
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
 * Reads the members of the type `typeName` in the namespace beside a public name, or of the name's own type:
 * `{ own, others }`. `own` has ours as `{ name, type, isRequired, text, tags }`, `others` those that another package declares
 * as `{ name, owner }`. Undefined for a type with a name of its own, and for one without members.
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

/** Joins the members of all variants by name. One is required if every variant requires it. */
function collect(checker, variants) {
  const members = new Map()
  for (const variant of variants) {
    for (const symbol of checker.getPropertiesOfType(variant)) {
      const known = members.get(symbol.name) ?? { types: new Set(), text: '', tags: [], required: 0 }
      const type = checker.getTypeOfSymbol(symbol)
      const shown = type ? checker.typeToString(type, undefined, wholeTypes) : ''
      // A key of another place is no option: its type says where it belongs.
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

/** Returns the package that declares a symbol. Undefined for ours. */
const readOwner = ({ declarations }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(declarations[0]?.path ?? '')?.[1]

/** Joins the types of a member's variants. An optional one is undefined without saying so. */
function joinTypes(types, isRequired) {
  const known = [...types].filter((type) => type !== 'undefined' || types.size === 1)
  const shown = isRequired ? known : known.map((type) => type.replace(/ \| undefined$/, ''))
  return [...new Set(shown)].join(' | ')
}
