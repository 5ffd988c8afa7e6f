import { type Address, type Chain, encodeFunctionData, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { requireAddress, requireBytes } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { lightAccountAbi } from './lightAccount/lightAccountAbi.ts'

export declare namespace encodeUpgradeToAndCall {
  type Upgrade = {
    /** The new implementation. */
    upgradeToAddress: Address
    /** Call the account then makes to itself, for example to initialise. */
    upgradeToInitData: Hex
  }
  type Parameters = Upgrade & {
    contract: AccountContract
    chain: Chain
    /** Address in the ERC-1967 slot; zero while undeployed. */
    readImplementation: () => Promise<Address>
  }
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Call data that gives an account other code. Only for accounts whose present code is known: to be undeployed, or one
 * of the contract's own versions. Throws `UPGRADE_UNSUPPORTED`, `IMPLEMENTATION_UNKNOWN`, `STORAGE_SLOT_FAILED`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 */
export async function encodeUpgradeToAndCall(
  parameters: encodeUpgradeToAndCall.Parameters,
): Promise<encodeUpgradeToAndCall.ReturnType> {
  const { contract, chain, readImplementation, upgradeToAddress, upgradeToInitData } = parameters
  const { source, version, implementationsOn } = contract
  if (!implementationsOn) {
    throw new BaseError(`Upgrades are not supported by ${source}`, {
      code: 'UPGRADE_UNSUPPORTED',
      name: 'UpgradesNotSupported',
    })
  }
  const args = [requireAddress(upgradeToAddress), requireBytes('The call of an upgrade', upgradeToInitData)] as const
  const current = await readImplementation()
  if (![zeroAddress, ...implementationsOn(chain)].some((known) => isAddressEqual(known, current))) {
    throw new BaseError(`could not determine if smart account implementation is ${source} ${version}`, {
      code: 'IMPLEMENTATION_UNKNOWN',
      metaMessages: [`Implementation: ${current}`, 'Upgrade only accounts whose code is known on this chain.'],
    })
  }
  return encodeFunctionData({ abi: lightAccountAbi, functionName: 'upgradeToAndCall', args })
}
