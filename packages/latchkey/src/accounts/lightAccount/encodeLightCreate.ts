import { encodeFunctionData, type Hex } from 'viem'
import type { Creation } from '../contract.ts'
import { lightAccountFactoryAbi } from './lightAccountAbi.ts'

/** Call data of a LightAccount factory. */
export function encodeLightCreate({ owners: [owner], salt }: Creation): Hex {
  return encodeFunctionData({ abi: lightAccountFactoryAbi, functionName: 'createAccount', args: [owner, salt] })
}
