import { describe, expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Session } from '../session/Session.ts'
import type { SignerStatus } from '../types.ts'
import { initialState, signerTable, transition } from './signerMachine.ts'
import type { EventType, Job, MachineEvent, MachineState, Step } from './types.ts'

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

/** One state of each status that has something to lose. */
const states: Record<SignerStatus, MachineState> = {
  INITIALIZING: at('INITIALIZING', { job: job('restore'), session: session() }),
  AUTHENTICATING: at('AUTHENTICATING', { job: job('mail'), call }),
  AWAITING_EMAIL_AUTH: at('AWAITING_EMAIL_AUTH', { call }),
  CONNECTED: at('CONNECTED', { session: session(), live: true }),
  DISCONNECTED: at('DISCONNECTED'),
}
const events: Record<EventType, MachineEvent> = {
  LOADED: { type: 'LOADED', session: session(), link: null },
  AUTHENTICATE: { type: 'AUTHENTICATE', call: { id: 2 }, request: { type: 'email', email: 'b@x.com' } },
  MAIL_SENT: { type: 'MAIL_SENT', job: 7, orgId: 'o' },
  COMPLETED: { type: 'COMPLETED', job: 7, session: session() },
  RESTORED: { type: 'RESTORED', job: 7, session: session() },
  FAILED: { type: 'FAILED', job: 7, error, final: true },
  SESSION_CHANGED: { type: 'SESSION_CHANGED', session: null },
  EXPIRED: { type: 'EXPIRED' },
  DISCONNECT: { type: 'DISCONNECT' },
  DESTROY: { type: 'DESTROY' },
}
const say = ({ state, effects }: Step) => [state.status, ...effects.map(({ type }) => type)].join(' ')
const go = (state: MachineState, event: MachineEvent) => say(transition(state, event))

test('default: every event in every status', () => {
  const walked = Object.fromEntries(
    Object.entries(states).map(([status, state]) => [
      status,
      Object.fromEntries(Object.entries(events).map(([name, event]) => [name, go(state, event)])),
    ]),
  )
  expect(walked).toEqual({
    INITIALIZING: {
      LOADED: 'INITIALIZING',
      AUTHENTICATE: 'AUTHENTICATING sendMail',
      MAIL_SENT: 'INITIALIZING',
      COMPLETED: 'INITIALIZING',
      RESTORED: 'CONNECTED',
      FAILED: 'DISCONNECTED clearSession report',
      SESSION_CHANGED: 'DISCONNECTED closeFrame',
      EXPIRED: 'INITIALIZING',
      DISCONNECT: 'DISCONNECTED clearSession closeFrame clearTemporary',
      DESTROY: 'DISCONNECTED closeFrame',
    },
    AUTHENTICATING: {
      LOADED: 'AUTHENTICATING',
      AUTHENTICATE: 'AUTHENTICATING reject sendMail',
      MAIL_SENT: 'AWAITING_EMAIL_AUTH saveTemporary',
      COMPLETED: 'AUTHENTICATING',
      RESTORED: 'AUTHENTICATING',
      FAILED: 'DISCONNECTED reject',
      SESSION_CHANGED: 'AUTHENTICATING',
      EXPIRED: 'AUTHENTICATING',
      DISCONNECT: 'DISCONNECTED reject clearSession closeFrame clearTemporary',
      DESTROY: 'DISCONNECTED reject closeFrame',
    },
    AWAITING_EMAIL_AUTH: {
      LOADED: 'AWAITING_EMAIL_AUTH',
      AUTHENTICATE: 'AUTHENTICATING reject sendMail',
      MAIL_SENT: 'AWAITING_EMAIL_AUTH',
      COMPLETED: 'AWAITING_EMAIL_AUTH',
      RESTORED: 'AWAITING_EMAIL_AUTH',
      FAILED: 'AWAITING_EMAIL_AUTH',
      SESSION_CHANGED: 'AWAITING_EMAIL_AUTH',
      EXPIRED: 'AWAITING_EMAIL_AUTH',
      DISCONNECT: 'DISCONNECTED reject clearSession closeFrame clearTemporary',
      DESTROY: 'DISCONNECTED reject closeFrame',
    },
    CONNECTED: {
      LOADED: 'CONNECTED',
      AUTHENTICATE: 'AUTHENTICATING sendMail',
      MAIL_SENT: 'CONNECTED',
      COMPLETED: 'CONNECTED',
      RESTORED: 'CONNECTED',
      FAILED: 'CONNECTED',
      SESSION_CHANGED: 'DISCONNECTED closeFrame',
      EXPIRED: 'DISCONNECTED clearSession closeFrame',
      DISCONNECT: 'DISCONNECTED clearSession closeFrame clearTemporary',
      DESTROY: 'DISCONNECTED closeFrame',
    },
    DISCONNECTED: {
      LOADED: 'DISCONNECTED',
      AUTHENTICATE: 'AUTHENTICATING sendMail',
      MAIL_SENT: 'DISCONNECTED',
      COMPLETED: 'DISCONNECTED',
      RESTORED: 'DISCONNECTED',
      FAILED: 'DISCONNECTED',
      SESSION_CHANGED: 'DISCONNECTED',
      EXPIRED: 'DISCONNECTED',
      DISCONNECT: 'DISCONNECTED clearSession closeFrame clearTemporary',
      DESTROY: 'DISCONNECTED closeFrame',
    },
  })
  for (const row of Object.values(signerTable)) expect(Object.keys(row)).toEqual(Object.keys(events))
})

describe('the page was read', () => {
  const loaded = (found: Session | null, bundle?: string) =>
    transition(initialState, {
      type: 'LOADED',
      session: found,
      link: bundle === undefined ? null : { type: 'email', bundle },
    })

  test('behavior: nothing, an e-mail session, a passkey session, a link', () => {
    expect(say(loaded(null))).toBe('DISCONNECTED')
    expect(say(loaded(session()))).toBe('INITIALIZING restore')
    expect(say(loaded(passkey))).toBe('CONNECTED')
    expect(say(loaded(null, 'B'))).toBe('AUTHENTICATING complete')
    expect(say(loaded(session(), 'B'))).toBe('AUTHENTICATING complete')
  })

  test('behavior: a link that fails falls back to the stored session, one that works replaces it', () => {
    const { state } = loaded(session(), 'B')
    const failed = transition(state, { type: 'FAILED', job: state.jobs, error, final: true })
    expect(say(failed)).toBe('INITIALIZING report restore')
    expect(go(failed.state, { type: 'RESTORED', job: failed.state.jobs, session: session() })).toBe('CONNECTED')
    const done = transition(state, { type: 'COMPLETED', job: state.jobs, session: session('b@x.com', 'B') })
    expect(say(done)).toBe('CONNECTED saveSession clearTemporary')
    expect(done.state.session?.user.email).toBe('b@x.com')
  })
})

describe('a sign-in fails', () => {
  const connected = states.CONNECTED
  const ask = (request: Extract<MachineEvent, { type: 'AUTHENTICATE' }>['request']) =>
    transition(connected, { type: 'AUTHENTICATE', call, request }).state

  test('behavior: a mail that cannot be sent leaves whoever is signed in as they were', () => {
    const { state, effects } = transition(ask({ type: 'email', email: 'b@x.com' }), {
      type: 'FAILED',
      job: 8,
      error,
      final: false,
    })
    expect(say({ state, effects })).toBe('CONNECTED reject')
    expect(state.session).toEqual(connected.session)
  })

  test('behavior: after another bundle went to the frame the old one is opened again', () => {
    const step = transition(ask({ type: 'email', bundle: 'B' }), { type: 'FAILED', job: 8, error, final: true })
    expect(say(step)).toBe('INITIALIZING reject restore')
  })

  test('behavior: a restored session that fails is cleared only when it was refused', () => {
    const fail = (kind: Job['kind'], final: boolean) =>
      go({ ...states.INITIALIZING, job: job(kind) }, { type: 'FAILED', job: 7, error, final })
    expect(fail('restore', true)).toBe('DISCONNECTED clearSession report')
    expect(fail('restore', false)).toBe('DISCONNECTED report')
    expect(fail('adopt', true)).toBe('DISCONNECTED report')
  })
})

describe('by passkey', () => {
  const ask = (state: MachineState) =>
    transition(state, { type: 'AUTHENTICATE', call: { id: 2 }, request: { type: 'passkey', createNew: false } })
  const end = (state: MachineState) => transition(state, { type: 'COMPLETED', job: state.jobs, session: passkey })

  test('default: from each status the prompt, then connected; a mail on its way stays good', () => {
    expect(say(ask(states.INITIALIZING))).toBe('AUTHENTICATING usePasskey')
    expect(say(ask(states.DISCONNECTED))).toBe('AUTHENTICATING usePasskey')
    expect(say(ask(states.AUTHENTICATING))).toBe('AUTHENTICATING reject usePasskey')
    expect(say(ask(states.AWAITING_EMAIL_AUTH))).toBe('AUTHENTICATING reject usePasskey')
    const done = end(ask(states.DISCONNECTED).state)
    expect(say(done)).toBe('CONNECTED saveSession resolve')
    expect(done.state).toMatchObject({ session: passkey, live: true, job: null, call: null })
  })

  test('behavior: the frame of an e-mail session is closed when a passkey takes its place', () => {
    expect(say(end(ask(states.CONNECTED).state))).toBe('CONNECTED saveSession closeFrame resolve')
    expect(go(states.CONNECTED, { type: 'SESSION_CHANGED', session: passkey })).toBe('CONNECTED closeFrame')
  })

  test('behavior: a refused prompt signs nobody in and nobody out', () => {
    const fail = ({ state }: Step) => go(state, { type: 'FAILED', job: state.jobs, error, final: true })
    expect(fail(ask(states.DISCONNECTED))).toBe('DISCONNECTED reject')
    expect(fail(ask(states.CONNECTED))).toBe('CONNECTED reject')
    expect(fail(ask(at('CONNECTED', { session: passkey, live: true })))).toBe('CONNECTED reject')
  })
})

describe('another tab signed in', () => {
  const news = (state: MachineState, found: Session) => transition(state, { type: 'SESSION_CHANGED', session: found })

  test('behavior: the tab that asked opens the bundle, and its call resolves', () => {
    for (const status of ['AWAITING_EMAIL_AUTH', 'AUTHENTICATING'] as const) {
      const adopting = news(states[status], session())
      expect(say(adopting)).toBe('AUTHENTICATING restore')
      const event: MachineEvent = { type: 'RESTORED', job: adopting.state.jobs, session: session() }
      expect(go(adopting.state, event)).toBe('CONNECTED resolve')
      expect(go(adopting.state, { type: 'SESSION_CHANGED', session: null })).toBe('DISCONNECTED reject closeFrame')
    }
  })

  test('behavior: someone else in that tab takes the place of the sign-in asked for here', () => {
    const { state, effects } = news(states.AWAITING_EMAIL_AUTH, session('b@x.com', 'B'))
    expect(say({ state, effects })).toBe('INITIALIZING reject restore')
    expect(effects[0]).toMatchObject({ call: 1, error: { code: 'SUPERSEDED' } })
  })

  test('behavior: a prompt for a passkey gives way to it: it is not who was asked for', () => {
    const prompting = at('AUTHENTICATING', { job: job('passkey'), call: { id: 1 } })
    expect(say(news(prompting, passkey))).toBe('CONNECTED reject')
    expect(say(news(prompting, session()))).toBe('INITIALIZING reject restore')
  })

  test('behavior: a passkey session needs no network', () => {
    expect(say(news(states.DISCONNECTED, passkey))).toBe('CONNECTED')
    expect(say(news(at('AWAITING_EMAIL_AUTH', { call: { id: 1 } }), passkey))).toBe('CONNECTED resolve')
  })

  test('behavior: the same session again changes its expiry alone', () => {
    const later = { ...session(), expirationDateMs: 99 } as Session
    const step = news(states.CONNECTED, later)
    expect(say(step)).toBe('CONNECTED')
    expect(step.state.session?.expirationDateMs).toBe(99)
    expect(say(news(states.INITIALIZING, later))).toBe('INITIALIZING')
  })

  test('behavior: another session is taken up from where this tab is', () => {
    const other = session('b@x.com', 'B')
    expect(say(news(states.CONNECTED, other))).toBe('INITIALIZING restore')
    expect(say(news(states.DISCONNECTED, other))).toBe('INITIALIZING restore')
    expect(say(news(states.INITIALIZING, other))).toBe('INITIALIZING restore')
    const own = at('AUTHENTICATING', { job: job('complete'), call })
    expect(say(news(own, other))).toBe('AUTHENTICATING')
    expect(say(news(initialState, other))).toBe('INITIALIZING')
  })

  test('behavior: it signs out while this one waits for a mail: only the fallback is gone', () => {
    const waiting = at('AWAITING_EMAIL_AUTH', { call, session: session(), live: true })
    const { state } = transition(waiting, { type: 'SESSION_CHANGED', session: null })
    expect(state).toMatchObject({ status: 'AWAITING_EMAIL_AUTH', session: null, live: false, call })
  })
})

test('behavior: the result of a job that is not the present one changes nothing', () => {
  for (const type of ['MAIL_SENT', 'COMPLETED', 'RESTORED', 'FAILED'] as const) {
    for (const state of Object.values(states)) {
      const step = transition(state, { ...events[type], job: 6 } as MachineEvent)
      expect(step).toEqual({ state, effects: [] })
    }
  }
})
