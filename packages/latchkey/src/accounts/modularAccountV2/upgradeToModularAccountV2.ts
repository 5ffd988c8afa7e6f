import { type Address, encodeFunctionData, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { requireAddress, requireChain } from '../../core/arguments.ts'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import { ownersOf } from '../plugins/multiOwnerPlugin.ts'
import { readOwners } from '../reads/readOwners.ts'
import type { LatchkeyAccount } from '../types.ts'
import { modularAccountV2Abi } from './encoding.ts'

/** SemiModularAccountStorageOnly, which stores its owner in storage. It has the same address on all chains. */
const upgradedImplementation = '0x0000000000006E2f9d80CaEc0Da6500f005EB25A'

export declare namespace upgradeToModularAccountV2 {
  type Parameters = SendOptions & {
    /** Implementation to upgrade to. @default the implementation on public chains */
    implementationAddress?: Address | undefined
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Upgrades a LightAccount, MultiOwnerLightAccount or MultiOwnerModularAccount to a Modular Account v2. Address, ether
 * and tokens do not change. The signer becomes the only owner, and later operations use EntryPoint 0.7. Afterwards,
 * create a new account object: `toModularAccountV2` with `accountAddress`. Withdraw any deposit at EntryPoint 0.6
 * before the upgrade.
 *
 * @throws `UPGRADE_UNSUPPORTED`, `OWNERS_INVALID` if the account has other owners, `IMPLEMENTATION_UNKNOWN`,
 * `STORAGE_SLOT_FAILED`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { toModularAccountV2, upgradeToModularAccountV2 } from 'latchkey/accounts'
 * import { account, client, publicClient } from './config.ts'
 *
 * await upgradeToModularAccountV2(client, { waitForTxn: true })
 * const accountAddress = account.address
 * const upgraded = await toModularAccountV2({ client: publicClient, owner: account.getSigner(), accountAddress })
 * console.log(upgraded.address)
 * ```
 */
export async function upgradeToModularAccountV2(
  client: OperationClient,
  { implementationAddress = upgradedImplementation, ...options }: upgradeToModularAccountV2.Parameters = {},
): Promise<upgradeToModularAccountV2.ReturnType> {
  const account = requireAccount(client, options, 'upgradeToModularAccountV2')
  const owner = await account.getSigner().getAddress()
  await requireSoleOwner(account)
  const callData = await encodeUpgrade(account, {
    upgradeToAddress: requireAddress(implementationAddress),
    upgradeToInitData: encodeFunctionData({ abi: modularAccountV2Abi, functionName: 'initialize', args: [owner] }),
  })
  return sendCallData(client, { ...options, account, callData })
}

type Upgrade = { upgradeToAddress: Address; upgradeToInitData: Hex }

async function encodeUpgrade(account: LatchkeyAccount, upgrade: Upgrade): Promise<Hex> {
  if (account.source === 'LightAccount' || account.source === 'MultiOwnerLightAccount') {
    const data = await account.encodeUpgradeToAndCall(upgrade)
    return account.encodeCalls([{ to: account.address, data }])
  }
  if (account.source !== 'MultiOwnerModularAccount') {
    throw new BaseError(`${account.source} ${account.version} cannot become a Modular Account v2.`, {
      code: 'UPGRADE_UNSUPPORTED',
      metaMessages: ['Pass a LightAccount, a MultiOwnerLightAccount or a MultiOwnerModularAccount.'],
    })
  }
  const current = await account.getImplementationAddress()
  const known = getModularAccountContracts(requireChain(account.client))?.implementation
  if (![zeroAddress, known].some((each) => each && isAddressEqual(each, current))) {
    throw new BaseError(`could not determine if smart account implementation is ${account.source} ${account.version}`, {
      code: 'IMPLEMENTATION_UNKNOWN',
      metaMessages: [`Implementation: ${current}`, 'Upgrade only accounts whose code is known on this chain.'],
    })
  }
  const args = [upgrade.upgradeToAddress, upgrade.upgradeToInitData] as const
  return encodeFunctionData({ abi: modularAccountV2Abi, functionName: 'upgradeToAndCall', args })
}

/** Throws if the account has other owners, who would lose the account without notice. */
async function requireSoleOwner(account: LatchkeyAccount): Promise<void> {
  if (account.source === 'LightAccount' || !(await account.isDeployed())) return
  const { client, address } = account
  const owners =
    account.source === 'MultiOwnerModularAccount'
      ? await ownersOf(client, { account: address })
      : await readOwners(client, { address })
  if (owners.length <= 1) return
  throw new BaseError(`The account has ${owners.length} owners, and a Modular Account v2 keeps one.`, {
    code: 'OWNERS_INVALID',
    metaMessages: ['Remove the other owners first, or keep the account as it is.'],
  })
}
