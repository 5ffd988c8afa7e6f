import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** More retried tests than this fail a run. */
const mostRetries = 3

/**
 * Lists every test of a run that passed only when it was retried, at the end of the output and in the file that
 * `LATCHKEY_RETRIES_FILE` names, one JSON line a test. Fails the run when there are more than three.
 */
export class RetryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) => [...module.children.allTests()].filter(wasRetried))
    const file = process.env.LATCHKEY_RETRIES_FILE
    if (file) writeFileSync(file, retried.map((test) => `${JSON.stringify(describe(test))}\n`).join(''))
    if (retried.length === 0) return
    console.log(`\nRetried (${retried.length}):`)
    for (const test of retried) {
      console.log(`  ${describe(test).file} > ${test.fullName}`)
      console.log(`    first failure: ${test.result().errors?.[0]?.message.split('\n')[0] ?? 'unknown'}`)
    }
    if (retried.length <= mostRetries) return
    console.log(`More than ${mostRetries} tests had to be retried: the run fails.`)
    process.exitCode = 1
  }
}

const wasRetried = (test: TestCase): boolean => (test.diagnostic()?.retryCount ?? 0) > 0

function describe(test: TestCase): { file: string; name: string; passed: boolean } {
  return { file: test.module.relativeModuleId, name: test.fullName, passed: test.ok() }
}
