import { type Script, startScript } from '@latchkey/testkit/signer/startScript'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let script: Script
beforeEach(async () => {
  script = await startScript()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await script.close()
})

const whoami = '/signer/v1/whoami'
const restMs = 10_000

function open(options: Parameters<Script['open']>[0] = {}) {
  let comeBack = () => {}
  const onReturn = (listener: () => void) => {
    comeBack = listener
    return () => {
      comeBack = () => {}
    }
  }
  const { signer } = script.open({ ...options, platform: { onReturn } })
  const errors: string[] = []
  signer.on('error', ({ code }) => errors.push(code))
  return {
    signer,
    errors,
    async leave(ms: number) {
      vi.setSystemTime(Date.now() + ms)
      comeBack()
      comeBack()
      await pause()
    },
  }
}
const checks = () => script.requests.filter((path) => path === whoami).length
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

async function expectChecks(count: number): Promise<void> {
  await expect.poll(checks).toBe(count)
  await pause()
  expect(checks()).toBe(count)
}

test('checks the session once when the user returns', async () => {
  const { signer, leave } = open()
  await leave(restMs)
  expect(checks()).toBe(0)
  await signer.authenticate({ type: 'email', bundle: 'bundle', orgId: 'org' })
  const before = checks()
  await leave(restMs - 1)
  expect(checks()).toBe(before)
  await leave(restMs)
  await expectChecks(before + 1)
  expect(signer.status).toBe('CONNECTED')
})

test('ends a session that was ended elsewhere', async () => {
  const { signer, errors, leave } = open()
  await signer.authenticate({ type: 'email', bundle: 'bundle', orgId: 'org' })
  script.reply(whoami, { status: 401, body: { code: 'CREDENTIAL_NOT_FOUND', message: 'unknown key' } })
  await leave(restMs)
  await expect.poll(() => signer.status).toBe('DISCONNECTED')
  expect(errors).toEqual(['SESSION_EXPIRED'])
  expect(script.storage.get('alchemy-signer-session') ?? '').not.toContain('org')
})

test.each([
  ['an outage', { status: 503, body: { code: 'X' } }],
  ["a hotel's page", { status: 403, text: 'Please pay', headers: { 'content-type': 'text/html' } }],
  ['too many requests', { status: 429, body: { code: 8 } }],
])('keeps the session on %s', async (_, reply) => {
  const { signer, errors, leave } = open()
  await signer.authenticate({ type: 'email', bundle: 'bundle', orgId: 'org' })
  const before = checks()
  script.reply(whoami, reply)
  await leave(restMs)
  await expectChecks(before + 1)
  expect(signer.status).toBe('CONNECTED')
  expect(errors).toEqual([])
})

test('never checks a passkey session, which would prompt', async () => {
  const { signer, leave } = open()
  await signer.authenticate({ type: 'passkey', createNew: false })
  const before = checks()
  await leave(restMs)
  expect(checks()).toBe(before)
  expect(signer.status).toBe('CONNECTED')
})
