import { build } from './build.mjs'
import { ensureInstalled } from './ensureInstalled.mjs'

/** Installs and builds what is missing or changed; exits with a message on failure. `isStart`: see `build`. */
export async function ensureReady(say, { isStart = false } = {}) {
  await ensureInstalled(say)
  const failed = await build(say, { isStart })
  if (failed.length === 0) return
  console.error(`The ${failed[0]} could not be built; what the compiler said is above.`)
  process.exit(1)
}
