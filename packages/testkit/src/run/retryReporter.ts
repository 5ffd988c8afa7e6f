import { mkdirSync, writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const mostRetries = 3
const folder = '.cache/retried'

/**
 * Lists retried tests at the end of the output and as JSON lines in `.cache/retried/<projects>.jsonl`. Fails the run if
 * there are more than three.
 */
export class RetryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) => [...module.children.allTests()].filter(wasRetried))
    const projects = [...new Set(modules.map(({ project }) => project.name))].sort().join('+')
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${folder}/${projects}.jsonl`, retried.map((test) => `${JSON.stringify(describe(test))}\n`).join(''))
    if (retried.length === 0) return
    console.log(`\nRetried (${retried.length}):`)
    for (const test of retried) {
      const { file, name, firstFailure } = describe(test)
      console.log(`  ${file} > ${name}\n    first failure: ${firstFailure}`)
    }
    if (retried.length <= mostRetries) return
    console.log(`More than ${mostRetries} tests had to be retried: the run fails.`)
    process.exitCode = 1
  }
}

const wasRetried = (test: TestCase): boolean => (test.diagnostic()?.retryCount ?? 0) > 0

function describe(test: TestCase): { file: string; name: string; passed: boolean; firstFailure: string } {
  const firstFailure = test.result().errors?.[0]?.message.split('\n')[0] ?? 'unknown'
  return { file: test.module.relativeModuleId, name: test.fullName, passed: test.ok(), firstFailure }
}
