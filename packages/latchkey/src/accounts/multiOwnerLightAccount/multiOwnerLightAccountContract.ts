import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { getMultiOwnerLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import { type AccountContract, type Creation, unknownVersionError } from '../contract.ts'
import { wrapLightHash } from '../lightAccount/encoding.ts'
import { markSigner, predictV2Address, v2 } from '../lightAccount/v2.ts'
import { listOwners } from '../listOwners.ts'

const factoryAbi = /* @__PURE__ */ parseAbi([
  'function createAccount(address[] owners, uint256 salt) returns (address)',
])

/**
 * Returns the contract of a version.
 *
 * @throws `VERSION_UNKNOWN`.
 */
export function multiOwnerLightAccountContract(
  version: MultiOwnerLightAccountVersion,
): AccountContract<'MultiOwnerLightAccount', MultiOwnerLightAccountVersion> {
  const source = 'MultiOwnerLightAccount'
  if (version !== 'v2.0.0') throw unknownVersionError(source, version, ['v2.0.0'])
  return {
    ...v2,
    source,
    version,
    erc1271: wrapLightHash(source, '2'),
    contractsOn: (chain) => getMultiOwnerLightAccountContracts({ version, chain }),
    implementationsOn: (chain) => {
      const known = getMultiOwnerLightAccountContracts({ version, chain })
      return known ? [known.implementation] : []
    },
    listOwners,
    encodeCreate,
    predictAddress: (creation) => predictV2Address({ ...creation, createCall: encodeCreate(creation) }),
    // A contract owner's signature must contain the owner's address, because there may be several owners.
    wrapSignature: markSigner((signer) => `0x02${signer.slice(2).toLowerCase()}`),
  }
}

function encodeCreate({ owners, salt }: Creation): Hex {
  return encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args: [owners, salt] })
}
