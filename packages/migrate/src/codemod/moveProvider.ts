import type { Move } from './parts.ts'
import { child, type Node, nodes, readName, readText, type Source, unwrap, walk } from './tree.ts'

/** Position of a 4.x call `createConfig(config, ui)`. The second argument moves to the provider. */
export type UiPlace = {
  path: string
  call: Node
  ui: Node
  /** Local name of the config in the provider's file. */
  config: string | undefined
  /** Name of the constant with the UI config. If the provider is in another file, that file must import it. */
  name: string
}

/** Finds the second argument of `createConfig` in a file. */
export function findUi(source: Source, isCreateConfig: (callee: string) => boolean): UiPlace | undefined {
  let found: UiPlace | undefined
  walk(source.program, (node, parents) => {
    if (node.type !== 'CallExpression' || !isCreateConfig(readName(child(node, 'callee')) ?? '')) return
    const ui = nodes(node, 'arguments')[1]
    const declarator = [...parents].reverse().find(({ type }) => type === 'VariableDeclarator')
    if (!ui) return
    const name = readName(unwrap(ui)) ?? 'uiConfig'
    found ??= { path: source.path, call: node, ui, config: readName(child(declarator, 'id')), name }
  })
  return found
}

/**
 * Moves the second argument of `createConfig` to a constant, unless it is one. Exports it for a provider in another
 * file.
 */
export function moveUi(move: Move, place: UiPlace, { isElsewhere }: { isElsewhere: boolean }): void {
  const { source, edit } = move
  const [config] = nodes(place.call, 'arguments')
  if (!config) return
  const statement = nodes(source.program, 'body').find(
    ({ start, end }) => start <= place.call.start && place.call.end <= end,
  )
  if (!statement) return
  const isNamed = readName(unwrap(place.ui)) !== undefined
  edit.remove(config.end, isNamed ? place.ui.end : place.ui.start)
  const prefix = isElsewhere ? 'export ' : ''
  if (isNamed) {
    const declaration = nodes(source.program, 'body').find(
      ({ type, start, end }) =>
        type === 'VariableDeclaration' &&
        new RegExp(`\\b${place.name}\\b`).test(source.text.slice(start, end).split('=')[0] ?? ''),
    )
    if (isElsewhere && declaration) edit.prependRight(declaration.start, 'export ')
    return
  }
  const asConst = /\.[cm]?tsx?$/.test(source.path) && place.ui.type === 'ObjectExpression' ? ' as const' : ''
  // Moves the text unchanged, because other rules change its members.
  edit.prependRight(place.ui.start, `${prefix}const ${place.name} = `)
  edit.appendLeft(place.ui.end, `${asConst}\n\n`)
  edit.move(place.ui.start, place.ui.end, statement.start)
  removeIndent(move, place.ui)
}

/** Reduces the indentation of a node's lines by that of its last line, unless the node contains a template literal. */
function removeIndent({ source, edit }: Move, { start, end }: Node): void {
  const text = source.text.slice(start, end)
  const indent = /\n([ \t]+)\S+$/.exec(text)?.[1]
  if (indent === undefined || text.includes('`')) return
  for (const { index } of text.matchAll(new RegExp(`(?<=\\n)${indent}`, 'g')))
    edit.remove(start + index, start + index + indent.length)
}

/** Adds `uiConfig` to a file's provider. Returns false if the file has no provider. */
export function moveProvider(move: Move, ui: UiPlace | undefined): boolean {
  let has = false
  walk(move.source.program, (node) => {
    if (node.type !== 'JSXOpeningElement') return
    if (move.bindings.get(readName(child(node, 'name')) ?? '')?.name !== 'AlchemyAccountProvider') return
    has = true
    const attributes = nodes(node, 'attributes')
    const config = attributes.find((attribute) => readName(child(attribute, 'name')) === 'config')
    const isGiven = attributes.some((attribute) => readName(child(attribute, 'name')) === 'uiConfig')
    if (!ui || isGiven) return
    const value = readName(unwrap(child(child(config, 'value'), 'expression')))
    const isHere = ui.path === move.source.path
    const isImported = !isHere && value !== undefined && importBeside(move, value, ui.name)
    if (!config || !(isHere || isImported))
      return move.leave(node, `give the provider uiConfig={${ui.name}}: the second argument of createConfig`)
    move.edit.appendLeft(config.end, ` uiConfig={${ui.name}}`)
  })
  return has
}

function importBeside({ source, edit }: Move, known: string, name: string): boolean {
  for (const statement of nodes(source.program, 'body')) {
    if (statement.type !== 'ImportDeclaration' || readText(child(statement, 'source')) === undefined) continue
    const specifiers = nodes(statement, 'specifiers').filter(({ type }) => type === 'ImportSpecifier')
    const last = specifiers.at(-1)
    if (!last || !specifiers.some((specifier) => readName(child(specifier, 'local')) === known)) continue
    edit.appendLeft(last.end, `, ${name}`)
    return true
  }
  return false
}
