export { transferOwnership as transferLightAccountOwnership } from '../accounts/actions/transferOwnership.ts'
export { updateOwners as updateMultiOwnerLightAccountOwners } from '../accounts/actions/updateOwners.ts'
export { getLightAccountVersion } from '../accounts/lightAccount/getLightAccountVersion.ts'
export { lightAccountActions as lightAccountClientActions } from '../accounts/lightAccount/lightAccountActions.ts'
export { getMSCAUpgradeToData } from '../accounts/modularAccount/getMSCAUpgradeToData.ts'
export { multiOwnerLightAccountActions as multiOwnerLightAccountClientActions } from '../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
export { accountLoupeActions } from '../accounts/plugins/accountLoupe.ts'
export { installPlugin } from '../accounts/plugins/installPlugin.ts'
export { multiOwnerPluginActions } from '../accounts/plugins/multiOwnerPluginActions.ts'
export { pluginManagerActions } from '../accounts/plugins/pluginManagerActions.ts'
export { sessionKeyAccessListType as SessionKeyAccessListType } from '../accounts/plugins/sessionKey/permissions.ts'
export { buildSessionKeysToRemoveStruct } from '../accounts/plugins/sessionKey/readSessionKeys.ts'
export { SessionKeyPermissionsBuilder } from '../accounts/plugins/sessionKey/SessionKeyPermissionsBuilder.ts'
export { SessionKeySigner } from '../accounts/plugins/sessionKey/SessionKeySigner.ts'
export { sessionKeyPluginActions } from '../accounts/plugins/sessionKey/sessionKeyPluginActions.ts'
export {
  arbitrum,
  arbitrumGoerli,
  arbitrumSepolia,
  base,
  baseGoerli,
  baseSepolia,
  fraxtal,
  fraxtalSepolia,
  goerli,
  mainnet,
  optimism,
  optimismGoerli,
  optimismSepolia,
  polygon,
  polygonAmoy,
  polygonMumbai,
  sepolia,
  zora,
  zoraSepolia,
} from '../core/chains/publicChains.ts'
export { BaseError } from '../core/errors/BaseError.ts'
export { createBundlerClient } from '../wallet/client/createBundlerClient.ts'
export { createSmartAccountClient } from '../wallet/client/createSmartAccountClient.ts'
export { split } from '../wallet/client/split.ts'
export {
  alchemyGasManagerMiddleware,
  createAlchemySmartAccountClientFromExisting,
  createAlchemySmartAccountClientFromExisting as createSmartAccountClientFromExisting,
  createBundlerClientFromExisting,
  type FromExistingConfig,
  getChain,
} from '../wallet/compat/clients.ts'
export {
  type AlchemyLightAccountClientConfig,
  type AlchemyModularAccountClientConfig,
  type AlchemyMultiOwnerLightAccountClientConfig,
  type AlchemySmartAccountClientConfig,
  type CreateLightAccountParams,
  type CreateModularAccountV2Params,
  type CreateMultiOwnerLightAccountParams,
  type CreateMultiOwnerModularAccountParams,
  createAlchemyPublicRpcClient,
  createAlchemySmartAccountClient,
  createLightAccount,
  createLightAccountAlchemyClient,
  createModularAccountAlchemyClient,
  createModularAccountV2,
  createModularAccountV2Client,
  createMultiOwnerLightAccount,
  createMultiOwnerLightAccountAlchemyClient,
  createMultiOwnerModularAccount,
  defineAlchemyChain,
  getAlchemyPaymasterAddress,
  LocalAccountSigner,
  type ModularAccountV2ClientConfig,
  type SmartAccountSigner,
} from '../wallet/compat/compat.ts'
export {
  AlchemySigner,
  type AlchemySignerParams,
  AlchemySignerStatus,
  WalletClientSigner,
} from '../wallet/compat/signers.ts'
export { WaitForUserOperationError } from '../wallet/errors/WaitForUserOperationError.ts'
export type { GasManagerConfig as AlchemyGasManagerConfig } from '../wallet/middleware/types.ts'
