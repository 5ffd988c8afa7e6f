import { type Move, textAt } from './parts.ts'
import { child, type Node, nodes, readName, unwrap, walk } from './tree.ts'

/** Hooks of 4.x that `useAuthMethods` replaces. */
export const authMethodHooks = new Set(['useListAuthMethods', 'useRemovePasskey'])

const noPrompt =
  'useAuthMethods lists passkeys by itself only in email sessions: in a passkey session the device prompts for the list, so call its reload from a click'

type Call = { call: Node; declarator: Node; declaration: Node; local: string }

/**
 * Rewrites `useListAuthMethods` and `useRemovePasskey` to `useAuthMethods` if Latchkey supports everything that the app
 * uses of them.
 */
export function moveAuthMethods(move: Move): void {
  walk(move.source.program, (node, parents) => {
    const local = readName(child(node, 'callee'))
    const name = move.bindings.get(local ?? '')?.name
    if (node.type !== 'CallExpression' || local === undefined || name === undefined || !authMethodHooks.has(name))
      return
    const [declaration, declarator] = [parents.at(-2), parents.at(-1)]
    const isAlone = declaration?.type === 'VariableDeclaration' && nodes(declaration, 'declarations').length === 1
    const found = isAlone && declarator?.type === 'VariableDeclarator' && { call: node, declarator, declaration, local }
    const isMoved = found && (name === 'useRemovePasskey' ? moveRemoval(move, found) : moveList(move, found))
    if (isMoved) return
    move.kept.add(local)
    move.leave(node, `${name}: write useAuthMethods, which has passkeys, addPasskey, removePasskey and setEmail`)
  })
}

/** Rewrites `const { removePasskey, isRemovingPasskey } = useRemovePasskey()`. */
function moveRemoval(move: Move, { call, declarator, declaration }: Call): boolean {
  const taken = readPattern(child(declarator, 'id'))
  const isKnown = taken && [...taken.keys()].every((key) => /^(removePasskey|isRemovingPasskey|error)$/.test(key))
  if (!taken || !isKnown || nodes(call, 'arguments').length > 0) return false
  const pending = taken.get('isRemovingPasskey')
  const rest = [...taken].filter(([key]) => key !== 'isRemovingPasskey').map(([key, to]) => write(key, to))
  const pattern = [...rest, ...(pending === undefined ? [] : ['changing: changingAuthMethod'])].join(', ')
  overwriteCall(move, { call, declarator, text: `{ ${pattern} }` })
  if (pending !== undefined)
    addStatement(move, declaration, `const ${pending} = changingAuthMethod === 'removePasskey'`)
  return true
}

/** Rewrites `const { data, isLoading } = useListAuthMethods()` to `useAuthMethods` and its members. */
function moveList(move: Move, { call, declarator, declaration }: Call): boolean {
  const taken = readPattern(child(declarator, 'id'))
  const isKnown = taken && [...taken.keys()].every((key) => /^(data|isLoading|isFetching|error|refetch)$/.test(key))
  const list = taken?.get('data')
  if (!taken || !isKnown || list === undefined) return false
  const renamed: Readonly<Record<string, string>> = { isFetching: 'isLoading', refetch: 'reload' }
  const rest = [...taken].filter(([key]) => key !== 'data').map(([key, to]) => write(renamed[key] ?? key, to))
  overwriteCall(move, { call, declarator, text: list })
  if (rest.length > 0) addStatement(move, declaration, `const { ${rest.join(', ')} } = ${list}`)
  walk(move.source.program, (node, parents) => {
    if (readName(node) === list) moveUse(move, node, parents)
  })
  move.leave(call, noPrompt)
  return true
}

/** Rewrites one use of the list, such as `list?.passkeys.map(…)`. */
function moveUse(move: Move, node: Node, parents: readonly Node[]) {
  const parent = parents.at(-1)
  if (parent?.type !== 'MemberExpression' || child(parent, 'object') !== node) {
    const isName = parent?.type === 'Property' || (parent?.type === 'MemberExpression' && parent.computed !== true)
    const isTest = /^(LogicalExpression|UnaryExpression|IfStatement|ConditionalExpression)$/.test(parent?.type ?? '')
    if (!isName && !isTest && parent?.type !== 'VariableDeclarator')
      move.leave(node, `${readName(node)} is the result of useAuthMethods here: it has passkeys, and no email`)
    return
  }
  const member = readName(child(parent, 'property'))
  if (member === 'email') move.leave(parent, 'the email address is that of the user: useUser()?.email')
  else if (member !== 'passkeys') move.leave(parent, `${member} has no counterpart: remove it`)
  else movePasskeys(move, parents)
}

/** Adds optional chaining to uses of the passkeys, which are undefined until loaded, and renames their members. */
function movePasskeys(move: Move, parents: readonly Node[]) {
  const outer = parents.at(-2)
  if (outer?.type !== 'MemberExpression' || child(outer, 'object') !== parents.at(-1)) return
  const property = child(outer, 'property')
  if (outer.optional !== true && property)
    move.edit.appendLeft(parents.at(-1)?.end ?? property.start, outer.computed === true ? '?.' : '?')
  const call = parents.at(-3)
  const [callback] = call?.type === 'CallExpression' ? nodes(call, 'arguments') : []
  const [passkey] = nodes(callback, 'params')
  if (!callback || !passkey) return
  for (const one of nodes(passkey, 'properties')) renameKey(move, one)
  const name = readName(passkey)
  walk(callback, (node) => {
    if (node.type !== 'MemberExpression' || name === undefined || readName(unwrap(child(node, 'object'))) !== name)
      return
    const key = child(node, 'property')
    const now = renames.get(readName(key) ?? '')
    if (key && now !== undefined) move.edit.overwrite(key.start, key.end, now)
  })
}

const renames: ReadonlyMap<string, string> = new Map([
  ['authenticatorId', 'id'],
  ['createdAt', 'createdAtMs'],
])

function renameKey(move: Move, property: Node) {
  const key = child(property, 'key')
  const now = renames.get(readName(key) ?? '')
  if (!key || now === undefined) return
  if (property.shorthand === true)
    move.edit.overwrite(property.start, property.end, `${now}: ${textAt(move, property)}`)
  else move.edit.overwrite(key.start, key.end, now)
}

/** Returns the keys of an object pattern with their local names. Returns undefined for other patterns. */
function readPattern(pattern: Node | undefined): Map<string, string> | undefined {
  if (pattern?.type !== 'ObjectPattern') return undefined
  const pairs = nodes(pattern, 'properties').map((property) => [
    readName(child(property, 'key')),
    readName(child(property, 'value')),
  ])
  const isPlain = (pair: (string | undefined)[]): pair is [string, string] => pair.every((name) => name !== undefined)
  return pairs.every(isPlain) ? new Map(pairs) : undefined
}

const write = (key: string, local: string): string => (key === local ? key : `${key}: ${local}`)

function overwriteCall(move: Move, { call, declarator, text }: { call: Node; declarator: Node; text: string }) {
  const [target, callee] = [child(declarator, 'id'), child(call, 'callee')]
  if (target) move.edit.overwrite(target.start, target.end, text)
  if (callee) move.edit.overwrite(callee.start, callee.end, 'useAuthMethods')
}

function addStatement(move: Move, after: Node, text: string) {
  const line = move.source.text.slice(0, after.start).split('\n').at(-1) ?? ''
  const end = textAt(move, after).endsWith(';') ? ';' : ''
  move.edit.appendLeft(after.end, `\n${/^\s*/.exec(line)?.[0] ?? ''}${text}${end}`)
}
