import type { Address, Hex } from 'viem'
import { DevError } from '../errors.ts'
import type { devClient } from './devClient.ts'
import { rpc } from './rpc.ts'

export declare namespace constructAt {
  type Parameters = {
    client: devClient.ReturnType
    rpcUrl: string
    address: Address
    /** Creation code with the constructor's arguments behind it. */
    initCode: Hex
  }
}

/**
 * Puts a contract at an address of our choice with everything its constructor does: immutables hold that address, its
 * storage is written, and contracts it creates get the addresses they would have had. The creation code is placed as
 * the address's code and called: what it returns is the contract's code.
 * `client`'s account is the constructor's `msg.sender`.
 */
export async function constructAt({ client, rpcUrl, address, initCode }: constructAt.Parameters): Promise<void> {
  await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, initCode] })
  try {
    // A contract starts to count at 1 (EIP-161): what it creates first has nonce 1 in its address.
    await rpc({ url: rpcUrl, method: 'anvil_setNonce', params: [address, '0x1'] })
    const { data: code } = await client.read.call({ account: client.account, to: address, gas: constructorGas })
    if (!code) throw new DevError(`The constructor for ${address} returned no code.`, { code: 'CONTRACT_REVERTED' })
    await client.transact({ to: address, gas: constructorGas })
    await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, code] })
  } catch (error) {
    // Creation code left behind would look like a contract that is already there.
    await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, '0x'] })
    throw error
  }
}

const constructorGas = 15_000_000n
