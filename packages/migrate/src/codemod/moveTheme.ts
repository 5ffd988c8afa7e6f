import { addMember, type Move } from './parts.ts'
import { child, hasSpread, type Node, nodes, readMembers, readName, readText, unwrap, walk } from './tree.ts'

/** Tokens of `uiConfig` for each color of Account Kit's Tailwind plugin. */
const tokens: ReadonlyMap<string, string> = new Map([
  ['active', 'focus'],
  ['static', 'line'],
  ['critical', 'bad'],
  ['btn-primary', 'primary'],
  ['btn-secondary', 'fill'],
  ['fg-btn-primary', 'on-primary'],
  ['fg-primary', 'ink'],
  ['fg-secondary', 'ink-2'],
  ['fg-tertiary', 'ink-3'],
  ['fg-critical', 'bad'],
  ['fg-success', 'ok'],
  ['bg-surface-default', 'paper'],
  ['bg-surface-subtle', 'canvas'],
  ['bg-surface-inset', 'fill'],
  ['bg-surface-critical', 'bad-soft'],
  ['bg-surface-warning', 'warn'],
])

/** Names of the Tailwind plugin, which are removed with the plugin's call. */
const helpers = new Set(['accountKitUi', 'createColorSet', 'getAccountKitContentPath', 'withAccountKitUi'])

/** Checks whether a file uses the Tailwind plugin. */
export const hasTheme = ({ bindings }: Move): boolean => [...bindings.values()].some(({ name }) => helpers.has(name))

/** Replaces `withAccountKitUi(config, theme)` with the config in a Tailwind config. Returns the theme's tokens. */
export function moveTheme(move: Move): string[] {
  const gone: Node[] = []
  const found: string[] = []
  walk(move.source.program, (node, parents) => {
    const local = readName(child(node, 'callee'))
    if (node.type !== 'CallExpression' || local === undefined) return
    if (move.bindings.get(local)?.name !== 'withAccountKitUi') return
    const [config, theme] = nodes(node, 'arguments')
    if (!config || parents.some((parent) => gone.includes(parent))) return
    gone.push(node)
    move.edit.remove(node.start, config.start)
    move.edit.remove(config.end, node.end)
    if (theme) found.push(...readTheme(move, theme))
  })
  walk(move.source.program, (node, parents) => {
    const local = readName(node) ?? ''
    const isImport = parents.at(-1)?.type === 'ImportSpecifier'
    if (!helpers.has(move.bindings.get(local)?.name ?? '') || isImport) return
    if (parents.some((parent) => gone.includes(parent))) return
    move.kept.add(local)
    move.leave(node, `${local}: remove it; the dialog has its own styles, with tokens in the provider's uiConfig`)
  })
  return found
}

function readTheme(move: Move, theme: Node): string[] {
  const members = readMembers(theme)
  if (!members || hasSpread(theme)) {
    move.leave(theme, 'the theme is not written out here: give its colors as tokens in the uiConfig of the provider')
    return []
  }
  for (const [name, member] of members)
    if (name !== 'colors')
      move.leave(
        member,
        `${name} of the theme is gone: the dialog's corners are the tokens radius-s, radius-m and radius-l of uiConfig`,
      )
  const colors = members.get('colors')
  if (!colors) return []
  const found = new Map<string, string>()
  for (const property of nodes(unwrap(child(colors, 'value')), 'properties')) {
    const name = readName(child(property, 'key')) ?? readText(child(property, 'key')) ?? ''
    const token = tokens.get(name)
    const value = readColor(move, unwrap(child(property, 'value')))
    if (token !== undefined && value !== undefined && !found.has(token)) found.set(token, value)
    else
      move.leave(
        property,
        `the color ${name || 'here'} is gone: give one of the tokens of uiConfig, such as primary, ink or paper`,
      )
  }
  return [...found].map(([token, value]) => `${/^\w+$/.test(token) ? token : `'${token}'`}: ${value}`)
}

/** Converts `createColorSet('a', 'b')` or `{ light, dark }` to one quoted CSS color. */
function readColor(move: Move, value: Node | undefined): string | undefined {
  const isCall = move.bindings.get(readName(child(value, 'callee')) ?? '')?.name === 'createColorSet'
  const members = readMembers(value)
  const [light, dark] = isCall
    ? nodes(value, 'arguments').map(readText)
    : ['light', 'dark'].map((name) => readText(child(members?.get(name), 'value')))
  if (light === undefined || dark === undefined || /'/.test(light + dark)) return undefined
  return light === dark ? `'${light}'` : `'light-dark(${light}, ${dark})'`
}

/** Adds the theme's tokens to the UI config, or reports what to add. */
export function addTokens(
  theme: { move: Move; tokens: readonly string[] },
  ui: { move: Move; node: Node } | undefined,
): void {
  if (theme.tokens.length === 0) return
  const text = `tokens: { ${theme.tokens.join(', ')} }`
  const literal = ui && findLiteral(ui.move, ui.node)
  const members = readMembers(literal)
  if (ui && literal && members && !members.has('tokens') && !hasSpread(literal)) {
    addMember(ui.move, literal, text)
    return
  }
  const at = nodes(theme.move.source.program, 'body').at(0) ?? theme.move.source.program
  theme.move.leave(at, `give the colors of the theme to the uiConfig of the provider: ${text}`)
}

function findLiteral({ source }: Move, node: Node): Node | undefined {
  const name = readName(unwrap(node))
  if (name === undefined) return unwrap(node)
  let found: Node | undefined
  walk(source.program, (one) => {
    if (one.type === 'VariableDeclarator' && readName(child(one, 'id')) === name) found ??= unwrap(child(one, 'init'))
  })
  return found
}
