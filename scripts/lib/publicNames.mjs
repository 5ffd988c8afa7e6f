import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './run.mjs'
import { parseSource } from './sources.mjs'

const packages = {
  'latchkey-protocol': 'packages/protocol',
  latchkey: 'packages/latchkey',
  'latchkey-server': 'packages/server',
  'latchkey-dev': 'packages/dev',
}
/** Entries for our own packages, which no app imports. */
const internal = ['latchkey-protocol/commandLine']
const parsed = new Map()
const maxCallLines = 8

/**
 * Lists all names that the packages export, in the order of their entries (`latchkey/wire` exports all of
 * `latchkey-protocol`): `{ packageName, entry, name, path, declaredName, kind, docstring, code, types }`. `entry` is
 * the module that an app imports; `kind` is `function`, `class`, `error`, `value` or `type`; `docstring` is `{ text,
 * tags }`; `code` is the declaration without its body, `types` the namespace of the same name.
 */
export function listPublicNames() {
  return Object.entries(packages).flatMap(([packageName, packagePath]) => {
    const folder = `${packagePath}/src/exports`
    const files = readdirSync(join(root, folder)).filter((file) => /^\w+\.ts$/.test(file))
    return files.flatMap((file) => {
      const entry = file === 'index.ts' ? packageName : `${packageName}/${file.slice(0, -3)}`
      if (internal.includes(entry)) return []
      return readExports(`${folder}/${file}`).flatMap(({ exportName, importName, moduleRequest }) => {
        const found = moduleRequest && findDeclaration(toModule(folder, moduleRequest.value), importName.name)
        return found ? [{ packageName, entry, name: exportName.name, ...found }] : []
      })
    })
  })
}

function readExports(path) {
  return parse(path).module.staticExports.flatMap(({ entries }) => entries)
}

export function parse(path) {
  const source = parsed.get(path) ?? parseSource(path)
  parsed.set(path, source)
  return source
}

/** Returns the path of a module imported by a file in `folder`; the index for our own packages. */
export function toModule(folder, request) {
  return packages[request] ? `${packages[request]}/src/exports/index.ts` : join(folder, request)
}

/**
 * Finds a name's declaration and docstring through re-exports. Undefined if it belongs to another package. `isPrivate`:
 * also finds a name that its module does not export.
 */
export function findDeclaration(path, name, { isPrivate = false } = {}) {
  if (!existsSync(join(root, path))) return undefined
  const source = parse(path)
  const statements = source.program.body
    .filter(({ type }) => isPrivate !== (type === 'ExportNamedDeclaration'))
    .map((statement) => (isPrivate ? { ...statement, declaration: statement } : statement))
    .filter(({ declaration }) => declaration && readName(declaration) === name)
  const isNamespace = ({ declaration }) => declaration.type === 'TSModuleDeclaration'
  const [first] = statements.filter((statement) => !isNamespace(statement))
  if (first) {
    const described = readDocstring(source, first)
    const types = statements.filter(isNamespace).map(({ declaration }) => readText(source, declaration))
    return {
      path,
      declaredName: name,
      kind: readKind(first.declaration, name, described),
      docstring: described,
      code: readCode(
        source,
        statements.filter((statement) => !isNamespace(statement)),
      ),
      types: types.join('\n\n'),
    }
  }
  const again = readExports(path).find(({ exportName, moduleRequest }) => moduleRequest && exportName.name === name)
  return again && findDeclaration(toModule(dirname(path), again.moduleRequest.value), again.importName.name)
}

const readName = (declaration) => (declaration.declarations?.[0] ?? declaration).id?.name
const readText = ({ text }, { start, end }) => text.slice(start, end)

/**
 * Returns the kind of a public name. The result of a call counts as a function if its docstring shows how to call it.
 */
function readKind(declaration, name, { tags }) {
  if (/Function/.test(declaration.type)) return 'function'
  if (declaration.type === 'ClassDeclaration') return name.endsWith('Error') ? 'error' : 'class'
  if (declaration.type !== 'VariableDeclaration') return 'type'
  const type = declaration.declarations[0].init?.type ?? ''
  const isMade = type === 'CallExpression' && tags.some((tag) => tag.name === 'example')
  return isMade || /Function/.test(type) ? 'function' : 'value'
}

/** Returns a function's signatures, the head of a class or value, or a whole type. */
function readCode(source, statements) {
  const overloads = statements.filter(({ declaration }) => declaration.type === 'TSDeclareFunction')
  const shown = overloads.length > 0 ? overloads : statements.slice(0, 1)
  return shown
    .map(({ declaration }) => {
      const [variable] = declaration.declarations ?? []
      const body = declaration.body?.type === 'TSInterfaceBody' ? undefined : (declaration.body ?? variable?.init?.body)
      const value = variable && !body && !isShortCall(source, variable) ? variable.init : undefined
      const end = body?.start ?? (value ? value.start : declaration.end)
      const head = source.text.slice(declaration.start, end).replace('/* @__PURE__ */ ', '').trimEnd()
      return value ? head.replace(/\s*=$/, '') : head.replace(/\s*=>$/, '')
    })
    .join('\n')
}

/** Returns whether an untyped value is created by a call short enough to show, such as a mutation's options. */
function isShortCall(source, { id, init }) {
  if (id.typeAnnotation || init?.type !== 'CallExpression') return false
  return readText(source, init).split('\n').length <= maxCallLines
}

/** Returns the comment right before a statement: its text and ordered tags. */
function readDocstring({ comments, text }, statement) {
  const comment = comments.find(({ start, end, value }) => {
    return (
      value.startsWith('*') && end <= statement.start && text.slice(end, statement.start).trim() === '' && start >= 0
    )
  })
  const lines = (comment?.value ?? '').replace(/^\*/, '').replace(/^[ \t]*\* ?/gm, '')
  const [head, ...rest] = lines.split(/^@(?=\w)/m)
  const tags = rest.map((tag) => {
    const [, name, content] = /^(\w+)([\s\S]*)$/.exec(tag)
    return { name, content: content.trim() }
  })
  return { text: head.trim(), tags }
}
