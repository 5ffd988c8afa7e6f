import type { Db } from '../openStore.ts'
import { listAllowedOrigins } from './listAllowedOrigins.ts'

const cacheMs = 5_000

/** Answers whether any project allows an origin, from a list read at most every five seconds. */
export function originCheck(db: Db): (origin: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY
  let origins: Promise<Set<string>> | undefined
  return async (origin) => {
    if (!origins || Date.now() - readAt > cacheMs) {
      readAt = Date.now()
      origins = listAllowedOrigins(db).then((list) => new Set(list))
      origins.catch(() => {
        origins = undefined
      })
    }
    return (await origins).has(origin)
  }
}
