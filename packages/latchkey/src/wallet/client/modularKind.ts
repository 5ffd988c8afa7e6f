import { modularAccountActions } from '../../accounts/modularAccount/modularAccountActions.ts'
import { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import type { AccountKind } from './AccountKind.ts'

export const kind: AccountKind<'MultiOwnerModularAccount'> = {
  make: toModularAccount,
  extend: (client) => client.extend(modularAccountActions),
}
