import type { Context, Env, MiddlewareHandler } from 'hono'
import { ServerError } from '../errors/ServerError.ts'
import { countLimit, type LimitName } from './limitNames.ts'

/** `limit` requests per key in `windowMs`. */
export type Limit = { limit: number; windowMs: number }

export declare namespace rateLimit {
  type Options<env extends Env> = Limit & {
    name: LimitName
    /** Key of the limit; undefined for an unlimited request. */
    key(context: Context<env>): string | undefined
    /** `takeToken` on the store. */
    take(token: { key: string } & Limit): Promise<{ ok: true } | { ok: false; retryAfterMs: number }>
    /** Called for each request that is refused. */
    onRefusal?: ((context: Context<env>) => void) | undefined
  }
}

/**
 * Refuses requests beyond a limit with 429 and `Retry-After`.
 *
 * @throws `RATE_LIMIT_EXCEEDED`.
 */
export function rateLimit<env extends Env>(options: rateLimit.Options<env>): MiddlewareHandler<env> {
  const { limit, windowMs, key: readKey, take, onRefusal } = options
  return async (context, next) => {
    const key = readKey(context)
    const taken = key === undefined ? undefined : await take({ key, limit, windowMs })
    if (taken?.ok === false) {
      onRefusal?.(context)
      throw tooManyRequests(options.name, taken.retryAfterMs)
    }
    await next()
  }
}

/**
 * Counts a refusal by the limit and returns the error. `what`: the reason, such as "Too many emails were sent to this
 * address".
 */
export function tooManyRequests(limit: LimitName, retryAfterMs: number, what = 'Too many requests'): ServerError {
  countLimit(limit)
  return new ServerError(`${what}. Try again in ${duration(retryAfterMs)}.`, {
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    retryAfterMs,
  })
}

function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds < 60) return count(seconds, 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour')
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
