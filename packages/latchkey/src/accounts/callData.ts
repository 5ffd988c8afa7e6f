import { type Address, type Chain, encodeFunctionData, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract, WholeCall } from './contract.ts'
import { lightAccountAbi } from './lightAccount/encoding.ts'
import type { Call } from './types.ts'

/**
 * Encodes an account's call data for one or more calls.
 *
 * @throws `USER_OPERATION_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 */
export function encodeCalls(contract: AccountContract, calls: readonly Call[], account: Address): Hex {
  const [first, ...more] = (calls ?? []).map(toWholeCall)
  if (first) return contract.encodeCalls([first, ...more], account)
  throw new BaseError('A user operation needs at least one call.', { code: 'USER_OPERATION_INVALID' })
}

function toWholeCall({ to, data = '0x', value = 0n }: Call): WholeCall {
  return {
    to: requireAddress(to),
    data: requireBytes('The data of a call', data),
    value: requireUint('The value of a call', value, 256),
  }
}

export declare namespace encodeUpgradeToAndCall {
  type Upgrade = {
    /** New implementation. */
    upgradeToAddress: Address
    /** Call that the account makes to itself after the upgrade, for example to initialize itself. */
    upgradeToInitData: Hex
  }
  type Parameters = Upgrade & {
    contract: AccountContract
    chain: Chain
    /** Returns the address in the ERC-1967 slot; zero before the account is deployed. */
    getImplementationAddress: () => Promise<Address>
  }
  type ReturnType = Hex
}

/**
 * Encodes the call data that changes an account's implementation. The account must be undeployed, or its current
 * implementation must be one of the contract's own versions.
 *
 * @throws `UPGRADE_UNSUPPORTED`, `IMPLEMENTATION_UNKNOWN`, `STORAGE_SLOT_FAILED`, `ADDRESS_INVALID`,
 * `ARGUMENT_INVALID`.
 */
export async function encodeUpgradeToAndCall(
  parameters: encodeUpgradeToAndCall.Parameters,
): Promise<encodeUpgradeToAndCall.ReturnType> {
  const { contract, chain, getImplementationAddress, upgradeToAddress, upgradeToInitData } = parameters
  const { source, version, implementationsOn } = contract
  if (!implementationsOn) {
    throw new BaseError(`Upgrades are not supported by ${source}`, {
      code: 'UPGRADE_UNSUPPORTED',
      name: 'UpgradesNotSupported',
    })
  }
  const args = [requireAddress(upgradeToAddress), requireBytes('The call of an upgrade', upgradeToInitData)] as const
  const current = await getImplementationAddress()
  if (![zeroAddress, ...implementationsOn(chain)].some((known) => isAddressEqual(known, current))) {
    throw new BaseError(`could not determine if smart account implementation is ${source} ${version}`, {
      code: 'IMPLEMENTATION_UNKNOWN',
      metaMessages: [`Implementation: ${current}`, 'Upgrade only accounts whose code is known on this chain.'],
    })
  }
  return encodeFunctionData({ abi: lightAccountAbi, functionName: 'upgradeToAndCall', args })
}
