import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { programPath, root, runNode } from './run.mjs'

/**
 * Runs one Vitest project, with more options of Vitest where given. Every test that did not pass counts as failed:
 * skipped ones and files that broke, too.
 */
export async function runTests(project, { options = [], env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'))
  const output = join(folder, 'results.json')
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
  args.push(...options)
  try {
    const { code } = await runNode([programPath('vitest'), ...args], {
      env: { NO_COLOR: '1', FORCE_COLOR: '', ...env },
    })
    return countTests(readFileSync(output, 'utf8'), code)
  } catch {
    return { passed: 0, failed: 1, names: [`${project} tests: they did not come to an end`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Counts of a report of Vitest's json reporter, and the names of what failed. `code` is the exit code of the run. */
export function countTests(json, code) {
  const { testResults = [] } = JSON.parse(json)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const names = testResults.flatMap(listFailures)
  // A run that failed as a whole (an unhandled error, no tests at all) must not look like success.
  if (names.length === 0 && (code !== 0 || passed === 0)) names.push('the run as a whole: see its log above')
  return { passed, failed: names.length, names }
}

function listFailures({ name = '', status, assertionResults }) {
  const file = relative(root, name)
  // A file that could not be loaded has no tests to its name.
  if (status === 'failed' && assertionResults.length === 0) return [`${file}: could not be run`]
  return assertionResults
    .filter((test) => test.status !== 'passed')
    .map(({ fullName, status: how }) => `${file}: ${fullName}${how === 'failed' ? '' : ` (${how})`}`)
}
