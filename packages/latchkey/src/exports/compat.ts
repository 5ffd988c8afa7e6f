export { lightAccountActions as lightAccountClientActions } from '../accounts/lightAccount/lightAccountActions.ts'
export { multiOwnerLightAccountActions as multiOwnerLightAccountClientActions } from '../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
export { accountLoupeActions } from '../accounts/plugins/accountLoupe.ts'
export { multiOwnerPluginActions } from '../accounts/plugins/multiOwnerPluginActions.ts'
export { pluginManagerActions } from '../accounts/plugins/pluginManagerActions.ts'
export { SessionKeyPermissionsBuilder } from '../accounts/plugins/sessionKey/SessionKeyPermissionsBuilder.ts'
export { SessionKeySigner } from '../accounts/plugins/sessionKey/SessionKeySigner.ts'
export { sessionKeyPluginActions } from '../accounts/plugins/sessionKey/sessionKeyPluginActions.ts'
export {
  type AlchemyLightAccountClientConfig,
  type AlchemyModularAccountClientConfig,
  type AlchemyMultiOwnerLightAccountClientConfig,
  type AlchemySmartAccountClientConfig,
  type CreateLightAccountParams,
  type CreateMultiOwnerLightAccountParams,
  type CreateMultiOwnerModularAccountParams,
  createAlchemyPublicRpcClient,
  createAlchemySmartAccountClient,
  createLightAccount,
  createLightAccountAlchemyClient,
  createModularAccountAlchemyClient,
  createMultiOwnerLightAccount,
  createMultiOwnerLightAccountAlchemyClient,
  createMultiOwnerModularAccount,
  defineAlchemyChain,
  getAlchemyPaymasterAddress,
  LocalAccountSigner,
  type SmartAccountSigner,
} from '../wallet/compat/compat.ts'
