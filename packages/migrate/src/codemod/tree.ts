import { parseSync } from 'oxc-parser'

/** ESTree node (with TypeScript and JSX), with the members that the codemod reads. */
export type Node = { type: string; start: number; end: number; [member: string]: unknown }

export type Source = { path: string; text: string; program: Node }

export declare namespace parseSource {
  type ReturnType = Source | { problem: string; line: number }
}

/** Parses a file according to its extension. Reports syntax errors with their lines. */
export function parseSource(path: string, text: string): parseSource.ReturnType {
  // JavaScript files may contain JSX. In TypeScript files without `x` in the extension, `<T>` may be a type assertion.
  const lang = /\.[cm]?tsx?$/.test(path) ? (path.endsWith('x') ? 'tsx' : 'ts') : 'jsx'
  const { program, errors } = parseSync(path, text, { lang })
  const [error] = errors
  if (!error) return { path, text, program: program as unknown as Node }
  return { problem: `does not parse: ${error.message}`, line: lineAt(text, error.labels[0]?.start ?? 0) }
}

/** Calls `visit` for a node and all its descendants, parents first. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void, parents: Node[] = []): void {
  visit(node, parents)
  const path = [...parents, node]
  for (const member of Object.values(node))
    for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) walk(child, visit, path)
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** Returns the line number of a position in a text, from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Returns the nodes in a member such as `arguments` or `properties`. */
export function nodes(node: Node | undefined, member: string): Node[] {
  const list = node?.[member]
  return Array.isArray(list) ? list.filter(isNode) : []
}

export function child(node: Node | undefined, member: string): Node | undefined {
  const value = node?.[member]
  return isNode(value) ? value : undefined
}

/** Removes parentheses, `as`, `satisfies` and `!` from an expression. */
export function unwrap(node: Node | undefined): Node | undefined {
  const inner = node && /^(TS(As|Satisfies|NonNull)Expression|ParenthesizedExpression)$/.test(node.type)
  return inner ? unwrap(child(node, 'expression')) : node
}

/** Returns the text of a string literal or of a template without expressions. */
export function readText(node: Node | undefined): string | undefined {
  const literal = unwrap(node)
  if (literal?.type === 'Literal' && typeof literal.value === 'string') return literal.value
  if (literal?.type !== 'TemplateLiteral' || nodes(literal, 'expressions').length > 0) return undefined
  return (nodes(literal, 'quasis')[0]?.value as { cooked?: string } | undefined)?.cooked
}

export function readName(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier' || node?.type === 'JSXIdentifier') return String(node.name)
  return undefined
}

/** Returns the members of an object literal by name; undefined for other expressions. */
export function readMembers(node: Node | undefined): Map<string, Node> | undefined {
  const literal = unwrap(node)
  if (literal?.type !== 'ObjectExpression') return undefined
  const named = nodes(literal, 'properties').flatMap((property): [string, Node][] => {
    const key = child(property, 'key')
    const name = property.computed === true ? undefined : (readName(key) ?? readText(key))
    return name === undefined ? [] : [[name, property]]
  })
  return new Map(named)
}

/**
 * Checks whether an object literal has a spread or computed names, and therefore may have other members than it lists.
 */
export function hasSpread(node: Node | undefined): boolean {
  return nodes(unwrap(node), 'properties').some(({ type }) => type === 'SpreadElement')
}
