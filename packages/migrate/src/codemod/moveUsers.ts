import type { Move } from './parts.ts'
import { child, type Node, nodes, readName, unwrap, walk } from './tree.ts'

const oauth = 'users have none here: it is of sign-in by OAuth'

/** Members of a 4.x user without a counterpart. */
const members: ReadonlyMap<string, string> = new Map([
  [
    'type',
    "each user is 'sca' here: keep that branch, and remove the one for 'eoa', since external wallets are wagmi's",
  ],
  ['phone', 'users have none here: sign-in by phone has no counterpart'],
  ['solanaAddress', 'users have none here: Solana has no counterpart'],
  ['idToken', oauth],
  ['accessToken', oauth],
  ['claims', oauth],
])

const sources = new Set(['useUser', 'getUser'])

/** Reports uses of user members that Latchkey does not have. */
export function checkUsers(move: Move): void {
  const users = new Set<string>()
  const isUser = (node: Node | undefined): boolean => {
    const value = strip(node)
    if (value?.type === 'LogicalExpression') return isUser(child(value, 'left'))
    if (value?.type === 'CallExpression')
      return sources.has(move.bindings.get(readName(child(value, 'callee')) ?? '')?.name ?? '')
    return users.has(readName(value) ?? '')
  }
  const report = (at: Node, name: string | undefined) => {
    const why = members.get(name ?? '')
    if (why !== undefined) move.leave(at, `user.${name}: ${why}`)
  }
  walk(move.source.program, (node) => {
    if (node.type === 'MemberExpression' && isUser(child(node, 'object')))
      report(child(node, 'property') ?? node, readName(child(node, 'property')))
    if (node.type !== 'VariableDeclarator' || !isUser(child(node, 'init'))) return
    const target = child(node, 'id')
    const name = readName(target)
    if (name !== undefined) users.add(name)
    for (const property of nodes(target, 'properties')) report(property, readName(child(property, 'key')))
  })
}

function strip(node: Node | undefined): Node | undefined {
  const inner = unwrap(node)
  return inner?.type === 'ChainExpression' ? strip(child(inner, 'expression')) : inner
}
