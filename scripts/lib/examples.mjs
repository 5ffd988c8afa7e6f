import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRun, listBlocks } from './docBlocks.mjs'
import { listNamedTypes } from './namedTypes.mjs'
import { listPublicNames } from './publicNames.mjs'
import { programPath, root, runNode } from './run.mjs'
import { listFiles, readSource } from './sources.mjs'

const folder = join(root, '.cache/examples')

/** Compiler options of an example: uses the packages' built types, like a user. */
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

/**
 * Compiles the `@example` of every public function declared `below` a folder, and of members of types. Prints problems;
 * resolves to an exit code.
 */
export async function checkExamples(below = '') {
  const functions = listPublicFunctions().filter(({ path }) => path.startsWith(below))
  const missing = functions.filter(({ example }) => !example)
  for (const { name, path } of missing) console.error(`${path}: ${name} has no @example that is a \`\`\`ts block.`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { entry, name, example } of [...functions, ...listMemberExamples(below)]) {
    if (!example) continue
    const file = join(folder, entry, `${name}.${example.language}`)
    mkdirSync(dirname(file), { recursive: true })
    // `export {}` makes an example without imports a module.
    writeFileSync(
      file,
      `${example.code.replaceAll("'./config.ts'", "'../../../examples/docs/config.ts'")}\nexport {}\n`,
    )
  }
  if (below === '') writeBlocks()
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const { code } = await runNode([programPath('typescript', 'tsc'), '-p', folder, '--pretty', 'false'])
  return { code: code === 0 && missing.length === 0 ? 0 : 1 }
}

/**
 * Writes each code block of the docs to a file. Skips blocks that equal a file of examples/, which
 * scripts/test/readme.test.ts compiles, and blocks that a test runs.
 */
function writeBlocks() {
  const compiled = new Set(
    listFiles('.ts', '.tsx')
      .filter((path) => path.startsWith('examples/'))
      .map(readSource),
  )
  for (const { page, line, language, code, before } of listBlocks()) {
    if (!/^tsx?$/.test(language) || compiled.has(code) || isRun(before)) continue
    const file = join(folder, 'docs', `${page.replaceAll('/', '-')}-${line}.${language}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${code.replaceAll("'./config.ts'", "'../../../examples/docs/config.ts'")}\nexport {}\n`)
  }
}

/** Functions, hooks, components and classes, each with the docstring's example. Tables, chains and errors need none. */
function listPublicFunctions() {
  return listPublicNames()
    .filter(({ kind }) => kind === 'function' || kind === 'class')
    .map(({ entry, name, path, docstring }) => {
      const example = docstring.tags.find((tag) => tag.name === 'example')
      const [, language, code] = /^[^`]*```(tsx?)\n([\s\S]*?)```/.exec(example?.content ?? '') ?? []
      return { entry: entry.replace('/', '-'), name, path, example: code && { language, code } }
    })
}

function listMemberExamples(below) {
  const names = listPublicNames()
  const those = [...names, ...listNamedTypes(names)].filter(({ path }) => path.startsWith(below))
  return those.flatMap(({ entry, name, code, types }) => {
    const text = `${code}\n${types}`.replaceAll(/^ *\* ?/gm, '')
    return [...text.matchAll(/^@example\n```(tsx?)\n([\s\S]*?)^```/gm)].map(([, language, block], index) => ({
      entry: entry.replace('/', '-'),
      name: `${name}-${index}`,
      example: { language, code: block },
    }))
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await checkExamples(process.argv[2])).code
