import { allGoals, build } from './build.mjs'
import { ensureInstalled } from './ensureInstalled.mjs'

/** Installs and builds what is missing or changed for these goals; exits with a message on failure. */
export async function ensureReady(say, { goals = allGoals } = {}) {
  await ensureInstalled(say, { withTests: goals.includes('tests') })
  const failed = await build(say, { goals })
  if (failed.length === 0) return
  console.error(`The ${failed[0]} could not be built; what the compiler said is above.`)
  process.exit(1)
}
