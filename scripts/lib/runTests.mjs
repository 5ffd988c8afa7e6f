import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { programPath, root, run } from './run.mjs'

/**
 * Runs Vitest projects in one process, optionally with more Vitest options and another `node`. `isHeld`: prints the
 * output at the end. Every test that did not pass counts as failed, including skipped ones and files that could not be
 * loaded.
 */
export async function runTests(projects, { options = [], env = {}, node = process.execPath, isHeld = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'))
  const output = join(folder, 'results.json')
  const args = ['run', ...[projects].flat().flatMap((project) => ['--project', project]), ...options]
  try {
    const { code, output: text } = await run(node, [programPath('vitest'), ...args], {
      capture: isHeld,
      env: { NO_COLOR: '1', FORCE_COLOR: undefined, LATCHKEY_RESULTS_FILE: output, ...env },
    })
    if (isHeld) console.log(text)
    return countTests(readFileSync(output, 'utf8'), code)
  } catch {
    return { passed: 0, failed: 1, names: [`${[projects].flat().join(', ')} tests: the run did not finish`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Counts the tests in a report of Vitest's json reporter and names the failed ones. `code` is the exit code of the run. */
export function countTests(json, code) {
  const { testResults = [] } = JSON.parse(json)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const names = testResults.flatMap(listFailures)
  // Unhandled errors, a run without tests, and too many retries fail the run without a failed test.
  if (names.length === 0 && (code !== 0 || passed === 0)) names.push('the run as a whole: see its log above')
  return { passed, failed: names.length, names }
}

function listFailures({ name = '', status, assertionResults }) {
  const file = relative(root, name)
  if (status === 'failed' && assertionResults.length === 0) return [`${file}: could not be loaded`]
  return assertionResults
    .filter((test) => test.status !== 'passed')
    .map(({ fullName, status: how }) => `${file}: ${fullName}${how === 'failed' ? '' : ` (${how})`}`)
}
