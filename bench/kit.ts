import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from 'latchkey-dev/testing'
import { median } from './median.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const warmRuns = 3

class KitFailed extends Error {}

/**
 * Measures the milliseconds until a newcomer's first test passes with the packed kit. Starts from an empty folder, with
 * tarballs and Chromium on the machine, and runs the commands of the app's CI file. Cold: no devnet data exists. Warm:
 * the median of three repetitions of the same test. Also measures the eight tests of `e2e/sampleApp` and `wallet.as()`
 * for each kind of user.
 */
export const measure: Measure = async ({ log }) => {
  const app: typeof import('../e2e/packaging/strangersApp.ts') = await import(
    join(root, 'e2e/dist/packaging/strangersApp.js')
  )
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  try {
    log('packing …')
    const tarballs = app.packTarballs(root, folder)
    const results: Result[] = []
    const timed = async <value>(name: string, work: () => value | Promise<value>): Promise<value> => {
      log(`${name} …`)
      const began = performance.now()
      const value = await work()
      results.push({ name, value: Math.round(performance.now() - began), unit: 'ms' })
      return value
    }
    const home = await timed('steps/create-ms', () => app.writeStrangersApp(root, folder, tarballs))
    for (const step of app.readCiSteps(home).github)
      if (step !== 'npm test') await timed(`steps/${step.split(' ').at(-1)}-ms`, () => app.runCiStep(home, step))
    for (const name of ['wallet', 'people'])
      cpSync(join(root, `e2e/sampleApp/${name}.spec.ts`), join(home, `tests/${name}.spec.ts`))
    const run = (spec: string) => runSpec({ home, spec, cache: join(folder, 'cache') })

    await timed('first-test/cold-ms', () => run('hello'))
    results.push({ name: 'empty-folder/cold-ms', value: sum(results), unit: 'ms' })
    const warm: number[] = []
    for (let count = 1; count <= warmRuns; count++) {
      log(`first test, warm, ${count} of ${warmRuns} …`)
      const began = performance.now()
      await run('hello')
      warm.push(Math.round(performance.now() - began))
    }
    results.push({ name: 'first-test/warm-ms', value: median(warm), unit: 'ms' })
    const tests = await timed('ten-tests/all-ms', () => run('wallet'))
    results.push({ name: 'ten-tests/count', value: tests.length, unit: 'tests' })
    results.push({ name: 'ten-tests/median-ms', value: median(tests.map(({ ms }) => ms)), unit: 'ms' })
    log('people …')
    return [
      ...results,
      ...(await run('people')).map(({ title, told }) => ({ name: `${title}-ms`, value: told, unit: 'ms' })),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const sum = (results: readonly Result[]) => results.reduce((total, { value }) => total + value, 0)

type Test = {
  title: string
  /** Duration of the test and its fixtures, without the start of the worker's devnet. */
  ms: number
  /** Value that the test itself measured; NaN without such a value. */
  told: number
}

type Suite = {
  suites?: Suite[]
  specs: {
    title: string
    ok: boolean
    tests: { annotations: { type: string; description?: string }[]; results: { duration: number }[] }[]
  }[]
}

/** Runs a file of tests as `npm test` does, in one worker, and returns its tests. */
async function runSpec({ home, spec, cache }: { home: string; spec: string; cache: string }): Promise<Test[]> {
  const report = join(home, 'report.json')
  const env = {
    ...process.env,
    XDG_CACHE_HOME: cache,
    PORT: String(await freePorts(1)),
    CI: '1',
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  }
  const args = ['test', '--', `tests/${spec}.spec.ts`, '--reporter=json', '--workers=1']
  await new Promise<void>((resolve, reject) => {
    execFile('npm', args, { cwd: home, env, timeout: 400_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new KitFailed(`${stdout}\n${stderr}`.slice(-4_000))) : resolve(),
    )
  })
  const { suites } = JSON.parse(readFileSync(report, 'utf8')) as { suites: Suite[] }
  const flatten = (suite: Suite): Suite['specs'] => [...suite.specs, ...(suite.suites ?? []).flatMap(flatten)]
  return suites.flatMap(flatten).map(({ title, tests: [test] }) => ({
    title,
    ms: test?.results[0]?.duration ?? Number.NaN,
    told: Number(test?.annotations.find(({ type }) => type === 'ms')?.description),
  }))
}
