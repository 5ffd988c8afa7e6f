import { type Address, concat, encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import type { devClient } from '../../packages/dev/src/chain/devClient.ts'
import { lightAccountV2Abi as abi, lightAccountFactoryV2Abi } from './lightAccountV2Abi.ts'
import type { TestChain } from './testChain.ts'

const { factory } = devAddresses.lightAccountV2

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
type TestAccount = {
  address: Address
  owner: Key
  stranger: Key
  /** Acts for the owner's key. */
  by: devClient.ReturnType
  read: devClient.ReturnType['read']
  account: { address: Address; abi: typeof abi }
}

/** A new v2 account with 10 ether, a new key that owns it unless another owner is given, and someone who is neither. */
export async function createAccountV2(chain: TestChain, owner?: Address): Promise<TestAccount> {
  const [key, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.clientOf(key.privateKey)
  const parameters = { address: factory, abi: lightAccountFactoryV2Abi, args: [owner ?? key.address, 0n] } as const
  const address = await by.read.readContract({ ...parameters, functionName: 'getAddress' })
  await by.transact({ to: factory, data: encodeFunctionData({ ...parameters, functionName: 'createAccount' }) })
  await by.transact({ to: address, value: parseEther('10') })
  return { address, owner: key, stranger, by, read: by.read, account: { address, abi } }
}

/** Says that a key made the signature, or a contract. */
export const byKey = (signature: Hex): Hex => concat(['0x00', signature])
export const byContract = (signature: Hex): Hex => concat(['0x01', signature])

/** A user operation of entry point 0.7 in which only sender and signature count. */
export function emptyOperation07(sender: Address, signature: Hex) {
  return {
    sender,
    nonce: 0n,
    initCode: '0x',
    callData: '0x',
    accountGasLimits: toHex(0, { size: 32 }),
    preVerificationGas: 0n,
    gasFees: toHex(0, { size: 32 }),
    paymasterAndData: '0x',
    signature,
  } as const
}
