import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { getMultiOwnerLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import type { AccountContract, Creation } from '../contract.ts'
import { lightTypedData } from '../lightAccount/lightTypedData.ts'
import { markSigner, predictV2Address, v2 } from '../lightAccount/v2.ts'
import { listOwners } from '../listOwners.ts'
import { unknownVersion } from '../unknownVersion.ts'

const factoryAbi = /* @__PURE__ */ parseAbi([
  'function createAccount(address[] owners, uint256 salt) returns (address)',
])

/** Data of a version. Throws 'Unknown version {version} of MultiOwnerLightAccount' (`VERSION_UNKNOWN`). */
export function multiOwnerLightAccountContract(
  version: MultiOwnerLightAccountVersion,
): AccountContract<'MultiOwnerLightAccount', MultiOwnerLightAccountVersion> {
  const source = 'MultiOwnerLightAccount'
  if (version !== 'v2.0.0') throw unknownVersion(source, version, ['v2.0.0'])
  return {
    ...v2,
    source,
    version,
    erc1271: lightTypedData(source, '2'),
    contractsOn: (chain) => getMultiOwnerLightAccountContracts({ version, chain }),
    implementationsOn: (chain) => {
      const known = getMultiOwnerLightAccountContracts({ version, chain })
      return known ? [known.implementation] : []
    },
    listOwners,
    encodeCreate,
    predictAddress: (made) => predictV2Address({ ...made, createCall: encodeCreate(made) }),
    // With several owners the signature must say which contract is to judge it.
    wrapSignature: markSigner((signer) => `0x02${signer.slice(2).toLowerCase()}`),
  }
}

function encodeCreate({ owners, salt }: Creation): Hex {
  return encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args: [owners, salt] })
}
