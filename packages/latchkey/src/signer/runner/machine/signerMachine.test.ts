import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { Session } from '../../session/Session.ts'
import type { SignerStatus } from '../../types.ts'
import { initialState, signerTable, transition } from './signerMachine.ts'
import type { AuthRequest, EventType, Job, MachineEvent, MachineState, Step } from './types.ts'

const user = (email: string) => ({ email, orgId: `org ${email}`, userId: `id ${email}`, address: '0x00' as const })
const session = (email = 'a@x.com', bundle = 'A'): Session => ({
  type: 'email',
  user: user(email),
  bundle,
  expirationDateMs: 1,
})
const passkey: Session = { type: 'passkey', user: user('p@x.com'), expirationDateMs: 1 }
const error = new BaseError('no', { code: 'INTERNAL' })
const call = { id: 1, email: 'a@x.com' }
const job = (kind: Job['kind']): Job => ({ id: 7, kind })
const at = (status: SignerStatus, rest: Partial<MachineState> = {}): MachineState => ({
  ...initialState,
  jobs: 7,
  status,
  ...rest,
})

/** States with data that a wrong transition would lose, by status. */
const states: Record<SignerStatus, MachineState> = {
  INITIALIZING: at('INITIALIZING', { job: job('restore'), session: session() }),
  AUTHENTICATING: at('AUTHENTICATING', { job: job('mail'), call }),
  AWAITING_EMAIL_AUTH: at('AWAITING_EMAIL_AUTH', { call, mailEndsMs: 9 }),
  AWAITING_MFA_AUTH: at('AWAITING_MFA_AUTH', { job: job('oauth'), call }),
  CONNECTED: at('CONNECTED', { session: session(), reason: 'signedIn', live: true }),
  DISCONNECTED: at('DISCONNECTED'),
}
const events: Record<EventType, MachineEvent> = {
  LOADED: { type: 'LOADED', session: session(), link: null },
  AUTHENTICATE: { type: 'AUTHENTICATE', call: { id: 2 }, request: { type: 'email', email: 'b@x.com' } },
  MAIL_SENT: { type: 'MAIL_SENT', job: 7, temporary: { orgId: 'o' }, mailEndsMs: 9 },
  COMPLETED: { type: 'COMPLETED', job: 7, session: session() },
  RESTORED: { type: 'RESTORED', job: 7, session: session() },
  FACTOR: { type: 'FACTOR', job: 7, isAwaited: true },
  FAILED: { type: 'FAILED', job: 7, error, final: true },
  ABORTED: { type: 'ABORTED', call: 1 },
  MAIL_EXPIRED: { type: 'MAIL_EXPIRED' },
  MAIL_DROPPED: { type: 'MAIL_DROPPED' },
  SESSION_CHANGED: { type: 'SESSION_CHANGED', session: null },
  EXPIRED: { type: 'EXPIRED' },
  DISCONNECT: { type: 'DISCONNECT' },
  DESTROY: { type: 'DESTROY' },
}
/** Events that are possible only in a particular state of their status. */
const meantFor: Partial<Record<`${SignerStatus} ${EventType}`, MachineState>> = {
  'INITIALIZING LOADED': initialState,
  'AUTHENTICATING COMPLETED': at('AUTHENTICATING', { job: job('complete'), completing: 3, call }),
  'AUTHENTICATING FACTOR': at('AUTHENTICATING', { job: job('complete'), completing: 3, call }),
  'AUTHENTICATING RESTORED': at('AUTHENTICATING', { job: job('adopt'), call, session: session() }),
}
const say = ({ state, effects }: Step) => [state.status, ...effects.map(({ type }) => type)].join(' ')
const go = (state: MachineState, event: MachineEvent) => say(transition(state, event))

test('follows the published table for every event in every status', async () => {
  const published = readTable(await readFile(new URL('../../README.md', import.meta.url), 'utf8'))
  const walked = Object.fromEntries(
    Object.entries(events).map(([name, event]) => [
      name,
      Object.fromEntries(
        Object.entries(states).map(([status, state]) => [
          status,
          go(meantFor[`${status} ${name}` as keyof typeof meantFor] ?? state, event),
        ]),
      ),
    ]),
  )
  expect(published).toEqual(walked)
  for (const row of Object.values(signerTable)) expect(Object.keys(row).sort()).toEqual(Object.keys(events).sort())
})

/** Parses the table. A cell contains the next status and the effects in order, or `·` for no change. */
function readTable(readme: string): Record<string, Record<string, string>> {
  const section = readme.slice(readme.indexOf('## States'))
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''))
  const [, ...statuses] = cells(lines[0] ?? '')
  const rows = lines.slice(2).map((line) => {
    const [event = '', ...steps] = cells(line)
    const row = statuses.map((status, index) => [status, steps[index] === '·' ? status : (steps[index] ?? '')])
    return [event, Object.fromEntries(row)]
  })
  return Object.fromEntries(rows)
}

test('waits for the second factor of the present job only, and checks it', () => {
  const waiting = at('AWAITING_MFA_AUTH', { job: job('complete'), completing: 3, call })
  expect(go(waiting, { type: 'FACTOR', job: 7, isAwaited: false })).toBe('AUTHENTICATING')
  expect(go(waiting, { type: 'FACTOR', job: 6, isAwaited: false })).toBe('AWAITING_MFA_AUTH')
  expect(go(waiting, events.COMPLETED)).toBe('CONNECTED saveSession clearTemporary resolve resolve')
  // The code's call ends, and the wait for the email goes on.
  expect(go(waiting, events.FAILED)).toBe('AWAITING_EMAIL_AUTH reject')
  expect(go(at('AUTHENTICATING', { job: job('mail'), call }), events.FACTOR)).toBe('AUTHENTICATING')
})

describe('after loading', () => {
  const loaded = (found: Session | null, bundle?: string) =>
    transition(initialState, {
      type: 'LOADED',
      session: found,
      link: bundle === undefined ? null : { type: 'email', bundle },
    })

  test('starts by session and link', () => {
    expect(say(loaded(null))).toBe('DISCONNECTED')
    expect(say(loaded(session()))).toBe('INITIALIZING restore')
    expect(say(loaded(passkey))).toBe('CONNECTED')
    expect(say(loaded(null, 'B'))).toBe('AUTHENTICATING complete')
    expect(say(loaded(session(), 'B'))).toBe('AUTHENTICATING complete')
  })

  test('falls back to the stored session when a link fails, and replaces it when one works', () => {
    const { state } = loaded(session(), 'B')
    const failed = transition(state, { type: 'FAILED', job: state.jobs, error, final: true })
    expect(say(failed)).toBe('INITIALIZING report restore')
    expect(go(failed.state, { type: 'RESTORED', job: failed.state.jobs, session: session() })).toBe('CONNECTED')
    const done = transition(state, { type: 'COMPLETED', job: state.jobs, session: session('b@x.com', 'B') })
    expect(say(done)).toBe('CONNECTED saveSession clearTemporary')
    expect(done.state.session?.user.email).toBe('b@x.com')
  })
})

describe('after a failed sign-in', () => {
  const connected = states.CONNECTED
  const ask = (request: Extract<MachineEvent, { type: 'AUTHENTICATE' }>['request']) =>
    transition(connected, { type: 'AUTHENTICATE', call, request }).state

  test('keeps the session when a mail cannot be sent', () => {
    const { state, effects } = transition(ask({ type: 'email', email: 'b@x.com' }), {
      type: 'FAILED',
      job: 8,
      error,
      final: false,
    })
    expect(say({ state, effects })).toBe('CONNECTED reject')
    expect(state.session).toEqual(connected.session)
  })

  test('restores the old bundle after another one went to the frame', () => {
    const step = transition(ask({ type: 'email', bundle: 'B' }), { type: 'FAILED', job: 8, error, final: true })
    expect(say(step)).toBe('INITIALIZING reject restore')
  })

  test('clears a restored session only when it was refused', () => {
    const fail = (kind: Job['kind'], final: boolean) =>
      go({ ...states.INITIALIZING, job: job(kind) }, { type: 'FAILED', job: 7, error, final })
    expect(fail('restore', true)).toBe('DISCONNECTED clearSession report')
    expect(fail('restore', false)).toBe('DISCONNECTED report')
    expect(fail('resume', true)).toBe('DISCONNECTED clearSession report')
    expect(fail('resume', false)).toBe('DISCONNECTED report')
    expect(fail('adopt', true)).toBe('DISCONNECTED report')
  })
})

describe('reason of a session', () => {
  const reason = ({ state }: Step) => [state.status, state.reason]
  const restore = ({ state }: Step) => transition(state, { type: 'RESTORED', job: state.jobs, session: session() })
  const fail = ({ state }: Step) => transition(state, { type: 'FAILED', job: state.jobs, error, final: true })

  test('is restored, signedIn or adopted', () => {
    for (const found of [session(), passkey]) {
      const loaded = transition(initialState, { type: 'LOADED', session: found, link: null })
      expect(reason(found.type === 'email' ? restore(loaded) : loaded)).toEqual(['CONNECTED', 'restored'])
      const adopted = transition(states.DISCONNECTED, { type: 'SESSION_CHANGED', session: found })
      expect(reason(found.type === 'email' ? restore(adopted) : adopted)).toEqual(['CONNECTED', 'adopted'])
    }
    const completing = at('AUTHENTICATING', { job: job('complete'), completing: 3 })
    expect(reason(transition(completing, events.COMPLETED))).toEqual(['CONNECTED', 'signedIn'])
    const asked = transition(states.AWAITING_EMAIL_AUTH, { type: 'SESSION_CHANGED', session: session() })
    expect(reason(restore(asked))).toEqual(['CONNECTED', 'adopted'])
  })

  test('is resumed after a failed or cancelled sign-in, or a failed link', () => {
    const ask = (request: AuthRequest) => transition(states.CONNECTED, { type: 'AUTHENTICATE', call, request })
    const mail = ask({ type: 'email', email: 'b@x.com' })
    expect(reason(mail)).toEqual(['AUTHENTICATING', null])
    expect(reason(fail(mail))).toEqual(['CONNECTED', 'resumed'])
    expect(reason(transition(mail.state, { type: 'ABORTED', call: call.id }))).toEqual(['CONNECTED', 'resumed'])
    const bundle = fail(ask({ type: 'email', bundle: 'B' }))
    expect(reason(bundle)).toEqual(['INITIALIZING', null])
    expect(reason(restore(bundle))).toEqual(['CONNECTED', 'resumed'])
    for (const found of [session(), passkey]) {
      const link = { type: 'email', bundle: 'B' } as const
      const failed = fail(transition(initialState, { type: 'LOADED', session: found, link }))
      expect(reason(found.type === 'email' ? restore(failed) : failed)).toEqual(['CONNECTED', 'resumed'])
    }
  })
})

describe('by passkey', () => {
  const ask = (state: MachineState) =>
    transition(state, { type: 'AUTHENTICATE', call: { id: 2 }, request: { type: 'passkey', createNew: false } })
  const end = (state: MachineState) => transition(state, { type: 'COMPLETED', job: state.jobs, session: passkey })

  test('prompts from every status, then connects, and keeps a sent mail valid', () => {
    expect(say(ask(states.INITIALIZING))).toBe('AUTHENTICATING usePasskey')
    expect(say(ask(states.DISCONNECTED))).toBe('AUTHENTICATING usePasskey')
    expect(say(ask(states.AUTHENTICATING))).toBe('AUTHENTICATING reject usePasskey')
    expect(say(ask(states.AWAITING_EMAIL_AUTH))).toBe('AUTHENTICATING reject usePasskey')
    const done = end(ask(states.DISCONNECTED).state)
    expect(say(done)).toBe('CONNECTED saveSession resolve')
    expect(done.state).toMatchObject({ session: passkey, live: true, job: null, call: null })
  })

  test('closes the frame of an email session that a passkey replaces', () => {
    expect(say(end(ask(states.CONNECTED).state))).toBe('CONNECTED saveSession closeFrame resolve')
    expect(go(states.CONNECTED, { type: 'SESSION_CHANGED', session: passkey })).toBe('CONNECTED closeFrame')
  })

  test('keeps every session after a refused prompt', () => {
    const fail = ({ state }: Step) => go(state, { type: 'FAILED', job: state.jobs, error, final: true })
    expect(fail(ask(states.DISCONNECTED))).toBe('DISCONNECTED reject')
    expect(fail(ask(states.CONNECTED))).toBe('CONNECTED reject')
    expect(fail(ask(at('CONNECTED', { session: passkey, live: true })))).toBe('CONNECTED reject')
  })
})

describe('after a sign-in in another tab', () => {
  const change = (state: MachineState, found: Session) => transition(state, { type: 'SESSION_CHANGED', session: found })

  test('opens the bundle in the requesting tab and resolves its call', () => {
    for (const status of ['AWAITING_EMAIL_AUTH', 'AUTHENTICATING'] as const) {
      const adopting = change(states[status], session())
      expect(say(adopting)).toBe('AUTHENTICATING restore')
      const event: MachineEvent = { type: 'RESTORED', job: adopting.state.jobs, session: session() }
      expect(go(adopting.state, event)).toBe('CONNECTED resolve')
      expect(go(adopting.state, { type: 'SESSION_CHANGED', session: null })).toBe('DISCONNECTED reject closeFrame')
    }
  })

  test('rejects the requested sign-in when another user signed in there', () => {
    const { state, effects } = change(states.AWAITING_EMAIL_AUTH, session('b@x.com', 'B'))
    expect(say({ state, effects })).toBe('INITIALIZING reject restore')
    expect(effects[0]).toMatchObject({ call: 1, error: { code: 'SUPERSEDED' } })
  })

  test('replaces a passkey prompt, which is for another user', () => {
    const prompting = at('AUTHENTICATING', { job: job('passkey'), call: { id: 1 } })
    expect(say(change(prompting, passkey))).toBe('CONNECTED reject')
    expect(say(change(prompting, session()))).toBe('INITIALIZING reject restore')
  })

  test('changes only the expiry of the same session', () => {
    const later = { ...session(), expirationDateMs: 99 } as Session
    const step = change(states.CONNECTED, later)
    expect(say(step)).toBe('CONNECTED')
    expect(step.state.session?.expirationDateMs).toBe(99)
    expect(say(change(states.INITIALIZING, later))).toBe('INITIALIZING')
  })

  test('adopts another session from every status', () => {
    const other = session('b@x.com', 'B')
    expect(say(change(states.CONNECTED, other))).toBe('INITIALIZING restore')
    expect(say(change(states.DISCONNECTED, other))).toBe('INITIALIZING restore')
    expect(say(change(states.INITIALIZING, other))).toBe('INITIALIZING restore')
    const own = at('AUTHENTICATING', { job: job('complete'), call })
    expect(say(change(own, other))).toBe('AUTHENTICATING')
    expect(say(change(initialState, other))).toBe('INITIALIZING')
  })

  test('drops only the fallback session while it waits for a mail', () => {
    const waiting = at('AWAITING_EMAIL_AUTH', { call, session: session(), live: true })
    const { state } = transition(waiting, { type: 'SESSION_CHANGED', session: null })
    expect(state).toMatchObject({ status: 'AWAITING_EMAIL_AUTH', session: null, live: false, call })
  })
})

test('ignores the result of an outdated job', () => {
  for (const type of ['MAIL_SENT', 'COMPLETED', 'RESTORED', 'FAILED'] as const) {
    for (const state of Object.values(states)) {
      const step = transition(state, { ...events[type], job: 6 } as MachineEvent)
      expect(step).toEqual({ state, effects: [] })
    }
  }
})

describe('while a mail is awaited', () => {
  const waiting = states.AWAITING_EMAIL_AUTH
  const ask = (request: Extract<MachineEvent, { type: 'AUTHENTICATE' }>['request'], email?: string) =>
    transition(waiting, { type: 'AUTHENTICATE', call: { id: 2, email }, request })
  const bring = (state = waiting) =>
    transition(state, { type: 'AUTHENTICATE', call: { id: 2 }, request: { type: 'email', code: '123456' } })

  test('joins calls for the same address and supersedes calls for another', () => {
    const same = ask({ type: 'email', email: 'A@x.com' }, 'A@x.com')
    expect(same.effects).toEqual([{ type: 'join', call: 1, to: 2 }, expect.objectContaining({ type: 'sendMail' })])
    const other = ask({ type: 'email', email: 'b@x.com' }, 'b@x.com')
    expect(other.effects[0]).toMatchObject({ type: 'reject', call: 1, error: { code: 'SUPERSEDED' } })
  })

  test('ends only the call of a wrong code, and both calls with a right one', () => {
    const { state, effects } = bring()
    expect(say({ state, effects })).toBe('AUTHENTICATING complete')
    const wrong = transition(state, { type: 'FAILED', job: state.jobs, error, final: true })
    expect(say(wrong)).toBe('AWAITING_EMAIL_AUTH reject')
    expect(wrong.effects[0]).toMatchObject({ call: 2 })
    expect(wrong.state).toMatchObject({ call, completing: null, mailEndsMs: 9 })
    const right = transition(bring(wrong.state).state, { type: 'COMPLETED', job: 9, session: session() })
    expect(right.effects.filter(({ type }) => type === 'resolve')).toMatchObject([{ call: 2 }, { call: 1 }])
  })

  test('rejects the waiting call when the code belongs to another user', () => {
    const { state } = bring()
    const done = transition(state, { type: 'COMPLETED', job: state.jobs, session: session('b@x.com', 'B') })
    expect(done.effects).toMatchObject([
      { type: 'saveSession' },
      { type: 'clearTemporary' },
      { type: 'resolve', call: 2 },
      { type: 'reject', call: 1, error: { code: 'SUPERSEDED' } },
    ])
  })

  test('tries a code while another mail is requested, in any order', () => {
    const request = { type: 'email', email: 'A@x.com' } as const
    const temporary = { orgId: 'o', otpId: 'new' }
    const asked = ask(request, request.email).state
    const { state, effects } = bring(asked)
    expect(say({ state, effects })).toBe('AUTHENTICATING complete')
    expect(state).toMatchObject({ sending: asked.jobs, call: { id: 2 } })
    const mailSent = { type: 'MAIL_SENT', job: asked.jobs, temporary, mailEndsMs: 20 } as const
    const wrong = { type: 'FAILED', job: state.jobs, error, final: true } as const
    const sent = transition(state, mailSent)
    expect(say(sent)).toBe('AUTHENTICATING saveTemporary')
    expect(say(transition(sent.state, wrong))).toBe('AWAITING_EMAIL_AUTH reject')
    const refused = transition(state, wrong)
    expect(say(refused)).toBe('AUTHENTICATING reject')
    expect(refused.effects).toMatchObject([{ call: 2 }])
    expect(go(refused.state, mailSent)).toBe('AWAITING_EMAIL_AUTH saveTemporary')
    const unsent = transition(state, { type: 'FAILED', job: asked.jobs, error, final: true })
    expect(unsent.effects).toMatchObject([{ type: 'reject', call: 2 }])
    expect(go(unsent.state, wrong)).toBe('DISCONNECTED reject')
    const right = { type: 'COMPLETED', job: state.jobs, session: session() } as const
    const done = transition(state, right)
    expect(done.state).toMatchObject({ status: 'CONNECTED', sending: null })
    expect(go(done.state, mailSent)).toBe('CONNECTED')
  })

  test('replaces a requested mail by a link, also next to a code', () => {
    const asked = ask({ type: 'email', email: 'b@x.com' }, 'b@x.com').state
    const typed = transition(asked, { type: 'AUTHENTICATE', call: { id: 3 }, request: { type: 'email', code: '1' } })
    for (const [state, superseded] of [[asked, [2]] as const, [typed.state, [3, 2]] as const]) {
      const opened = transition(state, {
        type: 'AUTHENTICATE',
        call: { id: 4 },
        request: { type: 'email', bundle: 'B' },
      })
      const rejected = superseded.map((id) => ({ type: 'reject', call: id, error: { code: 'SUPERSEDED' } }))
      expect(opened.effects).toMatchObject([...rejected, { type: 'complete' }])
      expect(go(opened.state, { type: 'ABORTED', call: 4 })).toBe('DISCONNECTED reject')
    }
  })

  test('ends when the caller cancels and when the link expires', () => {
    expect(transition(waiting, { type: 'ABORTED', call: 1 }).effects).toMatchObject([{ error: { code: 'ABORTED' } }])
    expect(go(waiting, { type: 'ABORTED', call: 5 })).toBe('AWAITING_EMAIL_AUTH')
    const late = transition(waiting, { type: 'MAIL_EXPIRED' })
    expect(late.effects).toMatchObject([{ call: 1, error: { code: 'LINK_EXPIRED' } }])
    const signedIn = { ...waiting, session: session(), live: true }
    expect(go(signedIn, { type: 'MAIL_EXPIRED' })).toBe('CONNECTED reject')
  })

  test('lets the caller of the code and the caller of the mail cancel', () => {
    const { state } = bring()
    expect(go(state, { type: 'ABORTED', call: 2 })).toBe('AWAITING_EMAIL_AUTH reject')
    const alone = transition(state, { type: 'ABORTED', call: 1 })
    expect(say(alone)).toBe('AUTHENTICATING reject')
    expect(go(alone.state, { type: 'COMPLETED', job: 8, session: session() })).toBe(
      'CONNECTED saveSession clearTemporary resolve',
    )
    expect(go(alone.state, { type: 'FAILED', job: 8, error, final: true })).toBe('DISCONNECTED reject')
  })
})
