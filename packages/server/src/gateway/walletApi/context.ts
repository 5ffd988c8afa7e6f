import { errorCodes } from 'latchkey-protocol'
import { type Address, getAddress } from 'viem'
import { z } from 'zod'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import type { Operations } from '../operations/createOperations.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { address, bytes, quantity } from '../rpc/values.ts'
import type { Sponsor } from '../sponsorship/sponsorOperation.ts'
import { findSmartAccount, type SmartAccount } from './smartAccounts.ts'

/** Dependencies of the wallet API's methods. `chains`: the chains that the URL allows. */
export type WalletContext = Sponsor & {
  operations: Operations
  logger: Logger
  chains: readonly Chain[]
  caller: Caller
}

export const account = address.transform((text) => getAddress(text))
export const data = bytes.transform((text) => text as `0x${string}`)
export const chainId = quantity.transform(Number)

/** A secp256k1 signature, which newer clients call `ecdsa`. Keys on other curves cannot own an account here. */
export const signature = z.object({
  type: z.enum(['secp256k1', 'ecdsa'], 'must be secp256k1 or ecdsa'),
  data: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130}$/, 'must be a signature of 65 bytes in hex')
    .transform((text) => text as `0x${string}`),
})

/**
 * Returns the chain of a call by its id, among those that the URL and the key allow.
 *
 * @throws `CHAIN_NOT_FOUND`, `API_KEY_NOT_ALLOWED`.
 */
export function findChain({ chains, caller }: Pick<WalletContext, 'chains' | 'caller'>, wanted: number): Chain {
  const chain = chains.find((candidate) => candidate.chainId === wanted)
  if (!chain)
    throw new RpcError(
      `The chain ${wanted} is not served at this address. Use one of: ${chains.map((each) => each.chainId).join(', ')}.`,
      { code: errorCodes.CHAIN_NOT_FOUND, rpcCode: rpcCodes.unsupportedChain },
    )
  if (!isAllowed(caller, wanted))
    throw new RpcError(`This API key is not for the chain ${wanted}. Use another key.`, {
      code: errorCodes.API_KEY_NOT_ALLOWED,
      rpcCode: rpcCodes.invalidRequest,
    })
  return chain
}

export function isAllowed({ key }: Pick<Caller, 'key'>, id: number): boolean {
  return !key?.chains || key.chains.includes(id)
}

/**
 * Returns an account that the project requested before.
 *
 * @throws `ACCOUNT_NOT_FOUND`.
 */
export async function requireAccount({ db, caller }: WalletContext, wanted: Address): Promise<SmartAccount> {
  const found = await findSmartAccount(db, { projectId: caller.projectId, address: wanted })
  if (found) return found
  throw accountNotFound(wanted)
}

export function accountNotFound(wanted: Address): RpcError {
  return new RpcError(
    `The account ${wanted} is not known to this project. Ask for it first: wallet_requestAccount with its signerAddress and creationHint.`,
    { code: errorCodes.ACCOUNT_NOT_FOUND, rpcCode: rpcCodes.invalidParams },
  )
}
