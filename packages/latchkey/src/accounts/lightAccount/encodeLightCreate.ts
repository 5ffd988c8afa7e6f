import { type Address, encodeFunctionData, type Hex } from 'viem'
import { lightAccountFactoryAbi } from './lightAccountAbi.ts'

/** Call data of a LightAccount factory. */
export function encodeLightCreate({ owner, salt }: { owner: Address; salt: bigint }): Hex {
  return encodeFunctionData({ abi: lightAccountFactoryAbi, functionName: 'createAccount', args: [owner, salt] })
}
