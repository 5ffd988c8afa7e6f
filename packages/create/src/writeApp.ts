import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalid, type Template, toPackageName } from './options.ts'

const source = fileURLToPath(new URL('../templates/', import.meta.url))
const codeFolders: Record<Template, string> = { vite: 'src', next: 'app' }
/** Files and folders that the target folder may already contain. */
const harmless = new Set(['.git', '.DS_Store'])

/**
 * Writes an app to a missing or empty folder and returns its path. Writes to a temporary folder first and moves the app
 * at the end, so that a failure leaves nothing behind.
 *
 * @throws `CONFIG_INVALID` if the folder is not empty, or if npm does not allow its name.
 */
export function writeApp({ folder, template }: { folder: string; template: Template }): string {
  const name = toPackageName(folder)
  const target = resolve(folder)
  assertEmpty(target, folder)
  mkdirSync(dirname(target), { recursive: true })
  const workplace = mkdtempSync(join(dirname(target), '.create-latchkey-'))
  // Moves a subfolder, because the temporary folder itself is readable only by its owner.
  const draft = join(workplace, 'app')
  try {
    cpSync(join(source, template), draft, { recursive: true })
    for (const file of ['Wallet.tsx', 'app.css'])
      cpSync(join(source, 'common', file), join(draft, codeFolders[template], file))
    for (const path of ['tests', '.github', '.gitlab-ci.yml'])
      cpSync(join(source, 'common', path), join(draft, path), { recursive: true })
    // npm removes files with the real name from packages, so the template has another name.
    cpSync(join(source, 'common/_gitignore'), join(draft, '.gitignore'))
    const manifest = join(draft, 'package.json')
    const content = { ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), name }
    writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`)
    if (!existsSync(target)) renameSync(draft, target)
    else for (const entry of readdirSync(draft)) renameSync(join(draft, entry), join(target, entry))
  } finally {
    rmSync(workplace, { recursive: true, force: true })
  }
  return target
}

/** @throws `CONFIG_INVALID` */
export function assertEmpty(target: string, folder: string): void {
  if (!existsSync(target)) return
  let entries: string[]
  try {
    entries = readdirSync(target)
  } catch (cause) {
    throw invalid(`${folder} is not a readable folder. Choose another.`, cause)
  }
  const held = entries.filter((entry) => !harmless.has(entry))
  if (held.length > 0)
    throw invalid(`${folder} is not empty: it contains ${held.slice(0, 3).join(', ')}. Choose another folder.`)
}
