import { spawn } from 'node:child_process'
import { bundleProgram, toImportPath } from '@latchkey/testkit/contracts/bundleProgram'
import { expect, onTestFinished, test } from 'vitest'
import { acquireGuard } from './orphanGuard.ts'
import { isAlive } from './processes.ts'

/**
 * Starts a program that guards two children and releases one of them. `deaf` children ignore SIGTERM. Tests kill the
 * program.
 */
async function startParent(options: { deaf: boolean }): Promise<{ parent: number; guarded: number; released: number }> {
  const script = `${options.deaf ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000); console.log('ready')`
  const program = await bundleProgram(`
    import { acquireGuard } from ${toImportPath('packages/dev/src/processes/orphanGuard.ts')}
    const start = async (guard) => {
      const args = ['-e', ${JSON.stringify(script)}]
      const child = guard.spawn({ program: process.execPath, args, signal: 'SIGTERM' })
      await new Promise((resolve) => child.stdout.once('data', resolve))
      return child.pid
    }
    const guard = acquireGuard()
    const [guarded, released] = await Promise.all([start(acquireGuard()), start(guard)])
    guard.release()
    setInterval(() => {}, 1000)
    console.log(JSON.stringify({ guarded, released }))
  `)
  onTestFinished(() => program.close())
  const parent = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve))
  const children: { guarded: number; released: number } = JSON.parse(line.toString('utf8'))
  onTestFinished(() => {
    for (const pid of [parent.pid as number, ...Object.values(children)]) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  return { parent: parent.pid as number, ...children }
}

test('ends guarded children with their parent and keeps released ones', async () => {
  const { parent, guarded, released } = await startParent({ deaf: false })
  expect(isAlive(guarded)).toBe(true)
  process.kill(parent, 'SIGKILL')
  await expect.poll(() => isAlive(guarded)).toBe(false)
  expect(isAlive(released)).toBe(true)
})

test('kills a child that ignores the signal', async () => {
  const { parent, guarded } = await startParent({ deaf: true })
  process.kill(parent, 'SIGKILL')
  await expect.poll(() => isAlive(guarded)).toBe(false)
})

test('leaves no child when killed right after a start', async () => {
  const program = await bundleProgram(`
    import { acquireGuard } from ${toImportPath('packages/dev/src/processes/orphanGuard.ts')}
    const args = ['-e', 'setInterval(() => {}, 1000)']
    const { pid } = acquireGuard().spawn({ program: process.execPath, args, signal: 'SIGTERM' })
    // This runs before anything else can.
    require('node:fs').writeSync(1, String(pid))
    process.kill(process.pid, 'SIGKILL')
  `)
  onTestFinished(() => program.close())
  const parent = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)))
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('reports a missing program by exit code 127', async () => {
  const guard = acquireGuard()
  const child = guard.spawn({ program: '/nowhere/at-all', args: [], signal: 'SIGTERM' })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(127)
  guard.release()
})
