import type { LimitName } from '../../platform/limits/limitNames.ts'
import { tooManyRequests } from '../../platform/limits/rateLimit.ts'

type Place = 'ip' | 'project' | 'all'

export declare namespace createSemaphore {
  type Guest = { projectId: string; ip: string | undefined }
  /** Takes a slot; the returned function releases it. */
  type ReturnType = (guest: Guest) => () => void
}

/**
 * Limits concurrent waits by IP address, by project and in total. A client without a known IP address counts by
 * project.
 *
 * @throws `RATE_LIMIT_EXCEEDED`.
 */
export function createSemaphore(
  name: LimitName,
  limits: Readonly<Record<Place, number>>,
  what: string,
): createSemaphore.ReturnType {
  const taken = new Map<string, number>()
  return ({ projectId, ip }) => {
    const slots: readonly (readonly [key: string, limit: number])[] = [
      ['all', limits.all],
      [`project ${projectId}`, limits.project],
      ...(ip === undefined ? [] : [[`ip ${ip}`, limits.ip] as const]),
    ]
    if (slots.some(([key, limit]) => (taken.get(key) ?? 0) >= limit))
      throw tooManyRequests(name, 1_000, `Too many ${what}`)
    for (const [key] of slots) taken.set(key, (taken.get(key) ?? 0) + 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      for (const [key] of slots) {
        const left = (taken.get(key) ?? 1) - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    }
  }
}
