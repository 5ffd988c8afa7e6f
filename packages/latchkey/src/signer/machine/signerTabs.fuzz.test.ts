import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Session } from '../session/Session.ts'
import { initialState, transition } from './signerMachine.ts'
import type { AuthRequest, Effect, MachineEvent, MachineState } from './types.ts'

// Several tabs of one browser over one storage: news arrive late and in any order of tabs, pages reload, jobs end when
// they like. After any of it, the tabs agree in the end on who is signed in.

const seed = Number(process.env.LATCHKEY_SEED)
console.info(`signer tabs model: LATCHKEY_SEED=${seed}`)

type Job = Extract<Effect, { job: number }>
/** `temporary`: the mail that was asked for last; `session`: who is signed in. */
type Storage = { session: Session | null; temporary: string | null }
type News = { session: Session | null } | 'dropped'
type Tab = { state: MachineState; jobs: Job[]; news: News[]; waiting: Set<number> }
type World = { tabs: Tab[]; storage: Storage; calls: number; bundles: number }

const people = ['a@x.com', 'b@x.com'] as const
const tabCount = 3
const tab = fc.nat(tabCount - 1)
type Move =
  | { do: 'authenticate'; tab: number; request: AuthRequest }
  | { do: 'open link'; tab: number; person: number }
  | { do: 'finish'; tab: number; pick: number; ok: boolean }
  | { do: 'hear'; tab: number }
  | { do: 'reload' | 'expire' | 'mail ends' | 'disconnect'; tab: number }

const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    do: fc.constant('authenticate' as const),
    tab,
    request: fc.oneof(
      fc.constantFrom(...people).map((email): AuthRequest => ({ type: 'email', email })),
      fc.constant<AuthRequest>({ type: 'email', code: '123456' }),
      fc.constant<AuthRequest>({ type: 'passkey', createNew: false }),
    ),
  }),
  fc.record({ do: fc.constant('open link' as const), tab, person: fc.nat(people.length - 1) }),
  fc.record({ do: fc.constant('finish' as const), tab, pick: fc.nat(3), ok: fc.boolean() }),
  fc.record({ do: fc.constant('finish' as const), tab, pick: fc.nat(3), ok: fc.constant(true) }),
  fc.record({ do: fc.constant('hear' as const), tab }),
  fc.record({
    do: fc.constantFrom('reload' as const, 'expire' as const, 'mail ends' as const, 'disconnect' as const),
    tab,
  }),
)

const userOf = (email: string) => ({ email, orgId: email, userId: email, address: '0x00' as const })

function newTab(): Tab {
  return { state: initialState, jobs: [], news: [], waiting: new Set() }
}

function dispatch(world: World, at: Tab, event: MachineEvent): void {
  const { state, effects } = transition(at.state, event)
  at.state = state
  for (const effect of effects) perform(world, at, effect)
  check(at)
}

function perform(world: World, at: Tab, effect: Effect): void {
  if ('job' in effect) at.jobs.push(effect)
  else if (effect.type === 'saveSession') write(world, at, effect.session)
  else if (effect.type === 'clearSession') write(world, at, null)
  else if (effect.type === 'saveTemporary') world.storage.temporary = effect.temporary.orgId
  else if (effect.type === 'clearTemporary') {
    world.storage.temporary = null
    if (!world.storage.session) tell(world, at, 'dropped')
  } else if (effect.type === 'resolve' || effect.type === 'reject') {
    expect(at.waiting.delete(effect.call)).toBe(true)
  } else if (effect.type === 'join') expect(at.waiting.delete(effect.call)).toBe(true)
}

function write(world: World, at: Tab, session: Session | null): void {
  world.storage.session = session
  tell(world, at, { session })
}

/** Every tab but the one that wrote hears of it, later. */
function tell(world: World, from: Tab, news: News): void {
  for (const other of world.tabs) if (other !== from) other.news.push(news)
}

function hear(world: World, at: Tab): void {
  const news = at.news.shift()
  if (news === undefined) return
  // The storage is read when the news arrive, and may say something newer by then.
  const { session, temporary } = world.storage
  if (news !== 'dropped') dispatch(world, at, { type: 'SESSION_CHANGED', session })
  else if (!session && !temporary) dispatch(world, at, { type: 'MAIL_DROPPED' })
}

function load(world: World, at: Tab, bundle?: string): void {
  // A page that is left ends its jobs, its news and its calls.
  Object.assign(at, newTab())
  const link = bundle === undefined ? null : ({ type: 'email', bundle } as const)
  dispatch(world, at, { type: 'LOADED', session: world.storage.session, link })
}

function finish(world: World, at: Tab, { pick, ok }: { pick: number; ok: boolean }): void {
  const [job] = at.jobs.splice(pick % Math.max(at.jobs.length, 1), 1)
  if (job) dispatch(world, at, ok ? succeeded(world, job) : failed(job))
}

function failed({ job }: Job): MachineEvent {
  return { type: 'FAILED', job, error: new BaseError('x', { code: 'INTERNAL' }), final: true }
}

function succeeded(world: World, job: Job): MachineEvent {
  const { job: id } = job
  if (job.type === 'sendMail') {
    return { type: 'MAIL_SENT', job: id, temporary: { orgId: job.request.email }, mailEndsMs: 1 }
  }
  if (job.type === 'restore') return { type: 'RESTORED', job: id, session: job.session }
  return { type: 'COMPLETED', job: id, session: made(world, job) }
}

function made(world: World, job: Extract<Job, { type: 'complete' | 'usePasskey' }>): Session {
  const expirationDateMs = 1
  if (job.type === 'usePasskey') return { type: 'passkey', user: userOf('b@x.com'), expirationDateMs }
  world.bundles += 1
  const email = 'bundle' in job.request ? (job.request.bundle.split(' ')[0] ?? '') : 'a@x.com'
  return { type: 'email', user: userOf(email), bundle: `${email} ${world.bundles}`, expirationDateMs }
}

function move(world: World, made: Move): void {
  const at = world.tabs[made.tab]
  if (!at) return
  if (made.do === 'authenticate') {
    world.calls += 1
    at.waiting.add(world.calls)
    const email = 'email' in made.request ? made.request.email : undefined
    dispatch(world, at, { type: 'AUTHENTICATE', call: { id: world.calls, email }, request: made.request })
  } else if (made.do === 'open link') load(world, at, `${people[made.person]} link`)
  else if (made.do === 'finish') finish(world, at, made)
  else if (made.do === 'hear') hear(world, at)
  else if (made.do === 'reload') load(world, at)
  else dispatch(world, at, { type: ends[made.do] })
}

const ends = { expire: 'EXPIRED', 'mail ends': 'MAIL_EXPIRED', disconnect: 'DISCONNECT' } as const

/** Of every tab at every moment: one state, a user exactly while connected, and no call that waits for nothing. */
function check({ state, waiting }: Tab): void {
  const { status, session, live, job, call, completing } = state
  expect([...waiting].sort()).toEqual([call?.id, completing].filter((id) => typeof id === 'number').sort())
  if (status === 'CONNECTED') expect([session !== null, live, job]).toEqual([true, true, null])
  if (status === 'DISCONNECTED') expect([session, job, waiting.size]).toEqual([null, null, 0])
  if (status === 'AUTHENTICATING') expect(job).not.toBeNull()
}

test('behavior: tabs agree in the end, after anything they do and however late they hear of it', () => {
  let agreements = 0
  fc.assert(
    fc.property(fc.array(moves, { minLength: 1, maxLength: 60 }), (life) => {
      const world: World = {
        tabs: Array.from({ length: tabCount }, newTab),
        storage: { session: null, temporary: null },
        calls: 0,
        bundles: 0,
      }
      for (const at of world.tabs) load(world, at)
      for (const made of life) move(world, made)
      // Everything under way ends well, everybody hears the news, every mail runs out: nothing is stuck.
      for (let round = 0; round < 50 && world.tabs.some(isBusy); round++) {
        for (const at of world.tabs) {
          hear(world, at)
          finish(world, at, { pick: 0, ok: true })
          if (at.state.status === 'AWAITING_EMAIL_AUTH') dispatch(world, at, { type: 'MAIL_EXPIRED' })
        }
      }
      const { session } = world.storage
      for (const { state, waiting } of world.tabs) {
        expect(waiting.size).toBe(0)
        expect(['CONNECTED', 'DISCONNECTED']).toContain(state.status)
        // A tab that failed to take a session up may be signed out, but none is signed in as another user.
        if (state.status === 'CONNECTED') expect(state.session?.user).toEqual(session?.user)
        if (state.status === 'CONNECTED') agreements += 1
      }
    }),
    { seed, numRuns: 1_500 },
  )
  expect(agreements).toBeGreaterThan(500)
})

function isBusy({ state, jobs, news }: Tab): boolean {
  return jobs.length > 0 || news.length > 0 || !['CONNECTED', 'DISCONNECTED'].includes(state.status)
}
