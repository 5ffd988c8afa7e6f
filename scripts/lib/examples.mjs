import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programPath, root, runNode } from './run.mjs'
import { parseSource } from './sources.mjs'

const folder = join(root, '.cache/examples')
const packages = { latchkey: 'packages/latchkey', 'latchkey-server': 'packages/server', 'latchkey-dev': 'packages/dev' }

/** What an example is compiled with: the packages' built types, as a user has them. */
const project = {
  extends: '../../tsconfig.base.json',
  include: ['**/*.ts', '**/*.tsx'],
  compilerOptions: {
    noEmit: true,
    composite: false,
    declaration: false,
    declarationMap: false,
    customConditions: [],
    exactOptionalPropertyTypes: false,
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
  },
}

/** Compiles the `@example` of every public function declared `below` a folder. Prints what is missing or wrong; resolves to an exit code. */
export async function checkExamples(below = '') {
  const functions = Object.entries(packages)
    .flatMap(([name, path]) => listPublicFunctions(name, path))
    .filter(({ path }) => path.startsWith(below))
  const missing = functions.filter(({ example }) => !example)
  for (const { name, path } of missing) console.error(`${path}: ${name} has no @example that is a \`\`\`ts block.`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { entry, name, example } of functions) {
    if (!example) continue
    const file = join(folder, entry, `${name}.${example.language}`)
    mkdirSync(dirname(file), { recursive: true })
    // `export {}` makes a module of an example that imports nothing.
    writeFileSync(
      file,
      `${example.code.replaceAll("'./config.ts'", "'../../../examples/docs/config.ts'")}\nexport {}\n`,
    )
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const { code } = await runNode([programPath('typescript', 'tsc'), '-p', folder, '--pretty', 'false'])
  return { code: code === 0 && missing.length === 0 ? 0 : 1 }
}

/** Functions, hooks, components and classes that a package exports, with the file that declares each. */
function listPublicFunctions(packageName, packagePath) {
  const exportsPath = `${packagePath}/src/exports`
  return readdirSync(join(root, exportsPath))
    .filter((file) => /^\w+\.ts$/.test(file))
    .flatMap((file) => {
      const entry = file === 'index.ts' ? packageName : `${packageName}-${file.slice(0, -3)}`
      const { module } = parseSource(`${exportsPath}/${file}`)
      return module.staticExports
        .flatMap(({ entries }) => entries)
        .filter(({ isType, moduleRequest }) => !isType && moduleRequest)
        .flatMap(({ importName, exportName, moduleRequest }) => {
          const path = join(exportsPath, moduleRequest.value)
          const found = existsSync(join(root, path)) ? findDeclaration(path, importName.name) : undefined
          return found ? [{ entry, name: exportName.name, path, example: found.example }] : []
        })
    })
}

/** The docstring's example of a function, or undefined for what is not one: tables, chains and errors need none. */
function findDeclaration(path, name) {
  const { program, comments, text } = parseSource(path)
  for (const statement of program.body) {
    const { declaration } = statement
    const declared = declaration?.declarations?.[0] ?? declaration
    if (statement.type !== 'ExportNamedDeclaration' || declared?.id?.name !== name) continue
    const isFunction = /Function/.test(declared.type) || /Function/.test(declared.init?.type ?? '')
    const isClass = declared.type === 'ClassDeclaration' && !name.endsWith('Error')
    if (!isFunction && !isClass) continue
    const docstring = comments.find(
      ({ end }) => text.slice(end, statement.start).trim() === '' && end <= statement.start,
    )
    return { example: docstring && readExample(docstring.value) }
  }
  return undefined
}

function readExample(docstring) {
  const text = docstring.replace(/^[ \t]*\* ?/gm, '')
  const [, language, code] = /@example[^`]*```(tsx?)\n([\s\S]*?)```/.exec(text) ?? []
  return code && { language, code }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await checkExamples(process.argv[2])).code
