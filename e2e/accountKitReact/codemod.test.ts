import { execFile } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The app on 4.x that `e2e/published/codemod.test.ts` moves, compiled with the packages it is written for.

const root = fileURLToPath(new URL('../..', import.meta.url))
const samples = join(root, 'e2e/published/codemod')
/** Here, so that the packages are found. */
const folder = fileURLToPath(new URL(`.cache/${process.pid}`, import.meta.url))

beforeAll(() => cp(join(samples, 'four'), folder, { recursive: true }))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function compile(): Promise<string> {
  const { compilerOptions } = JSON.parse(await readFile(join(samples, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  const path = join(folder, 'tsconfig.json')
  // Its style sheet has no types.
  const options = { ...compilerOptions, noUncheckedSideEffectImports: false }
  await writeFile(path, JSON.stringify({ compilerOptions: options, include: ['src'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [tsc, '-p', path, '--pretty', 'false']).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

test('default: the app compiles before it is moved', async () => {
  expect(await compile()).toBe('')
})
