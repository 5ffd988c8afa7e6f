import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { startGuard } from './startGuard.ts'
import { isAlive } from './stopProcess.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A process that has run its script and waits. */
function sleeper(script = ''): Promise<number> {
  const program = `${script}; setInterval(() => {}, 1000); console.log('ready')`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  return new Promise((resolve) => child.stdout.once('data', () => resolve(child.pid as number)))
}

test('default', async () => {
  const guard = startGuard()
  const [watched, forgotten] = await Promise.all([sleeper(), sleeper()])
  guard.watch(watched, 'SIGTERM')
  guard.watch(forgotten, 'SIGTERM')
  guard.forget(forgotten)
  // The end of the guard's input is what our own death looks like to it.
  guard.close()
  await expect.poll(() => isAlive(watched)).toBe(false)
  expect(isAlive(forgotten)).toBe(true)
})

test('behavior: a process that ignores the signal is killed', async () => {
  const guard = startGuard()
  const deaf = await sleeper("process.on('SIGTERM', () => {})")
  guard.watch(deaf, 'SIGTERM')
  guard.close()
  await expect.poll(() => isAlive(deaf)).toBe(false)
})
