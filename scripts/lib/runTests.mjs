import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programOf, runNode } from './run.mjs'

/** Runs one Vitest project. Every test that did not pass counts as failed: skipped ones and files that broke, too. */
export async function runTests(project) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'))
  const output = join(folder, 'results.json')
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
  try {
    const { code } = await runNode([programOf('vitest'), ...args], { env: { NO_COLOR: '1', FORCE_COLOR: '' } })
    return countOf(readFileSync(output, 'utf8'), code)
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Counts of a report of Vitest's json reporter. `code` is the exit code of the run. */
export function countOf(json, code) {
  const { testResults = [] } = JSON.parse(json)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  // A file that could not be loaded has no tests to its name.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  const failed = tests.length - passed + broken
  // A run that failed as a whole (an unhandled error, no tests at all) must not look like success.
  const hidden = failed === 0 && (code !== 0 || passed === 0) ? 1 : 0
  return { passed, failed: failed + hidden }
}
