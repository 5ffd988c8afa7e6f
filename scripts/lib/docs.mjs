import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root, runNode } from './run.mjs'

const folder = join(root, 'docs')
const port = 4180

/** Writes the reference and builds the site. Dead links fail the build. Resolves to an exit code. */
export async function buildDocs(say) {
  return (await prepare(say)) ? runVitePress(['build', folder]) : { code: 1 }
}

/** Serves the pages with live reload until it is stopped. */
export async function serveDocs(say) {
  if (!(await prepare(say))) return { code: 1 }
  return runVitePress(['dev', folder, '--port', String(port), '--strictPort'], 24 * 3_600_000)
}

async function prepare(say) {
  if (!(await installFolder(folder, say, { what: 'what the docs are built with', args: ['--ignore-scripts'] }))) {
    console.error('What the docs are built with could not be installed. Is the network there?')
    return false
  }
  const { writeReference } = await import('../../docs/tools/writeReference.mjs')
  writeReference()
  return true
}

/**
 * Size of Node's young generation. With its default of 16 MB, garbage collection takes a sixth of the time of rendering
 * six hundred pages.
 */
const youngGeneration = '--max-semi-space-size=64'

const runVitePress = (args, timeoutMs) =>
  runNode([youngGeneration, join(folder, 'node_modules/vitepress/bin/vitepress.js'), ...args], {
    ...(timeoutMs && { timeoutMs }),
  })
