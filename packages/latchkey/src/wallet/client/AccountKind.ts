import type { LightAccountActions } from '../../accounts/lightAccount/lightAccountActions.ts'
import type { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import type { ModularAccountActions } from '../../accounts/modularAccount/modularAccountActions.ts'
import type { ModularAccountV2Actions } from '../../accounts/modularAccountV2/modularAccountV2Actions.ts'
import type { MultiOwnerLightAccountActions } from '../../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import type { AccountConfig, AccountOf, AccountType } from '../store/types.ts'
import type { SmartAccountClient } from './types.ts'

/** Additional client actions by account type. */
type Actions = {
  LightAccount: LightAccountActions
  MultiOwnerModularAccount: ModularAccountActions
  MultiOwnerLightAccount: MultiOwnerLightAccountActions
  ModularAccountV2: ModularAccountV2Actions
}

export type ClientOf<type extends AccountType = AccountType> = {
  [each in AccountType]: SmartAccountClient<AccountOf<each>, Actions[each]>
}[type]

/** Creates accounts of a type, and adds the type's actions to clients. */
export type AccountKind<type extends AccountType> = {
  make(parameters: AccountConfig & Pick<toLightAccount.Parameters, 'client' | 'owner'>): Promise<AccountOf<type>>
  extend(client: SmartAccountClient<AccountOf<type>>): ClientOf<type>
}
