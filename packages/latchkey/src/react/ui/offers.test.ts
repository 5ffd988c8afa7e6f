import { describe, expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { PasskeyParameters } from '../../signer/AuthParameters.ts'
import { type AuthEvent, authMachine, initialAuthState } from './authMachine.ts'
import type { AuthState } from './authStep.ts'

const email = 'a@example.com'
const status = (name: Extract<AuthEvent, { type: 'statusChanged' }>['status']): AuthEvent => ({
  type: 'statusChanged',
  status: name,
})
const run = (events: readonly AuthEvent[], from: AuthState = initialAuthState) => events.reduce(authMachine, from)

describe('recovery after a sign-up by passkey', () => {
  const ask = (request: PasskeyParameters) => run([{ type: 'opened' }, { type: 'passkeyAsked', request }])
  const signup = { type: 'passkey', createNew: true, username: 'a' } as const
  const signedIn = { type: 'statusChanged', status: 'CONNECTED', reason: 'signedIn', askRecoveryAfter: true } as const
  const offered = run([signedIn], ask(signup))
  const complete = { isOpen: false, step: { type: 'complete' } }

  test('completes by adding an address or a passkey', () => {
    expect(offered).toEqual({ isOpen: true, step: { type: 'recovery_create' } })
    const mailing = run([{ type: 'addPressed', email }, status('CONNECTED')], offered)
    expect(mailing.step).toEqual({ type: 'recovery_create', email, adding: 'email' })
    const prompted = run([{ type: 'addPressed' }], offered)
    expect(prompted.step).toEqual({ type: 'recovery_create', adding: 'passkey' })
    for (const adding of [mailing, prompted]) expect(run([{ type: 'added' }], adding)).toEqual(complete)
  })

  test('completes by Skip and by closing, and ignores late results', () => {
    for (const from of [offered, run([{ type: 'addPressed', email }], offered)])
      for (const end of [{ type: 'skipped' }, { type: 'closed' }] as const)
        for (const late of [{ type: 'added' }, { type: 'addFailed', cause: 'x' }] as const)
          expect(run([end, late], from)).toEqual(complete)
    expect(run([status('DISCONNECTED')], offered).step).toEqual({ type: 'initial' })
  })

  const fail = (cause: unknown, from = offered) =>
    run(
      [
        { type: 'addPressed', email },
        { type: 'addFailed', cause },
      ],
      from,
    )

  test('shows an error and keeps the address; a cancelled wait is no error', () => {
    const failed = fail('x')
    expect(failed.step).toEqual({ type: 'recovery_create', email, error: { cause: 'x' } })
    expect(run([{ type: 'addPressed' }], failed).step).toEqual({ type: 'recovery_create', email, adding: 'passkey' })
    const left = fail(new BaseError('x', { code: 'ABORTED' }), failed)
    expect(left.step).toEqual({ type: 'recovery_create', email })
  })

  test('renews an old sign-in by passkey and returns to the question', () => {
    const request = { type: 'passkey', createNew: false } as const
    const renewing = run([{ type: 'passkeyAsked', request }], fail('too old'))
    const question = { type: 'recovery_create', email }
    expect(renewing.step).toEqual({ type: 'passkey_verify', request, recovery: question })
    const failed = run([{ type: 'failed', cause: 'x' }], renewing)
    const retried = run([{ type: 'passkeyAsked', request }], failed)
    const authenticating = [status('AUTHENTICATING'), signedIn] as const
    for (const from of [renewing, retried]) expect(run(authenticating, from)).toEqual({ isOpen: true, step: question })
    expect(run([{ type: 'back' }], failed)).toEqual({ isOpen: true, step: question })
    expect(run([{ type: 'closed' }], failed).step).toEqual({ type: 'initial' })
  })

  test('asks only after a sign-up here, with the option and an open dialog', () => {
    const { askRecoveryAfter: _, ...unasked } = signedIn
    expect(run([signedIn], ask({ type: 'passkey', createNew: false }))).toEqual(complete)
    expect(run([unasked], ask(signup))).toEqual(complete)
    expect(run([{ type: 'closed' }, signedIn], ask(signup))).toEqual(complete)
    for (const reason of ['adopted', 'restored'] as const)
      expect(run([{ ...signedIn, reason }], ask(signup)).step.type).toBe('complete')
    const waiting = [{ type: 'submitted', request: { type: 'email', email } }, status('AWAITING_EMAIL_AUTH')] as const
    expect(run([{ type: 'opened' }, ...waiting, signedIn])).toEqual(complete)
    expect(run([{ type: 'skipped' }, { type: 'opened' }], offered).step).toEqual({ type: 'initial' })
  })
})

describe('a backup key', () => {
  const owner = { type: 'MultiOwnerLightAccount' } as const
  const signup = { type: 'email', email } as const
  const mailed = run([{ type: 'opened' }, { type: 'submitted', request: signup }, status('AWAITING_EMAIL_AUTH')])
  const signedIn = { type: 'statusChanged', status: 'CONNECTED', reason: 'signedIn' } as const
  const addOwnerAfter = { email_verify: owner } as const
  const offer = { isOpen: true, step: { type: 'owner_create', owner, isSignup: true } }

  test('is offered after a sign-up, by itself and after the offer of a passkey', () => {
    expect(run([{ ...signedIn, addOwnerAfter }], mailed)).toEqual(offer)
    const both = { ...signedIn, addOwnerAfter, createPasskeyAfter: { email_verify: true } }
    const passkey = run([both], mailed)
    expect(passkey.step).toMatchObject({ type: 'passkey_create' })
    const retried = run([{ type: 'addPressed' }, { type: 'addFailed', cause: 'x' }, { type: 'addPressed' }], passkey)
    for (const from of [passkey, retried])
      for (const end of ['added', 'skipped'] as const) expect(run([{ type: end }], from)).toEqual(offer)
    expect(run([{ type: 'closed' }], passkey).step).toEqual({ type: 'complete' })
  })

  test('is not offered after a sign-in, a restored session or a closed dialog', () => {
    expect(run([{ ...signedIn, addOwnerAfter: {} }], mailed).step).toEqual({ type: 'complete' })
    expect(run([{ ...signedIn, reason: 'restored', addOwnerAfter }], mailed).step.type).toBe('complete')
    expect(run([{ type: 'closed' }, { ...signedIn, addOwnerAfter }], mailed).step).toEqual({ type: 'complete' })
  })

  test('opens at any time, and its end is not a sign-in', () => {
    const asked = run([{ type: 'ownerAsked', owner }])
    expect(asked).toEqual({ isOpen: true, step: { type: 'owner_create', owner, isSignup: false } })
    for (const end of ['closed', 'skipped'] as const)
      expect(run([{ type: end }], asked)).toEqual({ isOpen: false, step: { type: 'complete', isRestored: true } })
    expect(run([status('DISCONNECTED')], asked).step).toEqual({ type: 'initial' })
  })
})
