import type { Address, Chain } from 'viem'
import { getLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import { type AccountContract, unknownVersionError } from '../contract.ts'
import { encodeLightCreate, wrapLightHash } from './encoding.ts'
import { v1 } from './v1.ts'
import { markSigner, predictV2Address, v2 } from './v2.ts'

export type LightAccountContract = AccountContract<'LightAccount', LightAccountVersion>

type Common = Omit<LightAccountContract, 'entryPointVersion' | 'erc1271' | 'predictAddress' | 'encodeCalls'>

/** Versions, oldest first. */
export const lightAccountVersions: readonly LightAccountVersion[] = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0']

/**
 * Returns the contract of a version.
 *
 * @throws `VERSION_UNKNOWN`.
 */
export function lightAccountContract(version: LightAccountVersion): LightAccountContract {
  const common: Common = {
    source: 'LightAccount',
    version,
    contractsOn: (chain) => getLightAccountContracts({ version, chain }),
    implementationsOn,
    listOwners: (_, signer) => [signer],
    encodeCreate: encodeLightCreate,
  }
  switch (version) {
    case 'v1.0.1':
      return { ...common, ...v1, erc1271: 'bare', fixedSalt: 0n }
    case 'v1.0.2':
      // The EIP-712 domain of this version's contract is malformed, so no signature is valid.
      return { ...common, ...v1, erc1271: 'none', fixedSalt: 0n }
    case 'v1.1.0':
      return { ...common, ...v1, erc1271: wrapLightHash('LightAccount', '1') }
    case 'v2.0.0':
      return {
        ...common,
        ...v2,
        erc1271: wrapLightHash('LightAccount', '2'),
        predictAddress: (creation) => predictV2Address({ ...creation, createCall: encodeLightCreate(creation) }),
        wrapSignature: markSigner(() => '0x01'),
      }
    default:
      throw unknownVersionError('LightAccount', version, lightAccountVersions)
  }
}

function implementationsOn(chain: Chain): readonly Address[] {
  return lightAccountVersions.flatMap((version) => getLightAccountContracts({ version, chain })?.implementation ?? [])
}
