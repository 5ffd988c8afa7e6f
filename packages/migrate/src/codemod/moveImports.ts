import { advice } from './advice.ts'
import { authMethodHooks } from './moveAuthMethods.ts'
import { movedNames, movedTypes, renamedNames } from './names.ts'
import { type Binding, type Move, textAt } from './parts.ts'
import { checkSocialName, isSocialName, socialObstacle } from './social.ts'
import { child, type Node, nodes, readName, readText, type Source, walk } from './tree.ts'

const packages = /^@(?:alchemy\/aa-|account-kit\/|aa-sdk\/)/
const styles = /^@account-kit\/react\/styles\.css$/

/** Checks whether a module is a package of Account Kit or a subpath of one. */
export function isOldPackage(name: string | undefined): name is string {
  return name !== undefined && packages.test(name)
}

/** Names without a counterpart. An app that uses them cannot be migrated unchanged. */
const stops: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/SmartWalletClient/, 'the client of the wallet API has no counterpart'],
  [/7702/, 'accounts of EIP-7702 estimate and sign by themselves: remove it'],
  [/[Ss]olana/, 'Solana has no counterpart'],
]

/** Returns the reason why an app that uses the name cannot be migrated; undefined if it can. */
export function findObstacle(name: string): string | undefined {
  return stops.find(([pattern]) => pattern.test(name))?.[1]
}

/** Names that other rules remove with their calls. */
const consumed = new Set(['accountKitUi', 'alchemy', 'createColorSet', 'getAccountKitContentPath', 'withAccountKitUi'])

type Target = { entry: string; name: string } | 'consumed' | 'unknown'

function findTarget({ from, name }: Binding): Target {
  const entry = movedNames.get(from)?.get(name) ?? movedTypes.get(name)
  if (entry !== undefined) return { entry, name }
  return consumed.has(name) ? 'consumed' : (renamedNames.get(name) ?? 'unknown')
}

/** Returns the named imports of a file from Account Kit's packages, by local name. */
export function listBindings({ program }: Source): Map<string, Binding> {
  const found = new Map<string, Binding>()
  for (const statement of nodes(program, 'body')) {
    const from = statement.type === 'ImportDeclaration' ? readText(child(statement, 'source')) : undefined
    if (!isOldPackage(from)) continue
    for (const specifier of nodes(statement, 'specifiers')) {
      const local = readName(child(specifier, 'local'))
      const name = specifierName(specifier, 'imported')
      if (local !== undefined && name !== undefined) found.set(local, { from, name })
    }
  }
  return found
}

function specifierName(specifier: Node, member: 'imported' | 'exported' | 'local'): string | undefined {
  const node = child(specifier, member)
  return readName(node) ?? readText(node)
}

/** Collects the new imports by module and writes them, sorted, in place of the first old import. */
export function moveImports(move: Move) {
  const { source } = move
  const statements = nodes(source.program, 'body').filter((statement) =>
    isOldPackage(readText(child(statement, 'source'))),
  )
  const all = statements.filter(({ type }) => type === 'ImportDeclaration')
  const [imports, bare] = [all.filter(isMoved), all.filter((statement) => !isMoved(statement))]
  for (const statement of bare)
    move.leave(statement, `import '${readText(child(statement, 'source'))}' has no counterpart; remove it`)
  const lines = new Map<string, Set<string>>()
  const add = (entry: string, specifier: string) => lines.set(entry, (lines.get(entry) ?? new Set()).add(specifier))
  let hasStyles = false
  for (const statement of imports) {
    const from = readText(child(statement, 'source')) ?? ''
    if (styles.test(from)) hasStyles = true
    for (const specifier of nodes(statement, 'specifiers')) {
      const isType = statement.importKind === 'type' || specifier.importKind === 'type'
      moveSpecifier({ move, specifier, from, isType, add })
    }
  }
  const usesProvider = [...move.bindings.values()].some(({ name }) => name === 'AlchemyAccountProvider')
  if (imports[0]) writeImports(move, imports, { lines, hasStyles: hasStyles || usesProvider })
  for (const statement of statements) if (!all.includes(statement)) moveExport(move, statement)
  moveOtherRequests(move)
}

const isMoved = (statement: Node) =>
  nodes(statement, 'specifiers').length > 0 || styles.test(readText(child(statement, 'source')) ?? '')

type Specifier = {
  move: Move
  specifier: Node
  from: string
  isType: boolean
  add(entry: string, specifier: string): void
}

function moveSpecifier({ move, specifier, from, isType, add }: Specifier) {
  const local = readName(child(specifier, 'local')) ?? ''
  if (specifier.type === 'ImportNamespaceSpecifier') return moveNamespace({ move, specifier, from, local, add })
  const name = specifierName(specifier, 'imported')
  if (name === undefined) {
    move.leave(specifier, `the default import of '${from}' has no counterpart`)
    return add(from, `default as ${local}`)
  }
  const why = findObstacle(name) ?? findObstacle(from)
  if (why !== undefined) return move.stop(specifier, `${name} of ${from}: ${why}`)
  const prefix = isType ? 'type ' : ''
  if (isSocialName(name)) {
    if (!checkSocialName(move, specifier, { name, from }))
      add(from, `${prefix}${name === local ? local : `${name} as ${local}`}`)
    return
  }
  if (authMethodHooks.has(name)) {
    if (move.edit.toString().includes('useAuthMethods')) add('latchkey/react', 'useAuthMethods')
    if (!move.kept.has(local)) return
  }
  const target = findTarget({ from, name })
  if (target === 'consumed' && !move.kept.has(local)) return
  if (typeof target !== 'string')
    return add(target.entry, `${prefix}${target.name === local ? local : `${target.name} as ${local}`}`)
  if (target === 'unknown' && !authMethodHooks.has(name)) move.leave(specifier, describeUnknown(name, from))
  add(from, `${prefix}${name === local ? local : `${name} as ${local}`}`)
}

const describeUnknown = (name: string, from: string): string =>
  advice.has(name)
    ? `${name} of ${from}: ${advice.get(name)}`
    : `${name} of ${from} has no counterpart by this name; see the guide`

/** Rewrites a namespace import if one module exports all its used members. */
function moveNamespace({ move, specifier, from, local, add }: Omit<Specifier, 'isType'> & { local: string }) {
  const used = new Set<string>()
  let isWhole = false
  walk(move.source.program, (node, parents) => {
    if (readName(node) !== local || node === child(specifier, 'local')) return
    const parent = parents.at(-1)
    const isObject =
      parent && /^(MemberExpression|JSXMemberExpression)$/.test(parent.type) && child(parent, 'object') === node
    const isType = parent?.type === 'TSQualifiedName' && child(parent, 'left') === node
    if (isObject) used.add(readName(child(parent, 'property')) ?? '')
    else if (isType) used.add(readName(child(parent, 'right')) ?? '')
    else if (parent?.type !== 'MemberExpression' && parent?.type !== 'Property') isWhole = true
  })
  const why = [...used]
    .map((name) => findObstacle(name) ?? socialReason(move, name))
    .find((found) => found !== undefined)
  if (why !== undefined) return move.stop(specifier, `${local} of ${from}: ${why}`)
  const targets = [...used].map((name) => findTarget({ from, name }))
  const entries = new Set(
    targets.map((target) => (typeof target === 'string' || !('entry' in target) ? '' : target.entry)),
  )
  const [entry] = entries
  const keepsNames = targets.every((target, index) => typeof target !== 'string' && target.name === [...used][index])
  if (!isWhole && entries.size === 1 && entry && keepsNames) return add(entry, `* as ${local}`)
  move.leave(specifier, `the names of ${local} are in several entries here: import them by name`)
  add(from, `* as ${local}`)
}

const socialReason = ({ project }: Move, name: string): string | undefined =>
  isSocialName(name) && !project.dropsSocial ? socialObstacle : undefined

type Lines = { lines: ReadonlyMap<string, ReadonlySet<string>>; hasStyles: boolean }

function writeImports(move: Move, imports: readonly Node[], { lines, hasStyles }: Lines) {
  const { source, edit } = move
  const [first, ...rest] = imports
  if (!first) return
  const sample = textAt(move, first)
  const quote = sample.includes('"') ? '"' : "'"
  const end = sample.endsWith(';') ? ';' : ''
  const written = [...lines]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([entry, specifiers]) => writeLine(entry, [...specifiers], { quote, end }))
  if (hasStyles && !source.text.includes('latchkey/styles.css'))
    written.push(`import ${quote}latchkey/styles.css${quote}${end}`)
  const removeLine = (statement: Node) => {
    const lines = statement.start === 0 ? /^[ \t]*(?:\r?\n)+/ : /^[ \t]*\r?\n/
    const newline = lines.exec(source.text.slice(statement.end))?.[0].length ?? 0
    edit.remove(statement.start, statement.end + newline)
  }
  if (written.length > 0) edit.overwrite(first.start, first.end, written.join('\n'))
  else removeLine(first)
  rest.forEach(removeLine)
}

function writeLine(
  entry: string,
  specifiers: readonly string[],
  { quote, end }: { quote: string; end: string },
): string[] {
  const from = `from ${quote}${entry}${quote}${end}`
  const spaces = specifiers.filter((specifier) => specifier.startsWith('* as '))
  const named = specifiers.filter((specifier) => !specifier.startsWith('* as ')).sort(compareNames)
  const onlyTypes = named.every((specifier) => specifier.startsWith('type '))
  const list = onlyTypes ? named.map((specifier) => specifier.slice('type '.length)) : named
  return [
    ...spaces.map((space) => `import ${space} ${from}`),
    ...(list.length > 0 ? [`import ${onlyTypes ? 'type ' : ''}{ ${list.join(', ')} } ${from}`] : []),
  ]
}

function compareNames(a: string, b: string): number {
  const [first, second] = [a.replace(/^type /, ''), b.replace(/^type /, '')]
  return first < second ? -1 : first > second ? 1 : 0
}

function moveExport(move: Move, statement: Node) {
  const from = readText(child(statement, 'source')) ?? ''
  if (statement.type !== 'ExportNamedDeclaration')
    return move.leave(statement, `export * from '${from}': export names one by one`)
  const lines = new Map<string, string[]>()
  for (const specifier of nodes(statement, 'specifiers')) {
    const name = specifierName(specifier, 'local') ?? ''
    const as = specifierName(specifier, 'exported') ?? name
    const why = findObstacle(name) ?? socialReason(move, name)
    if (why !== undefined) return move.stop(specifier, `${name} of ${from}: ${why}`)
    const target = findTarget({ from, name })
    if (typeof target === 'string') move.leave(specifier, describeUnknown(name, from))
    const { entry, name: written } = typeof target === 'string' ? { entry: from, name } : target
    const isType = statement.exportKind === 'type' || specifier.exportKind === 'type'
    const text = `${isType ? 'type ' : ''}${written === as ? as : `${written} as ${as}`}`
    lines.set(entry, [...(lines.get(entry) ?? []), text])
  }
  const sample = textAt(move, statement)
  const quote = sample.includes('"') ? '"' : "'"
  const end = sample.endsWith(';') ? ';' : ''
  const text = [...lines]
    .map(([entry, list]) => `export { ${list.join(', ')} } from ${quote}${entry}${quote}${end}`)
    .join('\n')
  move.edit.overwrite(statement.start, statement.end, text)
}

/**
 * Rewrites `import()` and `require()` if one module exports all used members. Leaves other mentions of a package
 * unchanged.
 */
function moveOtherRequests(move: Move) {
  walk(move.source.program, (node, parents) => {
    const from = node.type === 'Literal' ? readText(node) : undefined
    const parent = parents.at(-1)
    if (!isOldPackage(from) || !parent || /^(Import|Export).*Declaration$/.test(parent.type)) return
    const entry = requestedEntry(from, parents)
    if (entry === undefined) return move.leave(node, `'${from}' is asked for by its name: change it by hand`)
    const quote = textAt(move, node).slice(0, 1)
    move.edit.overwrite(node.start, node.end, `${quote}${entry}${quote}`)
  })
}

function requestedEntry(from: string, parents: readonly Node[]): string | undefined {
  const request = parents.at(-1)
  const isRequest =
    request?.type === 'ImportExpression' ||
    (request?.type === 'CallExpression' && readName(child(request, 'callee')) === 'require')
  const taker = parents.at(parents.at(-2)?.type === 'AwaitExpression' ? -3 : -2)
  const pattern = taker?.type === 'VariableDeclarator' ? child(taker, 'id') : undefined
  if (!isRequest || pattern?.type !== 'ObjectPattern') return undefined
  const names = nodes(pattern, 'properties').map((property) => readName(child(property, 'key')))
  const targets = names.map((name) => (name === undefined ? 'unknown' : findTarget({ from, name })))
  const entries = new Set(
    targets.map((target, index) => (typeof target === 'string' || target.name !== names[index] ? '' : target.entry)),
  )
  const [entry] = entries
  return entries.size === 1 && entry ? entry : undefined
}
