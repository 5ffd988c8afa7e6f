import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { createTwoFilesPatch } from 'diff'
import { CommandError } from 'latchkey-exit'
import { type CodemodOptions, codemodUsage, parseCodemodOptions } from './codemodOptions.ts'
import { isStylePath } from './findTraces.ts'
import { mentionsOldPackage, moveProject } from './moveProject.ts'
import { type Finding, isSourcePath, type ProjectFile } from './parts.ts'

const run = promisify(execFile)
const skipped = new Set(['node_modules', 'dist', 'build', 'out', 'coverage'])
/** Maximum file size. Larger files are probably generated. */
const maxBytes = 1_000_000
const maxFiles = 20_000

/** Runs the codemod. `program`: command name that the user typed. Resolves to the exit code. */
export async function runCodemod(args: readonly string[], program: string): Promise<number> {
  let options: CodemodOptions
  try {
    options = parseCodemodOptions(args)
    if (options.help) {
      console.log(codemodUsage(program))
      return 0
    }
    return await move(options)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(error.code === 'CONFIG_INVALID' ? `${error.message}\n\n${codemodUsage(program)}` : error.message)
    return error.code === 'CONFIG_INVALID' ? 2 : 1
  }
}

async function move({ folder, json, isDry, isForced, dropsSocial }: CodemodOptions): Promise<number> {
  const root = resolve(folder)
  if (!(await stat(root).catch(() => undefined))?.isDirectory())
    throw new CommandError(`There is no folder ${folder}.`, { code: 'CONFIG_INVALID' })
  if (!isDry && !isForced) await assertClean(root)
  const { files, foreign } = await readFiles(root)
  const { changed, stops, left } = moveProject(files, { ...readVersions(), dropsSocial })
  const isWritten = stops.length === 0 && !isDry && changed.length > 0
  const lines = left.map(({ lineAfter, ...one }) => (isWritten ? { ...one, line: lineAfter } : one))
  const all = [...lines, ...foreign]
  if (isWritten) await writeAll(root, changed)
  if (json)
    console.log(JSON.stringify({ files: changed.map(({ path }) => path), stops, left: all, written: isWritten }))
  else report({ changed, stops, left: all, isDry })
  return stops.length > 0 ? 1 : 0
}

/** Reads the version of `latchkey`, which is the version of this package, and its minimum version of `viem`. */
function readVersions(): { version: string; viem: string } {
  const { version, dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return { version, viem: dependencies.viem }
}

type Report = { changed: (ProjectFile & { before: string })[]; stops: Finding[]; left: Finding[]; isDry: boolean }

function report({ changed, stops, left, isDry }: Report): void {
  const list = (findings: readonly Finding[]) =>
    findings.map(({ path, line, text }) => `  ${path}:${line}  ${text}`).join('\n')
  if (stops.length > 0) {
    console.error(`This app cannot be migrated yet, and nothing was written:\n${list(stops)}`)
    return
  }
  if (changed.length === 0 && left.length === 0) {
    console.log('There is nothing to migrate.')
    return
  }
  if (isDry) for (const { path, before, text } of changed) console.log(createTwoFilesPatch(path, path, before, text))
  else console.log(changed.map(({ path }) => `  moved ${path}`).join('\n'))
  if (left.length > 0) console.log(`Left for you:\n${list(left)}`)
  if (!isDry)
    console.log(
      'Now install, compile, and compare addresses: npx latchkey-dev parity --owners FILE --rpc-url YOUR_NODE',
    )
}

/** Requires a clean Git tree, so that the user can review and revert the changes. */
async function assertClean(root: string): Promise<void> {
  const status = await run('git', ['status', '--porcelain', '--', '.'], { cwd: root, timeout: 30_000 }).catch(
    () => undefined,
  )
  if (!status)
    throw new CommandError(
      'This folder is not in git, where you could look at the changes. Run git init and commit, or give --force.',
      { code: 'STATE_CONFLICT' },
    )
  if (status.stdout.trim() !== '')
    throw new CommandError('There are changes that are not committed. Commit them first, or give --force.', {
      code: 'STATE_CONFLICT',
    })
}

async function readFiles(root: string): Promise<{ files: ProjectFile[]; foreign: Finding[] }> {
  const files: ProjectFile[] = []
  const foreign: Finding[] = []
  for (const path of await listPaths(root)) {
    const isForeign = /\.(vue|svelte|astro)$/.test(path)
    if (!isSourcePath(path) && !isStylePath(path) && !isForeign && !path.endsWith('package.json')) continue
    const full = join(root, path)
    if ((await stat(full)).size > maxBytes) continue
    const text = await readFile(full, 'utf8')
    if (!isForeign) files.push({ path, text })
    else if (mentionsOldPackage(text))
      foreign.push({ path, line: 1, text: 'this kind of file is not changed: move its imports by hand' })
  }
  return { files, foreign }
}

/** Lists the paths in a folder, separated by `/`. Skips hidden folders and folders of tools. */
async function listPaths(root: string): Promise<string[]> {
  const found: string[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.'))
        folders.push(join(folder, entry.name))
      if (entry.isFile()) found.push(relative(root, join(folder, entry.name)).split(sep).join('/'))
      if (found.length > maxFiles)
        throw new CommandError(`There are more than ${maxFiles} files. Give the folder of one app.`, {
          code: 'CONFIG_INVALID',
        })
    }
  return found.sort()
}

/** Writes all files or none. Writes each to a temporary file first. */
async function writeAll(root: string, changed: readonly ProjectFile[]): Promise<void> {
  const mark = `.latchkey-${process.pid}`
  const places = changed.map(({ path, text }) => ({ place: join(root, path), text }))
  try {
    for (const { place, text } of places) await writeFile(place + mark, text, { flag: 'wx' })
  } catch (cause) {
    for (const { place } of places) if (existsSync(place + mark)) await rm(place + mark)
    throw new CommandError('The files cannot be written. Nothing was changed.', { code: 'STATE_CONFLICT', cause })
  }
  for (const { place } of places) await rename(place + mark, place)
}
