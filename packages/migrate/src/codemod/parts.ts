import type MagicString from 'magic-string'
import { child, hasSpread, lineAt, type Node, nodes, readMembers, type Source, unwrap } from './tree.ts'

export type ProjectFile = { path: string; text: string }

export const isSourcePath = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts')

/** Account Kit version of a project. */
export type Kit = '3.x' | '4.x'

/** Message about a position, with its line before the migration. */
export type Finding = { path: string; line: number; text: string }

/** Module and name that a local name is imported from. */
export type Binding = { from: string; name: string }

/** State of the migration of one file. */
export type Move = {
  source: Source
  edit: MagicString
  kit: Kit
  /** Imports from Account Kit's packages, by local name. */
  bindings: ReadonlyMap<string, Binding>
  /** Names that are still used after other uses were removed; see `moveTransports`. */
  kept: Set<string>
  /** Removed members of object literals. */
  removed: Set<Node>
  /** Members added to empty object literals. */
  filled: Map<Node, readonly string[]>
  /** Facts about the whole project. */
  project: ProjectFacts
  /** Reports a reason why no file may be changed. */
  stop(at: Node, text: string): void
  /** Reports code that the user must migrate. */
  leave(at: Node, text: string): void
}

export type ProjectFacts = {
  /** Policy of the 4.x config, as an expression that is valid in every file; undefined if there is none. */
  policy: string | undefined
  /** Called when a client receives the config's policy. */
  onPolicyMoved(): void
  /** Whether the user accepts the loss of OAuth sign-in. Its uses are then reported, but do not stop the migration. */
  dropsSocial: boolean
}

export declare namespace createFindings {
  type ReturnType = {
    stops: Finding[]
    left: Finding[]
    of(source: Source): Pick<Move, 'stop' | 'leave'>
  }
}

export function createFindings(): createFindings.ReturnType {
  const stops: Finding[] = []
  const left: Finding[] = []
  const add =
    (list: Finding[], { path, text: all }: Source) =>
    (at: Node, text: string): void => {
      const finding = { path, line: lineAt(all, at.start), text }
      const isKnown = list.some((one) => one.path === path && one.line === finding.line && one.text === text)
      if (!isKnown) list.push(finding)
    }
  return { stops, left, of: (source) => ({ stop: add(stops, source), leave: add(left, source) }) }
}

export function textAt({ source }: Pick<Move, 'source'>, { start, end }: Node): string {
  return source.text.slice(start, end)
}

/** Adds members at the end of an object literal. */
export function addMember({ edit, removed, filled }: Move, literal: Node, text: string): void {
  const object = unwrap(literal)
  if (!object) return
  const last = nodes(object, 'properties')
    .filter((property) => !removed.has(property))
    .at(-1)
  if (last) {
    edit.appendLeft(last.end, `, ${text}`)
    return
  }
  const texts = [...(filled.get(object) ?? []), text]
  filled.set(object, texts)
  // Keeps text that other rules have inserted before and after the literal.
  edit.update(object.start, object.end, `{ ${texts.join(', ')} }`)
}

/** Removes a member of an object literal and its comma. */
export function removeMember(move: Move, literal: Node, member: Node): void {
  removeFrom(move, nodes(unwrap(literal), 'properties'), member)
}

/** Removes a node of a list and its comma. */
export function removeFrom({ edit, source, removed }: Move, list: readonly Node[], node: Node): void {
  const rest = list.filter((one) => !removed.has(one))
  const index = rest.indexOf(node)
  removed.add(node)
  const [before, after] = [rest[index - 1], rest[index + 1]]
  if (after) edit.remove(node.start, after.start)
  else if (before) edit.remove(before.end, node.end)
  else edit.remove(node.start, node.end + (/^\s*,/.exec(source.text.slice(node.end))?.[0].length ?? 0))
}

/** Returns the value of a member. Supports shorthand members. */
export function readMember(members: ReadonlyMap<string, Node> | undefined, name: string): Node | undefined {
  return unwrap(child(members?.get(name), 'value'))
}

/** Returns a call's first argument if it is an object literal without spreads. */
export function literalArgument(call: Node): { literal: Node; members: Map<string, Node> } | undefined {
  const argument = unwrap(nodes(call, 'arguments')[0])
  const members = readMembers(argument)
  return argument && members && !hasSpread(argument) ? { literal: argument, members } : undefined
}
