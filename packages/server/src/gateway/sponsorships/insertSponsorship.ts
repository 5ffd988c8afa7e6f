import { randomUUID } from 'node:crypto'
import type { Address, Hex } from 'viem'
import type { Db } from '../../store/openStore.ts'

export declare namespace insertSponsorship {
  type Parameters = {
    projectId: string
    policyId: string
    chainId: number
    entryPoint: Address
    sender: Address
    nonce: bigint
    userOpHash: Hex
    /** Wei the paymaster may have to pay at most. */
    maxCost: bigint
    /** Seconds since the epoch. */
    validUntil: number
  }
}

/** Keeps one row a signed operation, in state `signed`. */
export async function insertSponsorship(db: Db, sponsorship: insertSponsorship.Parameters): Promise<void> {
  await db
    .insertInto('sponsorships')
    .values({
      id: randomUUID(),
      project_id: sponsorship.projectId,
      policy_id: sponsorship.policyId,
      chain_id: sponsorship.chainId,
      entry_point: sponsorship.entryPoint,
      sender: sponsorship.sender,
      nonce: sponsorship.nonce.toString(),
      user_op_hash: sponsorship.userOpHash,
      max_cost: sponsorship.maxCost,
      state: 'signed',
      valid_until: new Date(sponsorship.validUntil * 1000),
    })
    .execute()
}
