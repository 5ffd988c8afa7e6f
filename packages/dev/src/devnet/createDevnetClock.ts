import { setTimeout } from 'node:timers/promises'
import { advanceClock, ServerError } from 'latchkey-server'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import type { startParts } from './startParts.ts'

/** Longest wait in milliseconds until every server role uses the new time. */
const noticeMs = 5_000

/**
 * Clock of a devnet's database, server, bundler and chain. Pages use the browser's clock, which tests change
 * themselves.
 */
export type DevnetClock = {
  /** Returns the server's time in milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time forward, by milliseconds or by a text such as `'90s'`, `'16m'`, `'2h'` or `'7d'`. Affects sessions,
   * links, limits, waiting jobs and block timestamps. Resolves once every role uses the new time and a block is mined.
   *
   * @throws `ARGUMENT_INVALID`, `TIMEOUT`; the node's error if the node at `rpcUrl` cannot change its time.
   */
  advance(by: number | string): Promise<void>
}

export function createDevnetClock({ databaseUrl, roles, node, bundler }: startParts.ReturnType): DevnetClock {
  // Frames have no clock.
  const { custody, signerApi, gateway, admin } = roles
  const running = () => [custody, signerApi, gateway, admin].flatMap((role) => role.now() ?? [])
  const aheadMs = () => Math.min(...running()) - Date.now()
  return {
    now: () => Math.max(...running(), Date.now()),
    async advance(by) {
      const byMs = parseDuration(by)
      const target = await advanceClock({ databaseUrl, byMs }).catch((cause: unknown) => {
        throw cause instanceof ServerError ? new DevError(cause.message, { code: cause.code, cause }) : cause
      })
      // The two clocks are read in sequence; the tolerance is half a second.
      for (let waited = 0; running().length > 0 && aheadMs() < target.aheadMs - 500; waited += 20) {
        if (waited > noticeMs)
          throw new DevError('A part of the server did not get the new time. Check its log.', {
            code: 'TIMEOUT',
          })
        await setTimeout(20)
      }
      await bundler.setAhead(target.aheadMs)
      await rpc({ url: node.innerUrl, method: 'evm_increaseTime', params: [Math.ceil(byMs / 1000)] })
      await rpc({ url: node.innerUrl, method: 'evm_mine' })
    },
  }
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function parseDuration(by: number | string): number {
  if (typeof by === 'number') return by
  const [, count, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(by.trim()) ?? []
  if (count === undefined)
    throw new DevError(
      `'${by.slice(0, 32)}' is not a duration. Pass a number of milliseconds, or text such as '90s' or '16m'.`,
      {
        code: 'ARGUMENT_INVALID',
      },
    )
  return Number(count) * units[unit as keyof typeof units]
}
