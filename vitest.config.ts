import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { longestFirst } from './packages/testkit/src/run/longestFirst.ts'

// Tests run from the sources: the condition is named in every package's exports.
const conditions = ['@latchkey/source']
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
}

/** Of `expect.poll`: nothing is known of the machine's speed. */
const patience = { poll: { timeout: 60_000 } }

export default defineConfig({
  test: {
    // Of the whole run, not of a project.
    sequence: { sequencer: longestFirst },
    projects: [
      {
        ...shared,
        // Published clients that bring an older viem of their own run on ours.
        resolve: { conditions, dedupe: ['viem'] },
        test: {
          name: 'unit',
          server: { deps: { inline: [/published\/node_modules\/(?:@turnkey\/viem\/dist|permissionless)\//] } },
          include: [
            'packages/*/src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.ts',
            'e2e/{published,providers,accountKit}/*.test.ts',
          ],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts', 'packages/testkit/src/run/databaseServer.ts'],
          expect: patience,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A new process and the same modules again for each of some three hundred files cost more than most of them
          // do. So what a test changes of its process (clock, globals, environment) it puts back.
          isolate: false,
          // By itself Vitest leaves a core free; most of these tests wait for other programs.
          maxWorkers: Math.min(availableParallelism() + 1, 8),
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['e2e/*.test.ts', 'e2e/faults/*.test.ts'],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts'],
          expect: patience,
          testTimeout: 180_000,
          hookTimeout: 300_000,
          isolate: false,
          // Each file has a world of its own, which waits about a fifth of its time: for mails, for what people look at
          // before they press, for frames that are made not to answer.
          maxWorkers: Math.min(availableParallelism() + 1, 4),
          // After the others, where all are run.
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        // By `npm run test:database`: with programs of Debian's packages.
        test: {
          name: 'database',
          include: ['e2e/database/*.test.ts'],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts', 'packages/testkit/src/run/databaseServer.ts'],
          expect: patience,
          testTimeout: 240_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        ...shared,
        // By `npm run load`, for as long as it is asked.
        test: {
          name: 'load',
          include: ['e2e/load/*.test.ts'],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts'],
          expect: patience,
          testTimeout: 7_200_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        ...shared,
        // By `npm run test:engines`: three engines, eight rules of sites and storage.
        test: {
          name: 'engines',
          include: ['e2e/engines/*.test.ts'],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts'],
          expect: patience,
          testTimeout: 900_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      {
        ...shared,
        // By `npm run test:hooks`: its packages are too large for every run.
        test: {
          name: 'hooks',
          include: ['e2e/accountKitReact/*.test.ts'],
          globalSetup: ['packages/testkit/src/run/temporaryFolder.ts', 'packages/testkit/src/run/databaseServer.ts'],
          expect: patience,
          testTimeout: 240_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
