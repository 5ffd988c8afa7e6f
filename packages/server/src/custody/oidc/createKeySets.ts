import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { parseJson } from '../../platform/http/requestBody.ts'

/** Age at which keys are fetched again. Providers rotate their keys every few hours. */
const freshMs = 600_000
/** Age up to which keys are used while the provider cannot be reached. */
const usableMs = 86_400_000
/** Minimum time between two fetches, even if tokens are forged or the provider is unreachable. */
const pauseMs = 60_000

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(50) })

type KeySet = {
  getKey?: ReturnType<typeof createLocalJWKSet>
  readAtMs: number
  triedAtMs: number
  fetching?: Promise<void> | undefined
}

export declare namespace createKeySets {
  type Parameters = {
    fetch(url: string): Promise<Uint8Array>
    /**
     * Monotonic clock, in milliseconds.
     *
     * @default performance.now
     */
    now?: (() => number) | undefined
  }
  /** Returns the keys of a URL for `jwtVerify`. */
  type ReturnType = (url: string) => JWTVerifyGetKey
}

/**
 * Creates a cache of providers' key sets. Fetches a missing key at most once a minute. Until then, refuses tokens that
 * need the key. A slow or unreachable provider thus delays at most one request a minute.
 */
export function createKeySets({
  fetch,
  now = () => performance.now(),
}: createKeySets.Parameters): createKeySets.ReturnType {
  const sets = new Map<string, KeySet>()

  async function read(url: string, set: KeySet): Promise<void> {
    const keySet = keySetSchema.parse(parseJson(await fetch(url)))
    // Excludes shared secrets, which must not verify tokens.
    set.getKey = createLocalJWKSet({ keys: keySet.keys.filter(({ kty }) => kty !== 'oct') })
    set.readAtMs = now()
  }

  /** Fetches the key set unless it was fetched recently. Keeps the cached keys if the fetch fails. */
  async function refresh(url: string, set: KeySet): Promise<void> {
    if (!set.fetching && now() - set.triedAtMs >= pauseMs) {
      set.triedAtMs = now()
      set.fetching = read(url, set)
        .catch(() => {})
        .finally(() => {
          set.fetching = undefined
        })
    }
    await set.fetching
  }

  return (url) => async (header, token) => {
    const set = sets.get(url) ?? { readAtMs: Number.NEGATIVE_INFINITY, triedAtMs: Number.NEGATIVE_INFINITY }
    sets.set(url, set)
    if (now() - set.readAtMs > freshMs) await refresh(url, set)
    try {
      return await usableKeys(set, now())(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh(url, set)
      return usableKeys(set, now())(header, token)
    }
  }
}

function usableKeys({ getKey, readAtMs }: KeySet, now: number) {
  if (getKey && now - readAtMs <= usableMs) return getKey
  throw new ServerError(
    'The keys of the identity provider cannot be read. Try again in a minute, or sign in by email.',
    {
      code: 'NETWORK_UNREACHABLE',
      status: 502,
    },
  )
}
