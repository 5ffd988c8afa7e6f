import { describe, expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { type AuthEvent, authMachine, initialAuthState } from './authMachine.ts'
import type { AuthState } from './authStep.ts'

const email = 'a@example.com'
const redirectParams = new URLSearchParams({ 'aa-is-signup': 'true' })
const request = { type: 'email', email, redirectParams } as const
const status = (name: Extract<AuthEvent, { type: 'statusChanged' }>['status']): AuthEvent => ({
  type: 'statusChanged',
  status: name,
})
const resumed: AuthEvent = { type: 'statusChanged', status: 'CONNECTED', reason: 'resumed' }
const run = (events: readonly AuthEvent[], from: AuthState = initialAuthState) => events.reduce(authMachine, from)

const submitted: readonly AuthEvent[] = [{ type: 'opened' }, { type: 'submitted', request }, status('AUTHENTICATING')]
const verifying = run([...submitted, status('AWAITING_EMAIL_AUTH')])

test('closes after a sign-in by mail and starts over on the next opening', () => {
  expect(verifying).toEqual({ isOpen: true, step: { type: 'email_verify', request } })
  const done = run([status('AUTHENTICATING'), status('CONNECTED')], verifying)
  expect(done).toEqual({ isOpen: false, step: { type: 'complete' } })
  expect(run([{ type: 'opened' }], done)).toEqual({ ...initialAuthState, isOpen: true })
})

test('shows the address of a signed-in user and keeps a pending step', () => {
  expect(run([{ type: 'opened', email }]).step).toEqual({ type: 'initial', email })
  expect(run([{ type: 'closed' }, { type: 'opened', email: 'other@example.com' }], verifying)).toEqual(verifying)
})

test('waits with the mail notice until the mail was sent', () => {
  expect(run(submitted).step).toEqual({ type: 'initial', request })
})

test('keeps the redirect parameters on Resend and shows Done when the mail was sent', () => {
  const sending = run([{ type: 'resendPressed' }, status('AUTHENTICATING')], verifying)
  expect(sending.step).toEqual({ type: 'email_verify', request, resend: 'sending' })
  const done = run([status('AWAITING_EMAIL_AUTH')], sending)
  expect(done.step).toEqual({ type: 'email_verify', request, resend: 'done' })
  expect(run([{ type: 'resendShown' }], done)).toEqual(verifying)
})

test('leads from a closed prompt or a device without a passkey to Retry or a new account', () => {
  const login = { type: 'passkey', createNew: false } as const
  const none = run([{ type: 'opened' }, { type: 'passkeyAsked', request: login }, { type: 'noPasskeyHere' }])
  expect(none.step).toEqual({ type: 'passkey_verify', request: login, error: { cause: null } })
  expect(run([{ type: 'passkeyAsked', request: login }], none).step).toEqual({ type: 'passkey_verify', request: login })
  expect(run([{ type: 'back' }, { type: 'noPasskeyHere' }], none).step).toEqual({ type: 'initial' })
})

test('opens at the mail that is awaited since before the page was loaded', () => {
  const opened = run([{ type: 'opened', awaitedEmail: email }])
  expect(opened).toEqual({ isOpen: true, step: { type: 'email_verify', request: { type: 'email', email } } })
  const left = run([{ type: 'back' }, { type: 'closed' }, { type: 'opened', awaitedEmail: email }], opened)
  expect(left.step).toMatchObject({ type: 'initial', email })
})

test('shows the error of Resend next to the first mail until the next Resend', () => {
  const waiting = run([{ type: 'opened', awaitedEmail: email }, { type: 'resendPressed' }])
  const refused = run([status('AUTHENTICATING'), { type: 'failed', cause: 'x' }, status('DISCONNECTED')], waiting)
  expect(refused.step).toEqual({ type: 'email_verify', request: { type: 'email', email }, error: { cause: 'x' } })
  expect(run([{ type: 'resendPressed' }], refused).step).toMatchObject({ resend: 'sending' })
  expect(run([{ type: 'resendPressed' }], refused).step).not.toHaveProperty('error')
})

test('returns to the form with error and address after a failure', () => {
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

test('returns to the form without an error after a cancellation', () => {
  expect(run([{ type: 'aborted' }], verifying).step).toEqual({ type: 'initial', email })
  expect(run([{ type: 'aborted' }])).toEqual(initialAuthState)
})

test('ignores the error of an abandoned attempt', () => {
  const left = run([{ type: 'back' }], verifying)
  expect(left.step).toEqual({ type: 'initial', email })
  expect(run([{ type: 'failed', cause: 'late' }], left)).toEqual(left)
})

test('opens for a mail link and closes when connected', () => {
  const completing = run([{ type: 'linkOpened' }])
  expect(completing).toEqual({ isOpen: true, step: { type: 'email_completing', link: 'foreign' } })
  expect(run([status('AUTHENTICATING'), status('CONNECTED')], completing).isOpen).toBe(false)
})

test('returns to the form when a session is not restored, with its error in any order', () => {
  const completing = run([{ type: 'opened' }, status('AUTHENTICATING')])
  expect(run([status('DISCONNECTED')], completing)).toEqual({ ...initialAuthState, isOpen: true })
  const step = { type: 'initial', error: { cause: 'x' } }
  const failed: AuthEvent = { type: 'signerFailed', cause: 'x' }
  expect(run([status('DISCONNECTED'), failed], completing).step).toEqual(step)
  expect(run([failed, status('DISCONNECTED')], completing).step).toEqual(step)
  expect(run([failed])).toEqual(initialAuthState)
})

test('keeps the error of a new sign-in when the earlier session resumes', () => {
  const failed = run([{ type: 'failed', cause: 'x' }], verifying)
  for (const at of [failed, run([{ type: 'back' }], verifying)]) expect(run([resumed], at)).toEqual(at)
  const completing = run([{ type: 'opened' }, status('AUTHENTICATING')])
  expect(run([resumed], completing)).toEqual({ isOpen: true, step: { type: 'initial' } })
})

test('keeps a waiting step and clears an error when closed', () => {
  expect(run([{ type: 'closed' }, { type: 'opened' }], verifying)).toEqual(verifying)
  const failed = run([{ type: 'failed', cause: 'x' }, { type: 'closed' }], verifying)
  expect(failed).toEqual({ isOpen: false, step: { type: 'initial', email } })
})

describe('mail code', () => {
  const sent = status('AWAITING_EMAIL_AUTH')
  const checking = run([{ type: 'codeSubmitted' }, status('AUTHENTICATING')], verifying)

  test('waits while a code is checked', () => {
    expect(checking.step).toEqual({ type: 'email_verify', request, code: { isChecking: true } })
    expect(run([status('CONNECTED')], checking)).toEqual({ isOpen: false, step: { type: 'complete' } })
  })

  test('reports a wrong code, and still accepts another code or the link', () => {
    const refused = run([{ type: 'codeFailed', cause: 'x' }, sent], checking)
    expect(refused.step).toEqual({ type: 'email_verify', request, code: { error: { cause: 'x' } } })
    expect(run([{ type: 'codeSubmitted' }], refused).step).toEqual({
      type: 'email_verify',
      request,
      code: { isChecking: true },
    })
    expect(run([status('CONNECTED')], refused).isOpen).toBe(false)
  })

  test('forgets a refused code after a new mail', () => {
    const refused = run([{ type: 'codeFailed', cause: 'x' }], checking)
    const again = run([{ type: 'resendPressed' }, status('AUTHENTICATING'), sent], refused)
    expect(again.step).toEqual({ type: 'email_verify', request, resend: 'done' })
  })

  test('offers a passkey after a sign-up', () => {
    const signedUp: AuthEvent = {
      type: 'statusChanged',
      status: 'CONNECTED',
      reason: 'signedIn',
      createPasskeyAfter: { email_verify: true },
    }
    expect(run([signedUp], checking)).toEqual({ isOpen: true, step: { type: 'passkey_create' } })
    expect(run([{ ...signedUp, createPasskeyAfter: { email_completing: true } }], checking).isOpen).toBe(false)
    expect(run([{ type: 'closed' }, signedUp], checking)).toEqual({ isOpen: false, step: { type: 'complete' } })
  })
})

describe('a link requested by another browser', () => {
  const cause = new BaseError('Failed to inject credential bundle', { code: 'BUNDLE_INJECTION_FAILED' })
  const failed: AuthEvent = { type: 'signerFailed', cause }
  const completing = run([{ type: 'linkOpened' }, status('AUTHENTICATING')])
  const elsewhere = { isOpen: true, step: { type: 'email_link_failed', reason: 'elsewhere' } }

  test('explains the link in any order of status and error', () => {
    for (const end of [status('DISCONNECTED'), resumed]) {
      expect(run([end, failed], completing)).toEqual(elsewhere)
      expect(run([failed, end], completing)).toEqual(elsewhere)
    }
  })

  test('returns to the form by Back and Close, and closes after a sign-in in another tab', () => {
    const state = run([failed], completing)
    expect(run([{ type: 'back' }], state)).toEqual({ isOpen: true, step: { type: 'initial' } })
    expect(run([{ type: 'closed' }], state)).toEqual(initialAuthState)
    expect(run([status('CONNECTED')], state).isOpen).toBe(false)
  })

  test('shows the error of a link requested here on the form', () => {
    const own = run([{ type: 'linkOpened', wasAskedHere: true }, status('AUTHENTICATING')])
    for (const events of [
      [failed, status('DISCONNECTED')],
      [status('DISCONNECTED'), failed],
    ])
      expect(run(events, own).step).toEqual({ type: 'initial', error: { cause } })
  })

  test('explains an expired or revoked link, and does not blame it for an outage', () => {
    const refused = (status: number): AuthEvent => ({
      type: 'signerFailed',
      cause: new HttpError({ url: 'https://signer.example', status, responseText: '' }),
    })
    for (const wasAskedHere of [true, false]) {
      const from = run([{ type: 'linkOpened', wasAskedHere }, status('AUTHENTICATING')])
      const spent = { isOpen: true, step: { type: 'email_link_failed', reason: 'spent' } }
      expect(run([status('DISCONNECTED'), refused(401)], from)).toEqual(spent)
      expect(run([refused(401), status('DISCONNECTED')], from)).toEqual(spent)
      for (const code of [429, 503]) expect(run([refused(code)], from).step.type).toBe('initial')
    }
  })

  test('shows any other failure of a link or a session on the form', () => {
    const other = new BaseError('x', { code: 'NETWORK_UNREACHABLE' })
    const shown = { type: 'initial', error: { cause: other } }
    expect(run([{ type: 'signerFailed', cause: other }], completing).step).toEqual(shown)
    const restoring = run([{ type: 'opened' }, status('AUTHENTICATING')])
    expect(run([failed], restoring).step).toEqual({ type: 'initial', error: { cause } })
  })
})

describe('a link that only the requesting tab can open', () => {
  const completing = run([{ type: 'linkOpened', wasAskedHere: true }, status('AUTHENTICATING')])
  const adopted: AuthEvent = { type: 'statusChanged', status: 'CONNECTED', reason: 'adopted' }
  const taken = (isSignedInHere: boolean) => ({ isOpen: true, step: { type: 'email_link_taken', isSignedInHere } })

  test('says so, also when the session is shared, and ends when closed', () => {
    const state = run([adopted], completing)
    expect(state).toEqual(taken(true))
    expect(run([{ type: 'closed' }], state)).toEqual({ isOpen: false, step: { type: 'complete' } })
    expect(run([status('DISCONNECTED')], state).step).toEqual({ type: 'initial' })
  })

  test('reports that this tab is not signed in, in any order of status and error', () => {
    const cause = new BaseError('x', { code: 'LINK_HANDED_OVER' })
    const failed: AuthEvent = { type: 'signerFailed', cause }
    expect(run([status('DISCONNECTED'), failed], completing)).toEqual(taken(false))
    expect(run([{ type: 'closed' }], run([failed], completing))).toEqual(initialAuthState)
  })

  test('explains a closed tab and an expired link', () => {
    for (const [code, reason] of [
      ['LINK_TAB_GONE', 'gone'],
      ['LINK_EXPIRED', 'spent'],
    ] as const) {
      const state = run([{ type: 'signerFailed', cause: new BaseError('x', { code }) }], completing)
      expect(state.step).toEqual({ type: 'email_link_failed', reason })
      expect(run([{ type: 'back' }], state).step).toEqual({ type: 'initial' })
    }
  })

  test('offers the passkey of a sign-up in the requesting tab', () => {
    const request = { type: 'email', email: 'ann@example.com' } as const
    const waiting = run([{ type: 'opened' }, { type: 'submitted', request }, status('AWAITING_EMAIL_AUTH')])
    const signedIn: AuthEvent = { type: 'statusChanged', status: 'CONNECTED', reason: 'signedIn' }
    expect(run([{ ...signedIn, createPasskeyAfter: { email_verify: true } }], waiting).step).toEqual({
      type: 'passkey_create',
    })
    expect(run([signedIn], waiting).step).toEqual({ type: 'complete' })
  })
})

describe('passkey', () => {
  const login = { type: 'passkey', createNew: false } as const
  const signup = { type: 'passkey', createNew: true, username: 'a' } as const
  const asked = run([{ type: 'opened' }, { type: 'passkeyAsked', request: login }, status('AUTHENTICATING')])
  const refused = run([{ type: 'failed', cause: 'x' }, status('DISCONNECTED')], asked)

  test('closes when connected', () => {
    expect(asked).toEqual({ isOpen: true, step: { type: 'passkey_verify', request: login } })
    expect(run([status('CONNECTED')], asked)).toEqual({ isOpen: false, step: { type: 'complete' } })
  })

  test('stays at the step with the error, and tries again by Retry or a new passkey', () => {
    expect(refused.step).toEqual({ type: 'passkey_verify', request: login, error: { cause: 'x' } })
    expect(run([{ type: 'passkeyAsked', request: login }], refused)).toEqual(asked)
    const making = run([{ type: 'passkeyAsked', request: signup }], refused)
    expect(making.step).toEqual({ type: 'passkey_verify', request: signup })
    expect(run([status('CONNECTED')], making).isOpen).toBe(false)
  })

  test('returns to the form by Back, cancellation and closing after an error', () => {
    expect(run([{ type: 'back' }], asked)).toEqual({ isOpen: true, step: { type: 'initial' } })
    expect(run([{ type: 'aborted' }], asked).step).toEqual({ type: 'initial' })
    expect(run([{ type: 'closed' }], refused)).toEqual(initialAuthState)
    expect(run([{ type: 'closed' }, { type: 'opened' }], asked)).toEqual(asked)
  })
})

describe('identity provider', () => {
  const option = { type: 'social', provider: 'google' } as const
  const asked = run([{ type: 'opened' }, { type: 'socialAsked', option }, status('AUTHENTICATING')])
  const refused = run([{ type: 'failed', cause: 'x' }], asked)

  test('waits for the window, also behind a closed dialog', () => {
    expect(asked).toEqual({ isOpen: true, step: { type: 'social_verify', option } })
    expect(run([{ type: 'closed' }, { type: 'opened' }], asked)).toEqual(asked)
    expect(run([{ type: 'aborted' }], asked).step).toEqual({ type: 'initial' })
    expect(run([{ type: 'statusChanged', status: 'CONNECTED', reason: 'signedIn' }], asked).step.type).toBe('complete')
  })

  test('stays at the step with the error, and asks again or returns to the form', () => {
    expect(refused.step).toEqual({ type: 'social_verify', option, error: { cause: 'x' } })
    expect(run([{ type: 'socialAsked', option }], refused)).toEqual(asked)
    for (const type of ['back', 'closed'] as const) expect(run([{ type }], refused).step).toEqual({ type: 'initial' })
  })
})

describe('identity provider that does not prove its address', () => {
  const option = { type: 'social', provider: 'google' } as const
  const asked = run([
    { type: 'opened' },
    { type: 'socialAsked', option },
    { type: 'failed', cause: 'x' },
    { type: 'socialLinkAsked', option, request },
    status('AWAITING_EMAIL_AUTH'),
  ])
  const signedIn: AuthEvent = { type: 'statusChanged', status: 'CONNECTED', reason: 'signedIn' }
  const offered = run([signedIn], asked)

  test('offers the provider after the sign-in by email', () => {
    expect(asked.step).toEqual({ type: 'email_verify', request, addAfter: option })
    expect(offered).toEqual({ isOpen: true, step: { type: 'social_add', option } })
    const adding = run([{ type: 'addPressed' }], offered)
    expect(adding.step).toEqual({ type: 'social_add', option, isAdding: true })
    const failed = run([{ type: 'addFailed', cause: 'x' }], adding)
    expect(failed.step).toEqual({ type: 'social_add', option, error: { cause: 'x' } })
    const cause = new BaseError('Given up.', { code: 'ABORTED' })
    expect(run([{ type: 'addFailed', cause }], adding)).toEqual(offered)
    for (const type of ['added', 'skipped'] as const) expect(run([{ type }], adding).step.type).toBe('complete')
  })

  test('offers nothing once the dialog was closed', () => {
    expect(run([{ type: 'closed' }, { type: 'opened' }, signedIn], asked).step.type).toBe('complete')
  })
})

describe('passkey after a sign-up', () => {
  const completing = run([{ type: 'linkOpened' }, status('AUTHENTICATING')])
  const signedUp: AuthEvent = {
    type: 'statusChanged',
    status: 'CONNECTED',
    reason: 'signedIn',
    createPasskeyAfter: { email_completing: true },
  }
  const offered = run([signedUp], completing)
  const complete = { isOpen: false, step: { type: 'complete' } }

  test('leads from completing to the offer, and from adding to complete', () => {
    expect(completing.step).toEqual({ type: 'email_completing', link: 'foreign' })
    expect(offered).toEqual({ isOpen: true, step: { type: 'passkey_create' } })
    const adding = run([{ type: 'addPressed' }, status('CONNECTED')], offered)
    expect(adding.step).toEqual({ type: 'passkey_create', isAdding: true })
    expect(run([{ type: 'added' }], adding)).toEqual(complete)
  })

  test('completes by Skip, by closing and with a closed dialog', () => {
    expect(run([{ type: 'skipped' }], offered)).toEqual(complete)
    expect(run([{ type: 'closed' }], offered)).toEqual(complete)
    expect(run([{ type: 'closed' }, signedUp], completing)).toEqual(complete)
  })

  test('stays at the offer after a failure and can try again', () => {
    const failed = run([{ type: 'addPressed' }, { type: 'addFailed', cause: 'x' }], offered)
    expect(failed.step).toEqual({ type: 'passkey_create', error: { cause: 'x' } })
    expect(run([{ type: 'addPressed' }], failed).step).toEqual({ type: 'passkey_create', isAdding: true })
  })

  describe('after an old sign-in', () => {
    const refused = run([{ type: 'addPressed' }, { type: 'addFailed', cause: 'x' }], offered)
    const asked = run([{ type: 'signInAsked', email }], refused)
    const mailed = [{ type: 'submitted', request }, status('AUTHENTICATING'), status('AWAITING_EMAIL_AUTH')] as const

    test('leads to the form with the address, and by mail back to the offer', () => {
      expect(asked).toEqual({ isOpen: true, step: { type: 'initial', email, createPasskeyAfter: true } })
      for (const events of [mailed, [...mailed, { type: 'resendPressed' }, status('AWAITING_EMAIL_AUTH')] as const])
        expect(run([...events, status('CONNECTED')], asked)).toEqual(offered)
    })

    test('keeps the way to the offer after a failure and Back, and drops it when closed', () => {
      for (const events of [[{ type: 'failed', cause: 'x' }], [{ type: 'back' }], [{ type: 'aborted' }]] as const)
        expect(run([...mailed, ...events, ...mailed, status('CONNECTED')], asked)).toEqual(offered)
      for (const events of [[], mailed]) {
        const closed = run([...events, { type: 'closed' }, { type: 'aborted' }], asked)
        expect(closed).toEqual({ isOpen: false, step: { type: 'initial', email } })
      }
    })

    test('skips the offer after a sign-in by passkey', () => {
      const events = [
        { type: 'passkeyAsked', request: { type: 'passkey', createNew: false } },
        status('CONNECTED'),
      ] as const
      expect(run(events, asked)).toEqual(complete)
    })
  })

  test('ignores late results, and returns to the form after signing out', () => {
    const left = run([{ type: 'addPressed' }, { type: 'closed' }], offered)
    for (const late of [{ type: 'added' }, { type: 'addFailed', cause: 'x' }, { type: 'skipped' }] as const)
      expect(run([late], left)).toEqual(complete)
    expect(run([status('DISCONNECTED')], offered).step).toEqual({ type: 'initial' })
  })
})
