import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programPath, root, runNode } from './run.mjs'
import { readStamp, sourceStamp } from './sourceStamp.mjs'

const stampDir = join(root, 'node_modules/.cache/latchkey-build')
const configs = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'scripts/lib/build.mjs']
const clientSources = ['packages/protocol', 'packages/latchkey/src', 'packages/latchkey/package.json']
const uiSources = ['packages/latchkey/src/react/ui/tokens.css', 'packages/ui/src']
/** Packages that the devnet runs. */
const devnetProjects = ['protocol', 'latchkey', 'server', 'exit', 'migrate', 'dev'].map((name) => `packages/${name}`)
const projects = [...devnetProjects, 'packages/create', 'packages/frames', 'packages/console']

export const allGoals = ['start', 'afterStart', 'tests']

/**
 * Build steps. `outputs` must exist for a step to count as up to date. `goal`: `npm start` waits for the steps of
 * `start` and builds those of `afterStart` while the wallet is running; those of `tests` need the `devDependencies`.
 */
const steps = [
  {
    name: 'contracts',
    goal: 'start',
    sources: [...configs, 'packages/contracts'],
    outputs: ['packages/dev/artifacts/hash', 'packages/testkit/artifacts/hash'],
    make: () => runNode(['packages/contracts/build.mjs', '--dev'], { quiet: true }),
  },
  {
    name: 'devnet',
    goal: 'start',
    after: 'contracts',
    sources: [...configs, ...devnetProjects.map((path) => `${path}/src`)],
    outputs: ['packages/latchkey/dist/exports/index.js', 'packages/dev/dist/cli/main.js'],
    // Checks and writes types only for tests and releases.
    make: (goals) => (goals.includes('tests') ? compile('packages/dev') : stripTypes()),
  },
  {
    name: 'frames',
    goal: 'start',
    sources: [...configs, 'packages/protocol', 'packages/frames'],
    outputs: ['auth', 'confirm', 'export', 'export-and-sign', 'import', 'oauth', 'paper-key'].map(
      (page) => `packages/server/pages/${page}/index.html`,
    ),
    make: () => runNode(['packages/frames/build.mjs'], { quiet: true }),
  },
  {
    name: 'wallet',
    goal: 'start',
    sources: [...configs, ...clientSources, ...uiSources, 'apps/wallet'],
    outputs: ['packages/dev/example/index.html'],
    make: () => bundle('apps/wallet'),
  },
  {
    name: 'console',
    goal: 'afterStart',
    sources: [...configs, 'packages/protocol', ...uiSources, 'packages/console'],
    outputs: ['packages/server/console/index.html'],
    make: buildConsole,
  },
  {
    name: 'exit page',
    goal: 'afterStart',
    sources: [...configs, ...clientSources, 'packages/exit/src', 'packages/exit/build.mjs'],
    outputs: ['packages/exit/pages/exit.html'],
    make: () => runNode(['packages/exit/build.mjs'], { quiet: true }),
  },
  {
    name: 'packages',
    goal: 'tests',
    after: 'devnet',
    sources: [
      ...configs,
      ...projects.map((path) => `${path}/src`),
      'packages/ui/src',
      'apps/wallet/src',
      'e2e',
      'bench',
    ],
    outputs: ['e2e/dist/mainJob.js'],
    make: () => compile(),
  },
]

/**
 * Builds what changed, two steps at a time. Returns the names of failed steps. After a failure, no further step begins.
 * Calls `say` with a line per step.
 */
export async function build(say, { goals }) {
  const waiting = staleSteps({ goals })
  const running = new Map()
  const failed = []
  const isReady = ({ after }) => !running.has(after) && !waiting.some(({ name }) => name === after)
  for (;;) {
    while (failed.length === 0 && running.size < 2 && waiting.some(isReady)) {
      const [step] = waiting.splice(waiting.findIndex(isReady), 1)
      say(`Building the ${step.name} …`)
      running.set(
        step.name,
        step.make(goals).then(({ code }) => ({ step, code })),
      )
    }
    if (running.size === 0) return failed
    const { step, code } = await Promise.race(running.values())
    running.delete(step.name)
    if (code === 0) keepStamp(step)
    else failed.push(step.name)
  }
}

/** Returns the steps whose outputs are missing or older than their sources. */
export function staleSteps({ goals }) {
  return steps
    .filter(({ goal }) => goals.includes(goal))
    .map((step) => ({
      ...step,
      stampPath: join(stampDir, step.name.replaceAll(' ', '-')),
      stamp: sourceStamp(step.sources),
    }))
    .filter(
      ({ stampPath, stamp, outputs }) =>
        readStamp(stampPath) !== stamp || outputs.some((path) => !existsSync(join(root, path))),
    )
}

function keepStamp({ stampPath, stamp }) {
  mkdirSync(dirname(stampPath), { recursive: true })
  writeFileSync(stampPath, stamp)
}

const bundle = (folder, ...options) =>
  runNode([programPath('vite'), 'build', folder, '--logLevel', 'warn', ...options], { quiet: true })

/**
 * Builds the console in a temporary folder and renames it, so that a running devnet serves the new console immediately.
 */
async function buildConsole() {
  const [place, beside] = ['console', '.console'].map((name) => join(root, 'packages/server', name))
  const end = await bundle('packages/console', '--outDir', beside)
  if (end.code !== 0) return end
  rmSync(place, { recursive: true, force: true })
  renameSync(beside, place)
  return end
}

async function compile(...only) {
  dropOrphans()
  return runNode([programPath('typescript', 'tsc'), '-b', ...only, '--pretty', 'false'], { quiet: true })
}

/** Writes the JavaScript of changed sources in a second; the compiler takes fifteen. */
async function stripTypes() {
  dropOrphans()
  const { transformSync } = await import('rolldown/experimental')
  for (const project of devnetProjects) {
    const from = join(root, project, 'src')
    const paths = readdirSync(from, { recursive: true, encoding: 'utf8' })
    for (const path of paths.filter((each) => /\.tsx?$/.test(each) && !/\.test(-d)?\.tsx?$/.test(each))) {
      const [source, target] = [join(from, path), join(root, project, 'dist', path.replace(/\.tsx?$/, '.js'))]
      if (existsSync(target) && statSync(target).mtimeMs > statSync(source).mtimeMs) continue
      const { code, errors } = transformSync(source, readFileSync(source, 'utf8'), {
        typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
        jsx: { runtime: 'automatic' },
      })
      if (errors.length > 0) {
        console.error(errors.map(({ message }) => `${source}: ${message}`).join('\n'))
        return { code: 1 }
      }
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, code)
    }
  }
  return { code: 0 }
}

/** Deletes outputs of deleted sources, which tsc does not remove and which must not be published. */
function dropOrphans() {
  for (const project of projects) {
    const dist = join(root, project, 'dist')
    if (!existsSync(dist)) continue
    for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      const base = path.replace(/\.(js|d\.ts)(\.map)?$/, '')
      if (base === path) continue
      const source = join(root, project, 'src', base)
      if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join(dist, path))
    }
  }
}
