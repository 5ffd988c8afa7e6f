import { parseAbiItem } from 'viem'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { TestGateway } from './startTestGateway.ts'

const event = parseAbiItem(
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
)

/**
 * Compares log and ledger with all events on the chain. The log must contain each operation that Latchkey's paymasters
 * paid for once, as included. The ledger must contain it once, settled at its exact cost.
 */
export async function checkLedger(
  { client, db }: Pick<TestGateway, 'client' | 'db'>,
  paymasters: readonly `0x${string}`[],
): Promise<string[]> {
  const address = Object.values(devAddresses.entryPoints)
  const logs = await client.getLogs({ address, event, args: { paymaster: [...paymasters] }, fromBlock: 0n })
  const costs = new Map(logs.map(({ args }) => [args.userOpHash?.toLowerCase() ?? '', String(args.actualGasCost)]))
  const included = await db
    .selectFrom('operations')
    .select(['user_op_hash', 'actual_gas_cost'])
    .where('state', '=', 'included')
    .execute()
  const settled = await db
    .selectFrom('reservations')
    .select(['user_op_hash', 'actual_cost'])
    .where('state', '=', 'settled')
    .execute()
  return [
    ...(costs.size === logs.length ? [] : ['An operation is on the chain twice.']),
    ...compare(
      'log',
      costs,
      included.map(({ user_op_hash, actual_gas_cost }) => [user_op_hash, actual_gas_cost]),
    ),
    ...compare(
      'books',
      costs,
      settled.map(({ user_op_hash, actual_cost }) => [user_op_hash ?? '', actual_cost]),
    ),
  ]
}

function compare(
  what: string,
  costs: ReadonlyMap<string, string>,
  rows: [hash: string, cost: string | null][],
): string[] {
  const found = new Map(rows)
  return [
    ...(found.size === rows.length ? [] : [`The ${what} hold an operation twice.`]),
    ...[...costs].flatMap(([hash, cost]) =>
      found.get(hash) === cost ? [] : [`${hash} cost ${cost} wei; the ${what} say ${found.get(hash)}.`],
    ),
    ...rows.flatMap(([hash]) => (costs.has(hash) ? [] : [`${hash} is in the ${what} and not on the chain.`])),
  ]
}
