import { errorCodes } from 'latchkey-protocol'
import { countLimit } from '../platform/limits/limitNames.ts'
import type { Caller } from './Caller.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'

export declare namespace createTurns {
  type Options = {
    /** What runs at a time, in units of the caller's choice. */
    total: number
    /** Of one API key; below the total, so that no key has all. */
    perKey: number
    /** Of one client address with that key. */
    perIp: number
    /** Calls that wait at a time, in all, with one key and from one address with it. */
    waiting: { total: number; perKey: number; perIp: number }
    /** How long one may wait. */
    waitMs: number
  }
  type Guest = Pick<Caller, 'projectId' | 'keyId' | 'ip' | 'signal'>
  /** Runs `work`, which takes up `weight`, when it is the turn of who asks. */
  type ReturnType = <result>(guest: Guest, weight: number, work: () => Promise<result>) => Promise<result>
  type ErrorType = RpcError
}

type Waiting = { weight: number; start(): void; giveUp(): void }
/** One client address with one key. `ip` names both. */
type Line = { key: string; ip: string; servedAt: number; waiting: Set<Waiting> }
/** Lines by their `ip`, and what runs and waits of all (''), of a key and of an address. */
type State = { lines: Map<string, Line>; running: Tally; waiting: Tally; turn: number }

/**
 * Lets dear calls in by turns: of those that wait, the key that has least at work goes first, within it the address that
 * has least, and among equals the one that waited longest. However many calls one key sends, those of another wait for a
 * few of them only. Nothing overtakes the one whose turn it is, so that a heavy call is not put off by light ones. Where
 * too many wait, the last one of the longest line gives way.
 *
 * @throws `RATE_LIMIT_EXCEEDED`, for a call that gives way, or waited too long.
 */
export function createTurns(options: createTurns.Options): createTurns.ReturnType {
  const state: State = { lines: new Map(), running: createTally(), waiting: createTally(), turn: 0 }

  async function takeTurn({ projectId, keyId, ip: address, signal }: createTurns.Guest, weight: number) {
    const key = `${projectId} ${keyId}`
    const ip = `${key} ${address ?? ''}`
    const line = state.lines.get(ip) ?? { key, ip, servedAt: 0, waiting: new Set<Waiting>() }
    state.lines.set(ip, line)
    const isFree = state.waiting.read('') === 0 && fits(state, options, line, weight)
    if (isFree && hasRoom(state, options, weight)) enter(state, line, weight)
    else await waitInLine(state, options, line, { weight, signal })
    return () => {
      for (const place of ['', key, ip]) state.running.add(place, -weight)
      startNext(state, options)
      dropEmpty(state, line)
    }
  }

  return async (guest, asked, work) => {
    // What is more than an address may have runs alone.
    const leave = await takeTurn(guest, Math.min(asked, options.perIp))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

function fits({ running }: State, { perKey, perIp }: createTurns.Options, { key, ip }: Line, weight: number): boolean {
  return running.read(key) + weight <= perKey && running.read(ip) + weight <= perIp
}

function hasRoom({ running }: State, { total }: createTurns.Options, weight: number): boolean {
  return running.read('') + weight <= total
}

function enter(state: State, line: Line, weight: number): void {
  line.servedAt = ++state.turn
  for (const place of ['', line.key, line.ip]) state.running.add(place, weight)
}

function dropEmpty({ lines, running }: State, line: Line): void {
  if (running.read(line.ip) === 0 && line.waiting.size === 0) lines.delete(line.ip)
}

function startNext(state: State, options: createTurns.Options): void {
  for (;;) {
    let best: Line | undefined
    for (const line of state.lines.values()) {
      const [next] = line.waiting
      if (next && fits(state, options, line, next.weight) && (!best || comesBefore(state, line, best))) best = line
    }
    const [next] = best?.waiting ?? []
    if (!next || !hasRoom(state, options, next.weight)) return
    next.start()
  }
}

function comesBefore({ running }: State, one: Line, other: Line): boolean {
  const lead = (place: 'key' | 'ip') => running.read(one[place]) - running.read(other[place])
  return (lead('key') || lead('ip') || one.servedAt - other.servedAt) < 0
}

type Request = { weight: number; signal: AbortSignal | undefined }

function waitInLine(
  state: State,
  options: createTurns.Options,
  line: Line,
  { weight, signal }: Request,
): Promise<void> {
  if (signal?.aborted || !makeRoom(state, options, line)) {
    dropEmpty(state, line)
    return Promise.reject(tooManyAtOnce())
  }
  const places = ['', line.key, line.ip]
  let settle: { resolve(): void; reject(error: Error): void } | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  function end() {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    line.waiting.delete(entry)
    for (const place of places) state.waiting.add(place, -1)
  }
  function giveUp() {
    end()
    dropEmpty(state, line)
    settle?.reject(tooManyAtOnce())
    // Others may have waited behind it.
    startNext(state, options)
  }
  const entry: Waiting = {
    weight,
    giveUp,
    start() {
      end()
      enter(state, line, weight)
      settle?.resolve()
    },
  }
  const timer = setTimeout(giveUp, options.waitMs)
  signal?.addEventListener('abort', giveUp)
  line.waiting.add(entry)
  for (const place of places) state.waiting.add(place, 1)
  startNext(state, options)
  return promise
}

/** Whether one more may wait in a line. */
function makeRoom(state: State, { waiting: most }: createTurns.Options, line: Line): boolean {
  const { lines, waiting } = state
  if (waiting.read(line.ip) >= most.perIp) return false
  const isKeyFull = waiting.read(line.key) >= most.perKey
  if (!isKeyFull && waiting.read('') < most.total) return true
  let longest = line
  for (const other of lines.values())
    if ((!isKeyFull || other.key === line.key) && other.waiting.size > longest.waiting.size) longest = other
  if (longest === line) return false
  const last = [...longest.waiting].at(-1)
  last?.giveUp()
  return true
}

type Tally = ReturnType<typeof createTally>

/** Sums by name; a name whose sum is zero takes no memory. */
function createTally() {
  const sums = new Map<string, number>()
  return {
    read: (name: string) => sums.get(name) ?? 0,
    add(name: string, change: number) {
      const sum = (sums.get(name) ?? 0) + change
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}

function tooManyAtOnce(): RpcError {
  countLimit('gateway.turns')
  return new RpcError('Too many calls that run code wait here at once. Try again in a moment.', {
    code: errorCodes.RATE_LIMIT_EXCEEDED,
    rpcCode: rpcCodes.limitExceeded,
    retryAfterMs: 1_000,
  })
}
