import { describe, expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { PasskeyParameters } from '../../signer/AuthParameters.ts'
import { type AuthEvent, type AuthState, authMachine, initialAuthState } from './authMachine.ts'

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
