import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './checks.mjs'
import { programPath, root, runNode } from './run.mjs'
import { runTests } from './runTests.mjs'

/**
 * The parts of `npm run test:full`, in execution order. A part has checks, Vitest projects with options, or its own
 * `run`.
 *
 * - `installs`: folders whose lockfiles are installed first.
 * - `programs`: browsers and other programs that are found or installed first.
 * - `isExtra`: runs only by name.
 * - `joins`: another part whose Vitest run includes this part's files if both are chosen, so that all workers are busy
 * until the end.
 * - `beside`: another part with a single worker. This part runs in parallel with it, and its output is printed at the
 * end.
 */
export const parts = [
  { name: 'check', what: 'types, lint, import boundaries, unused code', run: () => runChecks() },
  {
    name: 'contracts',
    what: 'account and paymaster contracts, compiled from their sources',
    checks: [{ name: 'compile', run: () => runNode(['packages/contracts/build.mjs'], { quiet: true }) }],
    projects: ['contracts'],
  },
  { name: 'process', what: 'CLI, dev server, codemod and exit kit as programs', projects: ['process'] },
  {
    name: 'pictures',
    what: 'screens against their kept pictures',
    programs: ['chromium'],
    projects: ['pictures'],
  },
  { name: 'fuzz', joins: 'pictures', what: 'fuzzers, models and mutations', projects: ['fuzz'] },
  { name: 'plans', joins: 'pictures', what: 'query plans at size', projects: ['plan'] },
  {
    name: 'e2e-1',
    what: 'the wallet in a browser on a whole stack, first half',
    programs: ['chromium'],
    installs: ['compat/react18'],
    projects: ['e2e'],
    options: ['--shard=1/2'],
  },
  {
    name: 'e2e-2',
    joins: 'e2e-1',
    what: 'the same, second half',
    programs: ['chromium'],
    installs: ['compat/react18'],
    projects: ['e2e'],
    options: ['--shard=2/2'],
  },
  {
    name: 'compat',
    what: 'published clients of Account Kit and Turnkey, wagmi and ethers against our server',
    programs: ['chromium'],
    installs: ['compat/published', 'compat/accountKit', 'compat/walletApis', 'compat/providers', 'compat/react18'],
    projects: ['compat'],
  },
  {
    name: 'hooks',
    joins: 'compat',
    what: 'the React hooks of Account Kit 4.88.5 (900 MB of packages)',
    programs: ['chromium'],
    installs: ['compat/published', 'compat/accountKitReact'],
    projects: ['hooks'],
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
    checks: [{ name: 'size budgets', run: () => runNode([programPath('size-limit')]) }],
    projects: ['packaging'],
  },
  {
    name: 'docs',
    joins: 'packaging',
    what: 'examples of docstrings and pages, the docs site in a browser',
    programs: ['chromium'],
    installs: ['docs'],
    // Loaded late: its parser is missing before the first install.
    checks: [{ name: 'examples compile', run: async () => (await import('./examples.mjs')).checkExamples() }],
    projects: ['docs'],
  },
  { name: 'faults', what: 'kills in every gap, lost databases, networks and bundlers', projects: ['faults'] },
  {
    name: 'engines',
    what: 'Chromium, Firefox and WebKit under every rule of storage',
    programs: ['chromium', 'firefox', 'webkit'],
    projects: ['engines'],
  },
  {
    name: 'database',
    beside: 'engines',
    what: 'PgBouncer, backups, rsyslog, a first start with Postfix and Caddy, and the store on the PostgreSQL of Debian',
    programs: ['chromium', 'debian'],
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
  { name: 'load', what: 'every flow at once on two copies of each role', projects: ['load'] },
]

/** Returns a part that runs everything of these parts: the checks first, then the projects in one Vitest. */
export function joinParts([part, ...others]) {
  if (others.length === 0) return part
  const all = [part, ...others]
  const union = (member) => [...new Set(all.flatMap((each) => each[member] ?? []))]
  return {
    ...part,
    name: all.map(({ name }) => name).join(' + '),
    what: all.map(({ what }) => what).join('; '),
    installs: union('installs'),
    programs: union('programs'),
    checks: union('checks'),
    projects: union('projects'),
    // Runs all shards of a project together.
    options: [],
  }
}

/** Runs a part and returns how many passed and failed, and the names of the failed ones. */
export async function runPart({ run, checks = [], projects, options }, { isHeld }) {
  if (run) return run({ isHeld })
  return addUp(await runChecks(checks), await runTests(projects, { options, isHeld }))
}

/** Returns the path of Node 22, which npm installs on Linux x64 only, or of this Node if it is at least version 22. */
function findNode22() {
  const path = join(root, 'e2e/packaging/node_modules/node22/bin/node')
  if (existsSync(path)) return path
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  throw new Error('npm installs Node 22 on Linux x64 only. Install Node 22 and run this part with it.')
}

function addUp(...counts) {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    names: counts.flatMap(({ names }) => names),
  }
}
