import type { Context, Env, MiddlewareHandler } from 'hono'
import { ServerError } from './ServerError.ts'

/** So many requests of one key in so much time. */
export type Limit = { limit: number; windowMs: number }

/**
 * Refuses requests beyond a limit with 429 and `Retry-After`. `keyOf` answers what is limited, or undefined for a request
 * that is not; `take` is `takeToken` on the store.
 *
 * @throws ServerError `RATE_LIMIT_EXCEEDED` (429)
 */
export function rateLimit<env extends Env>(options: rateLimit.Options<env>): MiddlewareHandler<env> {
  const { limit, windowMs, keyOf, take } = options
  return async (context, next) => {
    const key = await keyOf(context)
    const taken = key === undefined ? undefined : await take({ key, limit, windowMs })
    if (taken?.ok === false) throw tooManyRequests(taken.retryAfterMs)
    await next()
  }
}

export declare namespace rateLimit {
  type Options<env extends Env> = Limit & {
    keyOf(context: Context<env>): string | undefined | Promise<string | undefined>
    take(token: { key: string } & Limit): Promise<{ ok: true } | { ok: false; retryAfterMs: number }>
  }
}

/** `what`: of what there was too much, such as "Too many mails were sent to this address". */
export function tooManyRequests(retryAfterMs: number, what = 'Too many requests'): ServerError {
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
