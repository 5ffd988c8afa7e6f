import { describe, expect, test } from 'vitest'
import { type AuthEvent, type AuthState, authMachine, initialAuthState } from './authMachine.ts'

const email = 'a@example.com'
const redirectParams = new URLSearchParams({ 'aa-is-signup': 'true' })
const request = { type: 'email', email, redirectParams } as const
const status = (name: Extract<AuthEvent, { type: 'statusChanged' }>['status']): AuthEvent => ({
  type: 'statusChanged',
  status: name,
})
const run = (events: readonly AuthEvent[], from: AuthState = initialAuthState) => events.reduce(authMachine, from)

const submitted: readonly AuthEvent[] = [{ type: 'opened' }, { type: 'submitted', request }, status('AUTHENTICATING')]
const verifying = run([...submitted, status('AWAITING_EMAIL_AUTH')])

describe('authMachine', () => {
  test('default: e-mail submitted, mail sent, connected: the dialog closes and the next opening starts anew', () => {
    expect(verifying).toEqual({ isOpen: true, step: { type: 'email_verify', request } })
    const done = run([status('AUTHENTICATING'), status('CONNECTED')], verifying)
    expect(done).toEqual({ isOpen: false, step: { type: 'complete' } })
    expect(run([{ type: 'opened' }], done)).toEqual({ ...initialAuthState, isOpen: true })
  })

  test('behavior: the page does not say that a mail was sent before it was', () => {
    expect(run(submitted).step).toEqual({ type: 'initial', request })
  })

  test('behavior: resend keeps the redirect parameters, says done when the second mail has left, then rests', () => {
    const sending = run([{ type: 'resendPressed' }, status('AUTHENTICATING')], verifying)
    expect(sending.step).toEqual({ type: 'email_verify', request, resend: 'sending' })
    const done = run([status('AWAITING_EMAIL_AUTH')], sending)
    expect(done.step).toEqual({ type: 'email_verify', request, resend: 'done' })
    expect(run([{ type: 'resendShown' }], done)).toEqual(verifying)
  })

  test('error: while submitting, waiting or completing leads back to the form with the error and the address', () => {
    const cause = new Error('no')
    for (const from of [run(submitted), verifying])
      expect(run([{ type: 'failed', cause }], from)).toEqual({
        isOpen: true,
        step: { type: 'initial', email, error: { cause } },
      })
    expect(run([{ type: 'linkOpened' }, { type: 'failed', cause }])).toEqual({
      isOpen: true,
      step: { type: 'initial', error: { cause } },
    })
  })

  test('behavior: an attempt called off leads back to the form without an error', () => {
    expect(run([{ type: 'aborted' }], verifying).step).toEqual({ type: 'initial', email })
    expect(run([{ type: 'aborted' }])).toEqual(initialAuthState)
  })

  test('error: of an attempt the user has left is not shown', () => {
    const left = run([{ type: 'back' }], verifying)
    expect(left.step).toEqual({ type: 'initial', email })
    expect(run([{ type: 'failed', cause: 'late' }], left)).toEqual(left)
  })

  test('behavior: a mail link opens the dialog on completing, and connecting closes it', () => {
    const completing = run([{ type: 'linkOpened' }])
    expect(completing).toEqual({ isOpen: true, step: { type: 'email_completing' } })
    expect(run([status('AUTHENTICATING'), status('CONNECTED')], completing).isOpen).toBe(false)
  })

  test('behavior: opened by hand while a session is restored shows completing', () => {
    expect(run([{ type: 'opened' }, status('AUTHENTICATING')]).step).toEqual({ type: 'email_completing' })
  })

  test('behavior: a session that is not restored leads from completing to the form; its error, before or after, shows', () => {
    const completing = run([{ type: 'opened' }, status('AUTHENTICATING')])
    expect(run([status('DISCONNECTED')], completing)).toEqual({ ...initialAuthState, isOpen: true })
    const step = { type: 'initial', error: { cause: 'x' } }
    const failed: AuthEvent = { type: 'signerFailed', cause: 'x' }
    expect(run([status('DISCONNECTED'), failed], completing).step).toEqual(step)
    expect(run([failed, status('DISCONNECTED')], completing).step).toEqual(step)
    expect(run([failed])).toEqual(initialAuthState)
  })

  test('behavior: a restored session with the dialog at rest is not a sign-in', () => {
    expect(run([status('INITIALIZING'), status('AUTHENTICATING'), status('CONNECTED')])).toEqual(initialAuthState)
  })

  test('behavior: a form open while another tab signs in closes', () => {
    expect(run([{ type: 'opened' }, status('CONNECTED')])).toEqual({ isOpen: false, step: { type: 'complete' } })
  })

  test('behavior: closing keeps a waiting step, forgets an error', () => {
    expect(run([{ type: 'closed' }, { type: 'opened' }], verifying)).toEqual(verifying)
    const failed = run([{ type: 'failed', cause: 'x' }, { type: 'closed' }], verifying)
    expect(failed).toEqual({ isOpen: false, step: { type: 'initial', email } })
  })

  test('behavior: signing out after a sign-in rests at the form', () => {
    expect(run([status('CONNECTED'), status('DISCONNECTED')], verifying)).toEqual(initialAuthState)
  })
})
