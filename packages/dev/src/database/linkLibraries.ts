import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Makes the library links the npm package lists but cannot carry: npm drops symbolic links, and the install script that
 * would restore them does not always run. Returns false when they cannot be made there.
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
      // Another start may have made it between the two lines above.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
  }
  return true
}
