import { type Script, startScript, type Tab } from '@latchkey/testkit/signer/startScript'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { AuthParameters, Signer, SignerStatus } from './types.ts'

// Several tabs share one storage and act in any order while the public API is checked at every step.

const seed = Number(process.env.LATCHKEY_SEED)
console.info(`signer model: LATCHKEY_SEED=${seed}`)

const tabCount = 3
const requests: readonly AuthParameters[] = [
  { type: 'email', email: 'ann@example.com' },
  { type: 'email', bundle: 'bundle', orgId: 'org' },
  { type: 'email', bundle: 'another', orgId: 'org' },
  { type: 'email', code: '123456' },
  { type: 'passkey', createNew: false },
  { type: 'passkey', createNew: true, username: 'ann' },
]
type Move =
  | { do: 'sign in'; tab: number; request: AuthParameters }
  | { do: 'abort' | 'reload' | 'disconnect' | 'sign'; tab: number }
  /** Waits for some turns of the event loop. */
  | { do: 'wait'; turns: number }
  | { do: 'tamper'; text: string }
  | { do: 'outage'; isOn: boolean }

const tab = fc.nat(tabCount - 1)
const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant('sign in' as const), tab, request: fc.constantFrom(...requests) }),
  fc.record({ do: fc.constantFrom('abort' as const, 'reload' as const, 'disconnect' as const, 'sign' as const), tab }),
  fc.record({ do: fc.constant('wait' as const), turns: fc.constantFrom(1, 5, 50) }),
  fc.record({
    do: fc.constant('tamper' as const),
    text: fc.constantFrom('{', '{"state":{"session":{"type":"email"}}}'),
  }),
  fc.record({ do: fc.constant('outage' as const), isOn: fc.boolean() }),
)

type Live = { tab: Tab; abort: AbortController }

const reached = new Set<SignerStatus>()

/** Checks what must hold at every moment, also during an event. */
function check(signer: Signer): void {
  const isConnected = signer.status === 'CONNECTED'
  expect([signer.user !== null, signer.expiresAt !== null]).toEqual([isConnected, isConnected])
}

function openTab(script: Script): Live {
  const made = script.open()
  const { signer } = made
  const last: { status?: SignerStatus } = {}
  signer.on('statusChanged', (status, reason) => {
    expect(status).not.toBe(last.status)
    expect(reason !== undefined).toBe(status === 'CONNECTED')
    last.status = status
    reached.add(status)
    check(signer)
  })
  signer.on('connected', (user) => {
    check(signer)
    expect(user).toEqual(signer.user)
  })
  signer.on('disconnected', () => expect([signer.status, signer.user]).toEqual(['DISCONNECTED', null]))
  signer.on('error', () => check(signer))
  return { tab: made, abort: new AbortController() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function move(script: Script, lives: Live[], calls: Set<Promise<unknown>>, made: Move): Promise<void> {
  if (made.do === 'wait') {
    for (let turns = 0; turns < made.turns; turns++) await turn()
    return
  }
  if (made.do === 'tamper') return void script.storage.set('alchemy-signer-session', made.text)
  if (made.do === 'outage') {
    const paths = ['whoami', 'lookup', 'signup'].map((name) => `/signer/v1/${name}`)
    for (const path of paths) script.reply(path, made.isOn ? { status: 500, body: {} } : 'usual')
    return
  }
  const live = lives[made.tab] as Live
  const { signer } = live.tab
  const track = (call: Promise<unknown>) =>
    calls.add(call.catch((error: { code?: string }) => expect(error.code).toBeDefined()))
  if (made.do === 'sign in') track(signer.authenticate({ ...made.request, signal: live.abort.signal }))
  else if (made.do === 'sign') track(signer.signMessage('hello'))
  else if (made.do === 'disconnect') track(signer.disconnect())
  else if (made.do === 'abort') {
    live.abort.abort()
    live.abort = new AbortController()
  } else {
    signer.destroy()
    lives[made.tab] = openTab(script)
  }
}

test('has a user only while connected, ends every call, and keeps the tabs consistent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moves, { minLength: 1, maxLength: 14 }), async (life) => {
      const script = await startScript()
      const calls = new Set<Promise<unknown>>()
      const lives = Array.from({ length: tabCount }, () => openTab(script))
      for (const made of life) {
        await move(script, lives, calls, made)
        for (const { tab: at } of lives) check(at.signer)
      }
      await move(script, lives, calls, { do: 'outage', isOn: false })
      const isBusy = ({ tab: at }: Live) =>
        !['CONNECTED', 'DISCONNECTED', 'AWAITING_EMAIL_AUTH'].includes(at.signer.status)
      await vi.waitUntil(() => !lives.some(isBusy), { timeout: 60_000 })
      // Calls that wait for a mail are cancelled first.
      for (const { abort } of lives) abort.abort()
      await Promise.all(calls)
      await vi.waitUntil(() => !lives.some(isBusy), { timeout: 60_000 })
      const users = lives.map(({ tab: at }) => at.signer.user).filter((user) => user !== null)
      for (const user of users) expect(user.userId).toBe(users[0]?.userId)
      for (const { tab: at } of lives) at.signer.destroy()
      await script.close()
    }),
    { seed, numRuns: 60 },
  )
  expect([...reached].sort()).toEqual([
    'AUTHENTICATING',
    'AWAITING_EMAIL_AUTH',
    'CONNECTED',
    'DISCONNECTED',
    'INITIALIZING',
  ])
})
