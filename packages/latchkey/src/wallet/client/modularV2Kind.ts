import { modularAccountV2Actions } from '../../accounts/modularAccountV2/modularAccountV2Actions.ts'
import { toModularAccountV2 } from '../../accounts/modularAccountV2/toModularAccountV2.ts'
import type { AccountKind } from './AccountKind.ts'

export const kind: AccountKind<'ModularAccountV2'> = {
  make: ({ version: _, owners: __, ...rest }) => toModularAccountV2(rest),
  extend: (client) => client.extend(modularAccountV2Actions),
}
