export { clientActionMutationOptions } from '../query/clientAction.ts'
export {
  dismissOperationMutationOptions,
  dropAndReplaceUserOperationMutationOptions,
  sendCallsMutationOptions,
  sendTransactionMutationOptions,
  sendTransactionsMutationOptions,
  sendUserOperationMutationOptions,
  signMessageMutationOptions,
  signTypedDataMutationOptions,
  waitForUserOperationTransactionMutationOptions,
} from '../query/clientMutations.ts'
export type { ConfigMutation } from '../query/configMutation.ts'
export {
  addMfaMutationOptions,
  getMfaFactorsMutationOptions,
  removeMfaMutationOptions,
  validateMultiFactorsMutationOptions,
  verifyMfaMutationOptions,
} from '../query/multiFactorMutations.ts'
export { getOwnersQueryOptions, rotateOwnerMutationOptions } from '../query/owners.ts'
export {
  type ConfigQuery,
  getAuthMethodsQueryOptions,
  getCallsStatusQueryOptions,
  getProvidersQueryOptions,
  getSimulationQueryOptions,
} from '../query/queries.ts'
export {
  addPasskeyMutationOptions,
  authenticateMutationOptions,
  changeAuthMethodsMutationOptions,
  changeProvidersMutationOptions,
  exportAccountMutationOptions,
  extendSessionMutationOptions,
  getAccessTokenMutationOptions,
  logoutMutationOptions,
  openImportMutationOptions,
  setChainMutationOptions,
  submitImportMutationOptions,
} from '../query/signerMutations.ts'
export { getSpendingRulesQueryOptions, setSpendingRulesMutationOptions } from '../query/spending.ts'
