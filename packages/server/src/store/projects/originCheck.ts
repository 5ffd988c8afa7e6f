const cacheMs = 5_000

/** Answers whether a list holds an origin; it is read at most every five seconds. */
export function originCheck(list: () => Promise<readonly string[]>): (origin: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY
  let origins: Promise<Set<string>> | undefined
  return async (origin) => {
    if (!origins || Date.now() - readAt > cacheMs) {
      readAt = Date.now()
      origins = list().then((found) => new Set(found))
      origins.catch(() => {
        origins = undefined
      })
    }
    return (await origins).has(origin)
  }
}
