import { unknownVersionError } from '../../accounts/contract.ts'
import { multiOwnerLightAccountActions } from '../../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import { toMultiOwnerLightAccount } from '../../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { AccountKind } from './AccountKind.ts'

export const kind: AccountKind<'MultiOwnerLightAccount'> = {
  async make({ version, ...rest }) {
    // The shared type of `version` also allows versions of LightAccount.
    if (version !== undefined && version !== 'v2.0.0')
      throw unknownVersionError('MultiOwnerLightAccount', version, ['v2.0.0'])
    return toMultiOwnerLightAccount({ ...rest, version })
  },
  extend: (client) => client.extend(multiOwnerLightAccountActions),
}
