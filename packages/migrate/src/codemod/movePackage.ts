import type { ProjectFile } from './parts.ts'

const old = /^@(?:alchemy\/aa-|account-kit\/|aa-sdk\/)/
const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const

export declare namespace movePackage {
  type Options = {
    /** Version of `latchkey` to install. */
    version: string
    /** Oldest supported version of `viem`. */
    viem: string
    /** Account Kit packages that the sources still import. */
    kept: ReadonlySet<string>
  }
}

/**
 * Replaces Account Kit's packages with `latchkey` in a `package.json`. Returns undefined if the file has none of them
 * or is not JSON.
 */
export function movePackage(
  { path, text }: ProjectFile,
  { version, viem, kept }: movePackage.Options,
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
    if (isOlder(packages.viem, viem)) packages.viem = `^${viem}`
    if (manifest) manifest[list] = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
    isMoved = true
  }
  if (!manifest || !isMoved) return []
  const indent = /^\s*?([ \t]+)"/m.exec(text)?.[1] ?? '  '
  return [{ path, before: text, text: `${JSON.stringify(manifest, null, indent)}${text.endsWith('\n') ? '\n' : ''}` }]
}

/** Checks whether a range such as `^2.20.0` starts below `version`. Returns false for other forms of ranges. */
function isOlder(range: unknown, version: string): boolean {
  const found = typeof range === 'string' ? /^[\^~]?(\d+)\.(\d+)\.(\d+)$/.exec(range) : null
  if (!found) return false
  const wanted = version.split('.').map(Number)
  const difference = found.slice(1).map((part, index) => Number(part) - (wanted[index] ?? 0))
  return (difference.find((part) => part !== 0) ?? 0) < 0
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
