import type { ProjectFile } from './parts.ts'

const old = /^@(?:alchemy\/aa-|account-kit\/|aa-sdk\/)/
const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const

export declare namespace movePackage {
  type Options = {
    /** Version of `latchkey`. */
    version: string
    /** Old packages that sources still import. */
    kept: ReadonlySet<string>
  }
}

/**
 * Returns a `package.json` with `latchkey` instead of Account Kit's packages; nothing if it has none, or is not JSON.
 */
export function movePackage(
  { path, text }: ProjectFile,
  { version, kept }: movePackage.Options,
): (ProjectFile & { before: string })[] {
  const manifest = parse(text)
  let isMoved = false
  for (const list of lists) {
    const packages = manifest?.[list]
    if (!isRecord(packages)) continue
    const gone = Object.keys(packages).filter((name) => old.test(name) && !kept.has(name))
    const isUsed = Object.keys(packages).some((name) => old.test(name))
    if (!isUsed) continue
    for (const name of gone) delete packages[name]
    packages.latchkey ??= `^${version}`
    if (manifest) manifest[list] = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
    isMoved = true
  }
  if (!manifest || !isMoved) return []
  const indent = /^\s*?([ \t]+)"/m.exec(text)?.[1] ?? '  '
  return [{ path, before: text, text: `${JSON.stringify(manifest, null, indent)}${text.endsWith('\n') ? '\n' : ''}` }]
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
