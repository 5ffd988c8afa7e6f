import { afterEach, expect, test, vi } from 'vitest'
import { connectParent } from './connectParent.ts'

const allowedOrigins = ['https://one.example', 'https://two.example']

afterEach(() => {
  vi.unstubAllGlobals()
})

async function listTargets(location: { ancestorOrigins?: string[] }): Promise<string[]> {
  const targets: string[] = []
  const parent = { postMessage: (_message: unknown, target: string) => targets.push(target) }
  vi.stubGlobal('window', { parent, location, addEventListener() {} })
  const announced = Promise.resolve({ value: 'key' })
  connectParent({ handle: async () => null, announce: () => announced, allowedOrigins })
  await new Promise(setImmediate)
  return targets
}

test('announces itself to every listed origin where the browser hides the parent, and to no other page', async () => {
  expect(await listTargets({})).toEqual(allowedOrigins)
})

test('announces itself to a listed parent alone', async () => {
  expect(await listTargets({ ancestorOrigins: ['https://two.example'] })).toEqual(['https://two.example'])
  expect(await listTargets({ ancestorOrigins: ['https://evil.example'] })).toEqual([])
})
