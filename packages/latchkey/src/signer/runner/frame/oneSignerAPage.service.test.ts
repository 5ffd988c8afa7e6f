import { type Script, startScript } from '@latchkey/testkit/signer/startScript'
import { afterEach, beforeEach, expect, test } from 'vitest'

let script: Script
beforeEach(async () => {
  script = await startScript()
})
afterEach(() => script.close())

const byLink = { type: 'email', bundle: 'bundle', orgId: 'org' } as const

/** Returns page state that several signers of one page share. */
function onePage() {
  const owners = new Map<string, object>()
  return {
    claimFrameKey(origin: string, owner: object) {
      const holder = owners.get(origin) ?? owner
      owners.set(origin, holder)
      return holder === owner
    },
    releaseFrameKeys(owner: object) {
      for (const [origin, holder] of owners) if (holder === owner) owners.delete(origin)
    },
  }
}

test('refuses a second signer of the page and keeps the first one and its session', async () => {
  const platform = onePage()
  const first = script.open({ platform }).signer
  await first.authenticate(byLink)
  const stored = script.storage.get('alchemy-signer-session')
  const second = script.open({ platform }).signer
  const errors: string[] = []
  second.on('error', ({ code }) => errors.push(code))
  await expect.poll(() => errors).toEqual(['SIGNER_CONFLICT'])
  await expect(second.authenticate(byLink)).rejects.toMatchObject({ code: 'SIGNER_CONFLICT' })
  expect(script.storage.get('alchemy-signer-session')).toBe(stored)
  expect(first.status).toBe('CONNECTED')
  expect(await first.signMessage('mine')).toMatch(/^0x/)
})

test('accepts a second signer after the first signed out or was destroyed', async () => {
  const platform = onePage()
  const first = script.open({ platform }).signer
  await first.authenticate(byLink)
  await first.disconnect()
  const second = script.open({ platform }).signer
  await second.authenticate(byLink)
  await expect(first.authenticate({ type: 'email', email: 'ann@example.com' })).rejects.toMatchObject({
    code: 'SIGNER_CONFLICT',
  })
  second.destroy()
  const third = script.open({ platform }).signer
  await expect.poll(() => third.status).toBe('CONNECTED')
})

test('accepts signers in two tabs', async () => {
  const [first, second] = [script.open({ platform: onePage() }).signer, script.open({ platform: onePage() }).signer]
  await first.authenticate(byLink)
  await expect.poll(() => second.status).toBe('CONNECTED')
})
