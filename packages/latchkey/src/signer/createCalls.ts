import type { BaseError } from '../core/errors/BaseError.ts'
import { AbortedError } from './errors/authErrors.ts'
import type { User } from './types.ts'

export type Calls = {
  /** A new call. Its promise is rejected when `signal` aborts; `onLeft` is called when no caller waits any more. */
  begin(signal: AbortSignal | undefined, onLeft: (id: number) => void): { id: number; result: Promise<User> }
  resolve(id: number, user: User): void
  reject(id: number, error: BaseError): void
  /** The callers that wait for one call wait for the other from now on. */
  join(id: number, to: number): void
}

type Waiting = { resolve(user: User): void; reject(error: BaseError): void; settled(): void }

/** Calls of `authenticate` that wait for their end. Several callers may wait for one. */
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
      const result = new Promise<User>((resolve, reject) => {
        const cancel = () => {
          const left = leave(one)
          one.settled()
          reject(new AbortedError())
          if (left !== undefined) onLeft(left)
        }
        const one: Waiting = { resolve, reject, settled: () => signal?.removeEventListener('abort', cancel) }
        waiting.set(id, new Set([one]))
        signal?.addEventListener('abort', cancel)
      })
      return { id, result }
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
