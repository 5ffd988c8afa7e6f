import { type Address, encodeFunctionData, type Hex, parseEther } from 'viem'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import type { devClient } from '../../packages/dev/src/chain/devClient.ts'
import { lightAccountV1Abi as abi, lightAccountFactoryV1Abi } from './lightAccountV1Abi.ts'
import type { TestChain } from './testChain.ts'

const { factory } = devAddresses.lightAccount['v1.1.0']

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

/** A new account with 10 ether, a new key that owns it unless another owner is given, and someone who is neither. */
export async function createAccount(chain: TestChain, owner?: Address): Promise<TestAccount> {
  const [key, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.clientOf(key.privateKey)
  const parameters = { address: factory, abi: lightAccountFactoryV1Abi, args: [owner ?? key.address, 0n] } as const
  const address = await by.read.readContract({ ...parameters, functionName: 'getAddress' })
  await by.transact({ to: factory, data: encodeFunctionData({ ...parameters, functionName: 'createAccount' }) })
  await by.transact({ to: address, value: parseEther('10') })
  return { address, owner: key, stranger, by, read: by.read, account: { address, abi } }
}

/** A user operation of entry point 0.6 in which only sender and signature count. */
export function emptyOperation(sender: Address, signature: Hex) {
  return {
    sender,
    nonce: 0n,
    initCode: '0x',
    callData: '0x',
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    paymasterAndData: '0x',
    signature,
  } as const
}
