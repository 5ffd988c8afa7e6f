import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { staleSteps } from './build.mjs'
import { root } from './run.mjs'

/**
 * Builds the parts that `npm start` did not wait for, such as the console, at a low priority. Ends with this process.
 */
export function buildLater(say) {
  if (staleSteps({ goals: ['afterStart'] }).length === 0) return
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs'), '--after-start'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-20_000)
  })
  child.once('close', (code) => {
    if (code) say(`The console and the exit page could not be built (npm run build):\n${output}`)
  })
  child.unref()
  child.stderr.unref()
  if (child.pid) setPriority(child.pid, 10)
  process.once('exit', () => child.kill())
}
