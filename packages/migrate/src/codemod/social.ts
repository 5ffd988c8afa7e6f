import { type Move, removeFrom } from './parts.ts'
import { child, type Node, nodes, readMembers, readText } from './tree.ts'

const loss = 'people who have no other way in would lose their account'

/** Reason why an app with OAuth sign-in cannot be migrated, and how to migrate it anyway. */
export const socialObstacle = `sign-in by OAuth has no counterpart: ${loss}. To move without it, give --drop social`

const types = new Set(['social', 'oauth', 'oauthReturn'])

/** Checks whether a name of Account Kit belongs to OAuth sign-in. */
export const isSocialName = (name: string): boolean => /oauth/i.test(name)

/**
 * Stops the migration if an object offers or starts OAuth sign-in. With `--drop social`, removes the object or reports
 * it to the user.
 */
export function checkSocial(move: Move, literal: Node, parents: readonly Node[]): void {
  const members = readMembers(literal)
  const type = readText(child(members?.get('type'), 'value'))
  if (type === undefined || !types.has(type)) return
  if (!move.project.dropsSocial) {
    move.stop(literal, socialObstacle)
    return
  }
  const provider = readText(child(members?.get('authProviderId'), 'value'))
  const named = provider === undefined ? 'OAuth' : provider
  const section = parents.at(-1)
  if (type === 'social' && section?.type === 'ArrayExpression') {
    removeOption(move, literal, parents)
    move.leave(literal, `sign-in by ${named} is removed from the dialog: ${loss}; ${remedy}`)
  } else move.leave(literal, `remove this sign-in by ${named}: ${loss}; ${remedy}`)
}

const remedy = 'before the move, ask them to add an email address or a passkey'

/** Removes an option of the dialog, and its section if no option remains. */
function removeOption(move: Move, literal: Node, parents: readonly Node[]) {
  const [section, sections] = [parents.at(-1), parents.at(-2)]
  if (!section) return
  const options = nodes(section, 'elements')
  const isLast = options.every((option) => option === literal || move.removed.has(option))
  if (isLast && sections?.type === 'ArrayExpression') {
    removeFrom(move, nodes(sections, 'elements'), section)
    move.removed.add(literal)
  } else removeFrom(move, options, literal)
}

/**
 * With `--drop social`, keeps imports of OAuth sign-in and reports them. Returns true for such an import, which no
 * other rule may change.
 */
export function checkSocialName(move: Move, at: Node, { name, from }: { name: string; from: string }): boolean {
  if (!isSocialName(name)) return false
  if (move.project.dropsSocial) {
    move.leave(at, `${name} of ${from}: remove this part of sign-in by OAuth; ${loss}`)
    return false
  }
  move.stop(at, `${name} of ${from}: ${socialObstacle}`)
  return true
}
