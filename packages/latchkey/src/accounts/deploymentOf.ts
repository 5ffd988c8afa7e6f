import { type Address, type Hex, serializeErc6492Signature, slice } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'
import { isContract } from './reads/isContract.ts'
import type { ReadClient } from './types.ts'

export declare namespace deploymentOf {
  type Parameters = {
    client: ReadClient
    address: Address
    /** Address the init code gives, where that is known. */
    predicted: Address | undefined
    /** Throws where the init code is not known. */
    requireInitCode(): Hex
  }
  type ReturnType = {
    isDeployed(): Promise<boolean>
    /** Factory address and factory call in one; `0x` once deployed. */
    getInitCode(): Promise<Hex>
    /** The same in two parts; neither once deployed. */
    getFactoryArgs(): Promise<{ factory?: Address; factoryData?: Hex }>
    /** The signature; while the account is undeployed, with what deploys it around (ERC-6492). */
    wrap(signing: Promise<Hex>): Promise<Hex>
  }
  type ErrorType = BaseError
}

/** Whether an account is there, and what makes it. Throws `ACCOUNT_NOT_FOUND` where its init code makes another one. */
export function deploymentOf(parameters: deploymentOf.Parameters): deploymentOf.ReturnType {
  const { client, address, predicted, requireInitCode } = parameters
  // A deployed account stays so; an undeployed one is looked at again.
  let isKnown = false
  const isDeployed = async () => {
    isKnown ||= await isContract({ client, address })
    return isKnown
  }
  const initCode = () => {
    if (predicted && predicted !== address) throw notItsAddress(address, predicted)
    return requireInitCode()
  }
  return {
    isDeployed,
    getInitCode: async () => ((await isDeployed()) ? '0x' : initCode()),
    getFactoryArgs: async () => ((await isDeployed()) ? {} : splitInitCode(initCode())),
    wrap: async (signing) => {
      const [deployed, signature] = await Promise.all([isDeployed(), signing])
      if (deployed) return signature
      const { factory, factoryData } = splitInitCode(initCode())
      return serializeErc6492Signature({ address: factory, data: factoryData, signature })
    },
  }
}

function splitInitCode(initCode: Hex): { factory: Address; factoryData: Hex } {
  return { factory: slice(initCode, 0, 20), factoryData: `0x${initCode.slice(42)}` }
}

function notItsAddress(address: Address, predicted: Address): BaseError {
  return new BaseError(`There is no account at ${address}, and none can be made there.`, {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: [
      `Owners and salt give the address ${predicted}.`,
      'Check `accountAddress` and the chain, or leave it out.',
    ],
  })
}
