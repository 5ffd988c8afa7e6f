import type MagicString from 'magic-string'
import { child, hasSpread, lineAt, type Node, nodes, readMembers, type Source, unwrap } from './tree.ts'

export type ProjectFile = { path: string; text: string }

/** Which Account Kit a project is on. */
export type Kit = '3.x' | '4.x'

/** What one place says to the person who runs the codemod. */
export type Finding = { path: string; line: number; text: string }

/** What a local name stands for. */
export type Binding = { from: string; name: string }

/** A file while it is moved. */
export type Move = {
  source: Source
  edit: MagicString
  kit: Kit
  /** Local names of what the file imports from the old packages. */
  bindings: ReadonlyMap<string, Binding>
  /** Consumed names that are still used somewhere; see `moveTransports`. */
  kept: Set<string>
  /** What the whole project knows. */
  project: ProjectFacts
  /** Nothing is written while there is one. */
  stop(at: Node, text: string): void
  /** Left as it is, for a person. */
  leave(at: Node, text: string): void
}

export type ProjectFacts = {
  /** The policy of the 4.x config as an expression that means the same in every file; undefined without one. */
  policy: string | undefined
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

/** The text of a node. */
export function textAt({ source }: Pick<Move, 'source'>, { start, end }: Node): string {
  return source.text.slice(start, end)
}

/** Adds members at the end of an object literal. */
export function addMember({ edit }: Move, literal: Node, text: string): void {
  const object = unwrap(literal)
  const last = nodes(object, 'properties').at(-1)
  if (!object) return
  if (last) edit.appendLeft(last.end, `, ${text}`)
  else edit.overwrite(object.start, object.end, `{ ${text} }`)
}

/** Removes a member of an object literal, with its comma. */
export function removeMember({ edit, source }: Move, literal: Node, member: Node): void {
  const properties = nodes(unwrap(literal), 'properties')
  const index = properties.indexOf(member)
  const [before, after] = [properties[index - 1], properties[index + 1]]
  if (after) edit.remove(member.start, after.start)
  else if (before) edit.remove(before.end, member.end)
  else edit.remove(member.start, member.end + (/^\s*,/.exec(source.text.slice(member.end))?.[0].length ?? 0))
}

/** The value of a member, also of a shorthand one. */
export function readMember(members: ReadonlyMap<string, Node> | undefined, name: string): Node | undefined {
  return unwrap(child(members?.get(name), 'value'))
}

/** The first argument of a call as an object literal that names all its members, or undefined. */
export function literalArgument(call: Node): { literal: Node; members: Map<string, Node> } | undefined {
  const argument = unwrap(nodes(call, 'arguments')[0])
  const members = readMembers(argument)
  return argument && members && !hasSpread(argument) ? { literal: argument, members } : undefined
}
