import type { BaseError } from '../core/errors/BaseError.ts'
import { AbortedError } from './errors/authErrors.ts'
import type { User } from './types.ts'

type Waiting = { resolve(user: User): void; reject(error: BaseError): void; settled(): void }

export type Calls = {
  /** A new call. With `signal` the promise is rejected when that aborts; `onLeft` hears when nobody waits any more. */
  begin(signal: AbortSignal | undefined, onLeft: (id: number) => void): { id: number; answer: Promise<User> }
  resolve(id: number, user: User): void
  reject(id: number, error: BaseError): void
  /** Whoever waits for one call waits for the other from now on. */
  join(id: number, to: number): void
}

/** Calls of `authenticate` that wait for their end. A call may have several who wait for it. */
export function createCalls(): Calls {
  const waiting = new Map<number, Set<Waiting>>()
  let last = 0
  const take = (id: number): Waiting[] => {
    const taken = [...(waiting.get(id) ?? [])]
    waiting.delete(id)
    for (const { settled } of taken) settled()
    return taken
  }
  const leave = (one: Waiting): number | undefined => {
    for (const [id, all] of waiting) {
      if (!all.delete(one)) continue
      if (all.size > 0) return undefined
      waiting.delete(id)
      return id
    }
    return undefined
  }
  return {
    begin(signal, onLeft) {
      last += 1
      const id = last
      const answer = new Promise<User>((resolve, reject) => {
        const giveUp = () => {
          const left = leave(one)
          one.settled()
          reject(new AbortedError())
          if (left !== undefined) onLeft(left)
        }
        const one: Waiting = { resolve, reject, settled: () => signal?.removeEventListener('abort', giveUp) }
        waiting.set(id, new Set([one]))
        signal?.addEventListener('abort', giveUp)
      })
      return { id, answer }
    },
    resolve(id, user) {
      for (const one of take(id)) one.resolve(user)
    },
    reject(id, error) {
      for (const one of take(id)) one.reject(error)
    },
    join(id, to) {
      const joined = waiting.get(to) ?? new Set()
      for (const one of waiting.get(id) ?? []) joined.add(one)
      waiting.delete(id)
      waiting.set(to, joined)
    },
  }
}
