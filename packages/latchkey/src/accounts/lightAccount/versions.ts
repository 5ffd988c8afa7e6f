import type { LightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { LightAccountContract } from './contract.ts'
import { v1_1_0 } from './v1_1_0.ts'
import { v2_0_0 } from './v2_0_0.ts'

const versions: { readonly [version in LightAccountVersion]?: LightAccountContract } = {
  'v1.1.0': v1_1_0,
  'v2.0.0': v2_0_0,
}

/** Data of a version. Throws `VERSION_UNKNOWN`. */
export function lightAccountContract(version: string): LightAccountContract {
  const found = Object.hasOwn(versions, version) ? versions[version as LightAccountVersion] : undefined
  if (found) return found
  throw new BaseError(`Unknown version ${version} of LightAccount`, {
    code: 'VERSION_UNKNOWN',
    metaMessages: [`Known versions: ${Object.keys(versions).join(', ')}`],
  })
}
