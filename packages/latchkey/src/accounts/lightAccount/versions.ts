import type { Address, Chain } from 'viem'
import { getLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import type { AccountContract } from '../contract.ts'
import { unknownVersion } from '../unknownVersion.ts'
import { encodeLightCreate } from './encodeLightCreate.ts'
import { lightTypedData } from './lightTypedData.ts'
import { v1 } from './v1.ts'
import { markSigner, predictV2Address, v2 } from './v2.ts'

export type LightAccountContract = AccountContract<'LightAccount', LightAccountVersion>

type Common = Omit<LightAccountContract, 'entryPointVersion' | 'erc1271' | 'predictAddress' | 'encodeCalls'>

/** Oldest first. */
export const lightAccountVersions: readonly LightAccountVersion[] = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0']

/** Data of a version. Throws 'Unknown version {version} of LightAccount' (`VERSION_UNKNOWN`). */
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
      // Its EIP-712 domain is malformed on the chain: no wallet's signature can pass.
      return { ...common, ...v1, erc1271: 'none', fixedSalt: 0n }
    case 'v1.1.0':
      return { ...common, ...v1, erc1271: lightTypedData('LightAccount', '1') }
    case 'v2.0.0':
      return {
        ...common,
        ...v2,
        erc1271: lightTypedData('LightAccount', '2'),
        predictAddress: (made) => predictV2Address({ ...made, createCall: encodeLightCreate(made) }),
        wrapSignature: markSigner(() => '0x01'),
      }
    default:
      throw unknownVersion('LightAccount', version, lightAccountVersions)
  }
}

function implementationsOn(chain: Chain): readonly Address[] {
  return lightAccountVersions.flatMap((version) => getLightAccountContracts({ version, chain })?.implementation ?? [])
}
