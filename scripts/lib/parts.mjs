import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './checks.mjs'
import { programPath, root, runNode } from './run.mjs'
import { runTests } from './runTests.mjs'

/**
 * The parts of `npm run test:full`, in the order in which they run. `installs`: folders whose lockfiles are installed
 * first. `programs`: browsers and other programs that are found or installed first. `isExtra`: runs only by name.
 * `beside`: another part of one worker, beside which this one runs and then prints its output at its end.
 */
export const parts = [
  { name: 'check', what: 'types, lint, import boundaries, unused code', run: () => runChecks() },
  {
    name: 'contracts',
    what: 'account and paymaster contracts, compiled from their sources',
    run: async () => addUp(await runChecks([{ name: 'compile', run: compileContracts }]), await runTests('contracts')),
  },
  { name: 'process', what: 'CLI, dev server, codemod and exit kit as programs', run: () => runTests('process') },
  { name: 'fuzz', what: 'fuzzers, models and mutations', run: () => runTests('fuzz') },
  { name: 'plans', what: 'query plans at size', run: () => runTests('plan') },
  {
    name: 'pictures',
    what: 'screens against their kept pictures',
    programs: ['chromium'],
    run: () => runTests('pictures'),
  },
  {
    name: 'e2e-1',
    what: 'the wallet in a browser on a whole stack, first half',
    programs: ['chromium'],
    installs: ['compat/react18'],
    run: () => runTests('e2e', { options: ['--shard=1/2'] }),
  },
  {
    name: 'e2e-2',
    what: 'the same, second half',
    programs: ['chromium'],
    installs: ['compat/react18'],
    run: () => runTests('e2e', { options: ['--shard=2/2'] }),
  },
  {
    name: 'compat',
    what: 'published clients of Account Kit and Turnkey, wagmi and ethers against our server',
    programs: ['chromium'],
    installs: ['compat/published', 'compat/accountKit', 'compat/providers', 'compat/react18'],
    run: () => runTests('compat'),
  },
  {
    name: 'hooks',
    what: 'the React hooks of Account Kit 4.88.5 (900 MB of packages)',
    programs: ['chromium'],
    installs: ['compat/published', 'compat/accountKitReact'],
    run: () => runTests('hooks'),
  },
  {
    name: 'packaging',
    what: 'tarballs, consumers, server rendering, sizes, licences, deployment files',
    programs: ['chromium'],
    installs: [
      'e2e/packaging',
      'compat/published',
      'examples/wagmi',
      'examples/vue',
      'examples/svelte',
      'examples/next',
      'examples/viteSsr',
    ],
    run: async () =>
      addUp(
        await runChecks([{ name: 'size budgets', run: () => runNode([programPath('size-limit')]) }]),
        await runTests('packaging'),
      ),
  },
  {
    name: 'docs',
    what: 'examples of docstrings and pages, the docs site in a browser',
    programs: ['chromium'],
    installs: ['docs'],
    run: async () =>
      addUp(await runChecks([{ name: 'examples compile', run: compileExamples }]), await runTests('docs')),
  },
  { name: 'faults', what: 'kills in every gap, lost databases, networks and bundlers', run: () => runTests('faults') },
  {
    name: 'engines',
    what: 'Chromium, Firefox and WebKit under every rule of storage',
    programs: ['chromium', 'firefox', 'webkit'],
    run: () => runTests('engines'),
  },
  {
    name: 'database',
    beside: 'engines',
    what: 'PgBouncer, a standby, Patroni, backups, Redis and rsyslog, and the store on the PostgreSQL of Debian',
    programs: ['debian'],
    run: async ({ isHeld }) =>
      addUp(
        await runTests('database', { isHeld }),
        await runTests('service', {
          isHeld,
          options: ['packages/server/src/store/', 'packages/server/src/platform/database/'],
          env: { LATCHKEY_TEST_POSTGRES: 'debian' },
        }),
      ),
  },
  {
    name: 'node22',
    what: 'module and service tests on Node 22 (by name only; the workflow runs npm test on 20, 22 and 24)',
    isExtra: true,
    installs: ['e2e/packaging'],
    run: () => runTests(['module', 'service'], { node: findNode22() }),
  },
  { name: 'load', what: 'every flow at once on two copies of each role', run: () => runTests('load') },
]

/** Returns the path of Node 22, which npm installs on Linux x64 only, or of this Node if it is no older. */
function findNode22() {
  const path = join(root, 'e2e/packaging/node_modules/node22/bin/node')
  if (existsSync(path)) return path
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  throw new Error('npm installs Node 22 on Linux x64 only. Install Node 22 and run this part with it.')
}

/** Loaded late: its parser is missing before the first install. */
const compileExamples = async () => (await import('./examples.mjs')).checkExamples()

const compileContracts = () => runNode(['packages/contracts/build.mjs'], { quiet: true })

function addUp(...counts) {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    names: counts.flatMap(({ names }) => names),
  }
}
