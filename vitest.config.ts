import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { ProjectSequencer } from './packages/testkit/src/run/ProjectSequencer.ts'
import { RetryReporter } from './packages/testkit/src/run/retryReporter.ts'
import { slowness } from './packages/testkit/src/run/slowness.ts'

// Tests run from the sources, which every package's exports name under this condition.
const conditions = ['@latchkey/source']
const factor = slowness()
// Random tests repeat the same inputs unless a nightly run or a person sets another seed.
process.env.LATCHKEY_SEED ??= '1'
const scaled = (ms: number) => Math.round(ms * factor)
/** One worker more than cores, since tests that wait for other programs leave a core idle. */
const workers = Math.min(availableParallelism() + 1, 8)
const run = 'packages/testkit/src/run'
/** Set by scripts/lib/runTests.mjs, which counts the tests. */
const results = process.env.LATCHKEY_RESULTS_FILE

type Tier = {
  include: string[]
  exclude?: string[]
  /** Seconds that `expect.poll` waits for its condition. */
  pollSeconds: number
  /** Seconds that a test may take; hooks may take twice as long. */
  testSeconds: number
  /** Page, journey and process tests may run a second time; each that had to is listed at the end. */
  retry?: 1
  maxWorkers?: number
  groupOrder?: number
  pool?: 'threads' | 'forks'
  isolate?: boolean
  dedupe?: string[]
  inline?: RegExp[]
}

function project(name: string, tier: Tier): TestProjectInlineConfiguration {
  const { pollSeconds, testSeconds, groupOrder = 0, dedupe, inline, retry = 0, ...test } = tier
  return {
    resolve: { conditions, ...(dedupe && { dedupe }) },
    ssr: { resolve: { conditions, externalConditions: conditions } },
    test: {
      name,
      maxWorkers: workers,
      // A worker keeps its modules, and with them its worker-scoped fixtures, from one file to the next. Therefore a
      // test restores every clock, global and environment variable that it changes.
      isolate: false,
      ...test,
      retry,
      globalSetup: [`${run}/temporaryFolder.ts`, `${run}/databaseServer.ts`],
      expect: { poll: { timeout: scaled(pollSeconds * 1000) } },
      testTimeout: scaled(testSeconds * 1000),
      hookTimeout: scaled(testSeconds * 2000),
      sequence: { groupOrder },
      ...(inline && { server: { deps: { inline } } }),
    },
  }
}

const sources = 'packages/{protocol,latchkey,server,exit,migrate,dev,create,frames,console,testkit}/src/**'
const suffixes = ['service', 'page', 'process', 'faults', 'fuzz', 'plan', 'pictures']
const named = (suffix: string) => [`${sources}/*.${suffix}.test.{ts,tsx}`]

// Published clients that depend on an older viem run on ours.
const published = {
  dedupe: ['viem'],
  inline: [/published\/node_modules\/(?:@turnkey\/viem\/dist|permissionless)\//],
}

export default defineConfig({
  test: {
    reporters: [
      'default',
      new RetryReporter(),
      ...(results ? [['json', { outputFile: results }] satisfies [string, object]] : []),
    ],
    silent: 'passed-only',
    experimental: { fsModuleCache: true },
    sequence: { sequencer: ProjectSequencer },
    projects: [
      // `npm test`
      project('module', {
        include: [`${sources}/*.test.{ts,tsx}`],
        exclude: suffixes.flatMap(named),
        pool: 'threads',
        pollSeconds: 10,
        testSeconds: 20,
      }),
      project('service', { include: named('service'), pollSeconds: 10, testSeconds: 60 }),
      // Workers end with their project, so journeys belong to this one to use the browsers and stacks of the page
      // tests.
      project('page', {
        include: [...named('page'), 'test/journeys/*.test.ts'],
        pollSeconds: 10,
        testSeconds: 120,
        retry: 1,
      }),
      // `npm run test:full`, see scripts/lib/parts.mjs
      project('contracts', { include: ['packages/contracts/src/**/*.test.ts'], pollSeconds: 10, testSeconds: 120 }),
      project('process', { include: named('process'), pollSeconds: 30, testSeconds: 120, retry: 1 }),
      project('faults', {
        include: [...named('faults'), 'e2e/faults/*.test.ts'],
        pollSeconds: 60,
        testSeconds: 300,
        retry: 1,
      }),
      project('fuzz', { include: named('fuzz'), pollSeconds: 10, testSeconds: 120 }),
      project('plan', { include: named('plan'), pollSeconds: 10, testSeconds: 300 }),
      project('pictures', { include: named('pictures'), pollSeconds: 10, testSeconds: 60, retry: 1 }),
      project('e2e', { include: ['e2e/*.test.ts'], pollSeconds: 60, testSeconds: 180, retry: 1 }),
      project('compat', {
        include: ['compat/{published,providers,accountKit,walletApis}/*.test.ts'],
        pollSeconds: 60,
        testSeconds: 120,
        retry: 1,
        ...published,
      }),
      project('hooks', { include: ['compat/accountKitReact/*.test.ts'], pollSeconds: 60, testSeconds: 240, retry: 1 }),
      project('packaging', {
        include: ['e2e/packaging/*.test.ts', 'scripts/test/*.test.ts'],
        pollSeconds: 60,
        testSeconds: 300,
        retry: 1,
      }),
      project('docs', { include: ['e2e/docs/*.test.ts'], pollSeconds: 60, testSeconds: 180, retry: 1 }),
      project('engines', {
        include: ['e2e/engines/*.test.ts'],
        pollSeconds: 60,
        testSeconds: 450,
        retry: 1,
        maxWorkers: 1,
        groupOrder: 1,
      }),
      project('database', {
        include: ['e2e/database/*.test.ts'],
        pollSeconds: 60,
        testSeconds: 240,
        retry: 1,
        maxWorkers: 1,
        groupOrder: 1,
      }),
      project('load', { include: ['e2e/load/*.test.ts'], pollSeconds: 60, testSeconds: 7_200 }),
    ],
  },
})
