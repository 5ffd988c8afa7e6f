import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTutorial } from './readTutorial.ts'

export const packageNames = ['protocol', 'latchkey', 'server', 'exit', 'migrate', 'dev', 'create'] as const
export type PackageName = (typeof packageNames)[number]

export type Tarball = { path: string; entryCount: number; unpackedSize: number }

/** Packs the built packages of the repository at `root` into `folder`, and unpacks each package next to its tarball. */
export function packTarballs(root: string, folder: string): Record<PackageName, Tarball> {
  const pack = (name: PackageName): Tarball => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const packed = runNpm(
      args,
      name === 'latchkey' || name === 'server' ? prepare(root, name) : join(root, 'packages', name),
    )
    const [{ filename, entryCount, unpackedSize }] = JSON.parse(packed) as [Tarball & { filename: string }]
    const path = join(folder, filename)
    mkdirSync(join(folder, name))
    execFileSync('tar', ['-xzf', path, '-C', join(folder, name), '--strip-components=1'])
    return { path, entryCount, unpackedSize }
  }
  return {
    protocol: pack('protocol'),
    latchkey: pack('latchkey'),
    server: pack('server'),
    exit: pack('exit'),
    migrate: pack('migrate'),
    dev: pack('dev'),
    create: pack('create'),
  }
}

function prepare(root: string, name: PackageName): string {
  const args = [join(root, 'scripts/lib/pack.mjs'), name]
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 120_000 }).trim()
}

export function runNpm(args: readonly string[], cwd: string): string {
  const script = process.env.npm_execpath
  const [program, first] = script ? [process.execPath, [script]] : ['npm', []]
  const env = { ...process.env, npm_config_loglevel: 'error' }
  return execFileSync(program, [...first, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 500_000,
  })
}

/**
 * Writes the app of docs/tutorial.md next to the tarballs and returns its folder. The app depends on the tarballs and
 * is not installed yet.
 */
export function writeStrangersApp(root: string, folder: string, tarballs: Record<PackageName, Tarball>): string {
  const { commands, files } = readTutorial(root)
  const [, name = '', options = ''] = /^npm create latchkey (\S+) -- (.+)$/.exec(commands[0] ?? '') ?? []
  const args = [join(folder, 'create/dist/main.js'), name, ...options.split(' ')]
  execFileSync(process.execPath, args, { cwd: folder })
  const home = join(folder, name)
  putTarballs(home, tarballs)
  for (const { path, code } of files) writeFileSync(join(home, path), code)
  return home
}

/** Changes the dependencies on Latchkey's packages to the tarballs. All others come from the registry. */
function putTarballs(home: string, tarballs: Record<PackageName, Tarball>): void {
  const path = join(home, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>
  const dependencies = {
    ...manifest.dependencies,
    'latchkey-protocol': tarballs.protocol.path,
    latchkey: tarballs.latchkey.path,
    'latchkey-server': tarballs.server.path,
    'latchkey-exit': tarballs.exit.path,
    'latchkey-migrate': tarballs.migrate.path,
  }
  const devDependencies = { ...manifest.devDependencies, 'latchkey-dev': tarballs.dev.path, vitest: '4.1.12' }
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies, devDependencies }))
}

export function runCiStep(home: string, step: string): void {
  // Not `npm ci`, which refuses a lockfile without the binaries of other platforms. Some registries do not have them.
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  runNpm(step === 'npm ci' ? install : step.split(' ').slice(1), home)
}

/** Returns the commands in the app's CI files, without the installation of Chromium. */
export function readCiSteps(home: string): Record<'github' | 'gitlab', string[]> {
  const read = (path: string, line: RegExp) =>
    [...readFileSync(join(home, path), 'utf8').matchAll(line)]
      .map(([, step = '']) => step.replace(' --cache .npm', ''))
      .filter((step) => step !== 'npx playwright install --with-deps chromium')
  return {
    github: read('.github/workflows/test.yml', /^ +- run: (.+)$/gm),
    gitlab: read('.gitlab-ci.yml', /^ +- (np.+)$/gm),
  }
}
