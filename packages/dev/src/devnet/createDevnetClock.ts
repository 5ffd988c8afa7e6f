import { setTimeout } from 'node:timers/promises'
import { advanceClock, ServerError } from 'latchkey-server'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import type { startParts } from './startParts.ts'

/** How long the roles may take to notice that time moved. */
const noticeMs = 5_000

/** The time of a devnet: of its database, its server, its bundler and its chain. Pages have the browser's, which a test moves itself. */
export type DevnetClock = {
  /** Milliseconds since the epoch, by the server. */
  now(): number
  /**
   * Moves the time forward, by milliseconds or by a text such as `'90s'`, `'16m'`, `'2h'` or `'7d'`: sessions, links, limits,
   * waiting jobs and what contracts compare with the time of a block. Resolves once every role has it and a block is mined.
   *
   * @throws `ARGUMENT_INVALID`, `TIMEOUT`; what the chain throws where `rpcUrl` names one that cannot move its time.
   */
  advance(by: number | string): Promise<void>
}

/** The clock of a devnet that runs. */
export function createDevnetClock({ databaseUrl, roles, node, bundler }: startParts.ReturnType): DevnetClock {
  // The frames keep no time.
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
      // Half a second for reading the two clocks one after the other.
      for (let waited = 0; running().length > 0 && aheadMs() < target.aheadMs - 500; waited += 20) {
        if (waited > noticeMs)
          throw new DevError('A part of the server did not notice that time moved. Look at its log.', {
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
      `'${by.slice(0, 32)}' is no duration. Write a number of milliseconds, or such as '90s' or '16m'.`,
      {
        code: 'ARGUMENT_INVALID',
      },
    )
  return Number(count) * units[unit as keyof typeof units]
}
