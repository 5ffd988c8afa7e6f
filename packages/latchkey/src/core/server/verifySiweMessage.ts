import type { Address, Client, Hex } from 'viem'
import { parseSiweMessage, verifySiweMessage as verifyOnChain } from 'viem/siwe'
import { BaseError } from '../errors/BaseError.ts'

export declare namespace verifySiweMessage {
  type Parameters = {
    /** Message that the account signed (ERC-4361). */
    message: string
    /** Signature returned by the smart account client's `signMessage`. */
    signature: Hex
    /** Host of the app, such as `app.example.com`. */
    domain: string
    /**
     * Nonce that this server issued for the sign-in. Delete the nonce before this call, so that it can be used only
     * once.
     */
    nonce: string
    /**
     * Current time in milliseconds since the epoch.
     * @default Date.now()
     */
    now?: number | undefined
  }
  type ReturnType = Promise<{ address: Address; chainId: number }>
}

/**
 * Verifies a Sign-In with Ethereum message (ERC-4361) of a smart account and returns its address. Accepts signatures of
 * deployed accounts (ERC-1271), of accounts that are not deployed yet (ERC-6492), and of plain keys. The client must
 * use the message's chain.
 *
 * @throws `UNAUTHENTICATED` (respond with 401), `CHAIN_MISMATCH`; errors of viem if the node cannot be reached.
 *
 * @example
 * ```ts
 * import { verifySiweMessage } from 'latchkey/server'
 * import { createPublicClient, http } from 'viem'
 * import { sepolia } from 'viem/chains'
 *
 * const client = createPublicClient({ chain: sepolia, transport: http() })
 *
 * export async function signIn(message: string, signature: `0x${string}`, nonce: string) {
 *   const { address } = await verifySiweMessage(client, { message, signature, domain: 'app.example.com', nonce })
 *   return address
 * }
 * ```
 */
export async function verifySiweMessage(
  client: Client,
  parameters: verifySiweMessage.Parameters,
): verifySiweMessage.ReturnType {
  const { message, signature, domain, nonce, now = Date.now() } = parameters
  const { address, chainId } = parseSiweMessage(message)
  if (!address || chainId === undefined) throw refused('The message is not a Sign-In with Ethereum message (ERC-4361).')
  const clientChainId = client.chain?.id
  if (clientChainId !== undefined && clientChainId !== chainId)
    throw new BaseError(`The message is for chain ${chainId}, but the client is for chain ${clientChainId}.`, {
      code: 'CHAIN_MISMATCH',
      metaMessages: ['Pass a client of the chain in the message, if your app supports that chain.'],
    })
  const isValid = await verifyOnChain(client, { message, signature, domain, nonce, time: new Date(now) })
  if (!isValid)
    throw refused('The signature, the domain, the nonce or the time of the message is wrong. Sign in again.')
  return { address, chainId }
}

const refused = (message: string) => new BaseError(message, { code: 'UNAUTHENTICATED', name: 'SiweError' })
