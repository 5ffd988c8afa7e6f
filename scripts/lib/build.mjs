import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programPath, root, run, runNode } from './run.mjs'
import { readStamp, sourceStamp } from './sourceStamp.mjs'

const stampDir = join(root, 'node_modules/.cache/latchkey-build')
const configs = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'scripts/lib/build.mjs']
const clientSources = ['packages/protocol', 'packages/latchkey/src', 'packages/latchkey/package.json']
const projects = [
  'packages/protocol',
  'packages/latchkey',
  'packages/server',
  'packages/exit',
  'packages/migrate',
  'packages/dev',
  'packages/create',
  'packages/frames',
  'packages/console',
]

/** In order. `outputs` must exist for a step to count as fresh. */
const steps = [
  {
    name: 'contracts',
    sources: [...configs, 'packages/contracts'],
    outputs: ['packages/dev/artifacts/hash', 'packages/testkit/artifacts/hash'],
    make: () => runNode(['packages/contracts/build.mjs', '--dev'], { quiet: true }),
  },
  {
    name: 'packages',
    sources: [...configs, ...projects.map((path) => `${path}/src`), 'e2e', 'bench', 'apps/wallet/src'],
    outputs: ['packages/latchkey/dist/exports/index.js', 'packages/dev/dist/cli/main.js', 'e2e/dist/mainJob.js'],
    make: compile,
  },
  {
    name: 'frames',
    sources: [...configs, 'packages/protocol', 'packages/frames'],
    outputs: ['auth', 'confirm', 'export', 'export-and-sign', 'import'].map(
      (page) => `packages/server/pages/${page}/index.html`,
    ),
    make: () => runNode(['packages/frames/build.mjs'], { quiet: true }),
  },
  {
    name: 'console',
    sources: [...configs, 'packages/protocol', 'packages/latchkey/src/react/ui/tokens.css', 'packages/console'],
    outputs: ['packages/server/console/index.html'],
    make: () => runNode([programPath('vite'), 'build', 'packages/console', '--logLevel', 'warn'], { quiet: true }),
  },
  {
    name: 'exit page',
    sources: [...configs, ...clientSources, 'packages/exit/src', 'packages/exit/build.mjs'],
    outputs: ['packages/exit/pages/exit.html'],
    make: () => runNode(['packages/exit/build.mjs'], { quiet: true }),
  },
  {
    name: 'example wallet',
    sources: [...configs, ...clientSources, 'apps/wallet'],
    outputs: ['packages/dev/example/index.html'],
    make: () => runNode([programPath('vite'), 'build', 'apps/wallet', '--logLevel', 'warn'], { quiet: true }),
  },
]

/**
 * Builds what changed, in order. Returns the names of the steps that failed; the steps after a failed one are left out.
 * `say` gets a line for each step that has something to do.
 */
export async function build(say) {
  for (const step of steps) {
    const stampPath = join(stampDir, step.name.replaceAll(' ', '-'))
    const stamp = sourceStamp(step.sources)
    const isFresh = readStamp(stampPath) === stamp && step.outputs.every((path) => existsSync(join(root, path)))
    if (isFresh) continue
    say(`Building the ${step.name} …`)
    const { code } = await step.make()
    if (code !== 0) {
      rmSync(stampPath, { force: true })
      return [step.name]
    }
    mkdirSync(dirname(stampPath), { recursive: true })
    writeFileSync(stampPath, stamp)
  }
  return []
}

async function compile() {
  dropOrphans()
  return run(process.execPath, [programPath('typescript', 'tsc'), '-b', '--pretty', 'false'], { quiet: true })
}

/** tsc leaves what it made of deleted sources; a package must not ship it. */
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
