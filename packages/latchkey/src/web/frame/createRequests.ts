import type { BaseError } from '../../core/errors/BaseError.ts'

type Waiting = { resolve(value: unknown): void; reject(error: BaseError): void; timer: ReturnType<typeof setTimeout> }

export type Requests = {
  /** Waits for the answer with this id; `late` is the error when none comes in time. */
  expect(id: string, withinMs: number, late: () => BaseError): Promise<unknown>
  /** Ends the wait for an answer; an id nobody waits for is passed over. */
  settle(id: string, answer: { value: unknown } | { error: BaseError }): void
  /** Fails every wait. */
  failAll(error: BaseError): void
}

/** Answers that are waited for, each by the id of what was asked. */
export function createRequests(): Requests {
  const waiting = new Map<string, Waiting>()
  const take = (id: string) => {
    const entry = waiting.get(id)
    waiting.delete(id)
    clearTimeout(entry?.timer)
    return entry
  }
  return {
    expect: (id, withinMs, late) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => take(id)?.reject(late()), withinMs)
        waiting.set(id, { resolve, reject, timer })
      }),
    settle(id, answer) {
      const entry = take(id)
      if ('error' in answer) entry?.reject(answer.error)
      else entry?.resolve(answer.value)
    },
    failAll(error) {
      for (const id of [...waiting.keys()]) take(id)?.reject(error)
    },
  }
}
