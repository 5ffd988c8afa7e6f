import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { Session } from '../../session/Session.ts'
import { initialState, transition } from './signerMachine.ts'
import type { AuthRequest, Effect, MachineEvent, MachineState } from './types.ts'

// Random moves of a tab, its network and other tabs, in any order.

const seed = Number(process.env.LATCHKEY_SEED)
console.info(`signer machine model: LATCHKEY_SEED=${seed}`)

type Move =
  | { do: 'load'; session: Session | null; link: string | null }
  | { do: 'authenticate'; request: AuthRequest }
  /** Ends the running job at index `pick`. */
  | { do: 'finish'; pick: number; ok: boolean; final: boolean }
  /** The current job injects its bundle and continues. */
  | { do: 'inject' }
  /** The current job waits for the second factor, or checks it. */
  | { do: 'factor'; isAwaited: boolean }
  | { do: 'other tab'; session: Session | null }
  | { do: 'time' }
  | { do: 'mail time' }
  | { do: 'mail dropped' }
  /** A waiting caller cancels. */
  | { do: 'abort'; pick: number }
  | { do: 'disconnect' }

const people = fc.constantFrom('a@x.com', 'b@x.com')
const sessions: fc.Arbitrary<Session> = fc.oneof(
  fc.tuple(people, fc.constantFrom('1', '2')).map(([email, nth]) => emailSession(email, `${email}${nth}`)),
  people.map((email): Session => ({ type: 'passkey', user: userOf(email), expirationDateMs: 1 })),
)
const maybe = fc.option(sessions, { nil: null })
const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant('load' as const), session: maybe, link: fc.option(fc.constantFrom('a@x.com1', 'zz')) }),
  fc.record({
    do: fc.constant('authenticate' as const),
    request: fc.oneof(
      people.map((email): AuthRequest => ({ type: 'email', email })),
      people.map((email): AuthRequest => ({ type: 'email', bundle: `${email}1` })),
      fc.constant<AuthRequest>({ type: 'email', code: '123456' }),
      fc.constant<AuthRequest>({ type: 'passkey', createNew: false }),
      people.map((username): AuthRequest => ({ type: 'passkey', createNew: true, username })),
    ),
  }),
  fc.record({ do: fc.constant('finish' as const), pick: fc.nat(9), ok: fc.boolean(), final: fc.boolean() }),
  fc.record({ do: fc.constant('finish' as const), pick: fc.nat(9), ok: fc.constant(true), final: fc.boolean() }),
  fc.record({ do: fc.constant('other tab' as const), session: maybe }),
  fc.constant<Move>({ do: 'inject' }),
  fc.record({ do: fc.constant('factor' as const), isAwaited: fc.boolean() }),
  fc.constant<Move>({ do: 'time' }),
  fc.constant<Move>({ do: 'mail time' }),
  fc.constant<Move>({ do: 'mail dropped' }),
  fc.record({ do: fc.constant('abort' as const), pick: fc.nat(3) }),
  fc.constant<Move>({ do: 'disconnect' }),
)

function userOf(email: string): Session['user'] {
  return { email, orgId: `org ${email}`, userId: `id ${email}`, address: '0x00' }
}
function emailSession(email: string, bundle: string): Session {
  return { type: 'email', user: userOf(email), bundle, expirationDateMs: 1 }
}

type Running = Extract<Effect, { type: 'restore' | 'sendMail' | 'complete' | 'usePasskey' }>
type Devnet = {
  state: MachineState
  running: Running[]
  open: Set<number>
  calls: number
  stored: Session | null
  /** Bundle whose credential the frame has. */
  frame: string | null
}

function toEvent(devnet: Devnet, move: Move): MachineEvent | undefined {
  switch (move.do) {
    case 'load':
      if (devnet.state !== initialState) return undefined
      devnet.stored = move.session
      return {
        type: 'LOADED',
        session: move.session,
        link: move.link === null ? null : { type: 'email', bundle: move.link },
      }
    case 'authenticate': {
      if (devnet.state === initialState) return undefined
      devnet.calls += 1
      devnet.open.add(devnet.calls)
      const email = 'email' in move.request ? move.request.email : undefined
      return { type: 'AUTHENTICATE', call: { id: devnet.calls, email }, request: move.request }
    }
    case 'finish': {
      const [job] = devnet.running.splice(move.pick % Math.max(devnet.running.length, 1), 1)
      return job && finish(devnet, job, move)
    }
    case 'inject': {
      const bundle = bundleOf(devnet.running.find(({ job }) => job === devnet.state.job?.id))
      if (bundle !== undefined) devnet.frame = bundle
      return undefined
    }
    case 'factor':
      return { type: 'FACTOR', job: devnet.state.job?.id ?? 0, isAwaited: move.isAwaited }
    case 'other tab':
      devnet.stored = move.session
      return { type: 'SESSION_CHANGED', session: move.session }
    case 'time':
      return { type: 'EXPIRED' }
    case 'mail time':
      return { type: 'MAIL_EXPIRED' }
    case 'mail dropped':
      return { type: 'MAIL_DROPPED' }
    case 'abort': {
      const call = [...devnet.open][move.pick % Math.max(devnet.open.size, 1)]
      return call === undefined ? undefined : { type: 'ABORTED', call }
    }
    case 'disconnect':
      return { type: 'DISCONNECT' }
  }
}

function bundleOf(job: Running | undefined): string | undefined {
  if (job?.type === 'complete') return 'bundle' in job.request ? job.request.bundle : 'by code'
  return job?.type === 'restore' ? job.session.bundle : undefined
}

function finish(devnet: Devnet, job: Running, move: { ok: boolean; final: boolean }): MachineEvent {
  const bundle = bundleOf(job)
  // An obsolete job is aborted before it injects its bundle.
  if (bundle !== undefined && devnet.state.job?.id === job.job) devnet.frame = bundle
  if (!move.ok) {
    return { type: 'FAILED', job: job.job, error: new BaseError('x', { code: 'INTERNAL' }), final: move.final }
  }
  if (job.type === 'sendMail') return { type: 'MAIL_SENT', job: job.job, temporary: { orgId: 'o' }, mailEndsMs: 1 }
  if (job.type === 'restore') return { type: 'RESTORED', job: job.job, session: job.session }
  if (job.type === 'usePasskey') {
    const session: Session = { type: 'passkey', user: userOf('b@x.com'), expirationDateMs: 1 }
    return { type: 'COMPLETED', job: job.job, session }
  }
  return { type: 'COMPLETED', job: job.job, session: emailSession('a@x.com', bundle ?? '') }
}

function apply(devnet: Devnet, effect: Effect): void {
  switch (effect.type) {
    case 'restore':
    case 'sendMail':
    case 'complete':
    case 'usePasskey':
      devnet.running.push(effect)
      return
    case 'resolve':
    case 'reject':
      // Each call must end exactly once.
      expect(devnet.open.delete(effect.call)).toBe(true)
      return
    case 'saveSession':
      devnet.stored = effect.session
      return
    case 'clearSession':
      devnet.stored = null
      return
    case 'join':
      // A joined call ends together with the newer call, which is checked instead.
      expect(devnet.open.delete(effect.call)).toBe(true)
      expect(devnet.open.has(effect.to)).toBe(true)
      return
    case 'closeFrame':
    case 'signOut':
      devnet.frame = null
      return
  }
}

function check({ state, open, frame }: Devnet): void {
  const { status, session, reason, live, job, call, completing, mailEndsMs } = state
  expect([...open].sort()).toEqual([call?.id, completing].filter((id) => typeof id === 'number').sort())
  expect(reason !== null).toBe(status === 'CONNECTED')
  if (status === 'CONNECTED') {
    expect(session).not.toBeNull()
    expect([live, job, call, completing]).toEqual([true, null, null, null])
    // The frame must sign for the current user.
    if (session?.type === 'email') expect(frame).toBe(session.bundle)
  }
  if (status === 'DISCONNECTED') expect([session, live, job, call, completing]).toEqual([null, false, null, null, null])
  if (status === 'INITIALIZING') {
    expect(call).toBeNull()
    if (state !== initialState) expect(['restore', 'resume', 'adopt']).toContain(job?.kind)
  }
  if (status === 'AUTHENTICATING') expect(['mail', 'complete', 'adopt', 'passkey']).toContain(job?.kind)
  if (status === 'AWAITING_MFA_AUTH') expect(job?.kind).toBe('complete')
  if (status === 'AWAITING_EMAIL_AUTH') {
    expect(call).not.toBeNull()
    expect([job, completing]).toEqual([null, null])
    // The wait must have an upper bound.
    expect(mailEndsMs).not.toBeNull()
  }
  if (completing !== null) expect(job?.kind).toBe('complete')
}

test('keeps its invariants for any order of events', () => {
  const reached = new Set<string>()
  fc.assert(
    fc.property(fc.array(moves, { minLength: 1, maxLength: 40 }), (life) => {
      const devnet: Devnet = { state: initialState, running: [], open: new Set(), calls: 0, stored: null, frame: null }
      const first: Move = { do: 'load', session: null, link: null }
      for (const move of life[0]?.do === 'load' ? life : [first, ...life]) {
        const event = toEvent(devnet, move)
        if (!event) continue
        const before = devnet.state
        const { state, effects } = transition(before, event)
        devnet.state = state
        for (const effect of effects) apply(devnet, effect)
        reached.add(`${before.status} ${event.type} ${state.status}`)
        check(devnet)
      }
      // Signing out must end every call and job.
      const { state, effects } = transition(devnet.state, { type: 'DISCONNECT' })
      devnet.state = state
      for (const effect of effects) apply(devnet, effect)
      check(devnet)
      expect(devnet.open.size).toBe(0)
      expect(devnet.stored).toBeNull()
    }),
    { seed, numRuns: 3_000 },
  )
  // The moves must cover nearly every combination of status, event and next status.
  expect(reached.size).toBeGreaterThan(35)
})
