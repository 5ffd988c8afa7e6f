import { parse } from '../../scripts/lib/publicNames.mjs'
import { walk } from '../../scripts/lib/sources.mjs'

/**
 * Lists the functions whose errors a call of `hook` can also throw: those that it calls or that its `@throws` mention.
 */
export function listBehind(hook, names) {
  const functions = new Map(names.filter(({ kind }) => kind === 'function').map((each) => [each.name, each]))
  const found = new Map()
  const add = (each) => {
    const identifiers = isHook(each) ? readIdentifiers(each) : readThrows(each).flatMap(readNamed)
    for (const identifier of identifiers) {
      const used = functions.get(identifier)
      if (!used || used.name === hook.name || found.has(identifier)) continue
      found.set(identifier, used)
      add(used)
    }
  }
  add(hook)
  return [...found.values()].filter((each) => !isHook(each) && readThrows(each).length > 0)
}

export const isHook = ({ name, kind }) => kind === 'function' && /^use[A-Z]/.test(name)

export const readThrows = ({ docstring }) =>
  docstring.tags.filter((tag) => tag.name === 'throws').map(({ content }) => content)

const readNamed = (text) => [...text.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name)

/** Returns the names that a function uses, and the `client` methods that it calls. */
function readIdentifiers({ path, declaredName }) {
  const { program } = parse(path)
  const local = new Map(
    program.body
      .map((statement) => statement.declaration ?? statement)
      .flatMap((declaration) => declaration.declarations ?? [declaration])
      .filter(({ id }) => id?.type === 'Identifier')
      .map((declaration) => [declaration.id.name, declaration.body ?? declaration.init]),
  )
  const seen = new Set()
  const read = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    if (local.has(name)) walk(local.get(name), visit)
  }
  const visit = (node, parent) => {
    if (node.type !== 'Identifier') return
    if (parent?.type === 'Property' && parent.key === node && !parent.shorthand) return
    if (parent?.type === 'MemberExpression' && parent.property === node && parent.object.name !== 'client') return
    read(node.name)
  }
  read(declaredName)
  return seen
}
