import { build } from './build.mjs'
import { ensureInstalled } from './ensureInstalled.mjs'

/** Installs and builds what is missing or changed; ends the process with a sentence when that fails. */
export async function ensureReady(say) {
  await ensureInstalled(say)
  const failed = await build(say)
  if (failed.length === 0) return
  console.error(`The ${failed[0]} could not be built; what the compiler said is above.`)
  process.exit(1)
}
