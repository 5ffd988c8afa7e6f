export { modularAccountV2Modules, type Permission } from 'latchkey-protocol'
export type { OperationClient, OperationOverrides, SendOptions } from '../accounts/actions/OperationClient.ts'
export { transferOwnership } from '../accounts/actions/transferOwnership.ts'
export { undelegate } from '../accounts/actions/undelegate.ts'
export { updateOwners } from '../accounts/actions/updateOwners.ts'
export { upgradeAccount } from '../accounts/actions/upgradeAccount.ts'
export type {
  AccountDescriptor,
  DescribedOwner,
  DescribedPasskey,
  FirstOwner,
  SignedAccountDescriptor,
} from '../accounts/descriptor/accountDescriptor.ts'
export { describeAccount } from '../accounts/descriptor/describeAccount.ts'
export { readAccountDescriptor } from '../accounts/descriptor/readAccountDescriptor.ts'
export { ContractRevertedError } from '../accounts/errors/ContractRevertedError.ts'
export { decodeRevert } from '../accounts/errors/decodeRevert.ts'
export { RpcError } from '../accounts/errors/RpcError.ts'
export { getSenderAddress } from '../accounts/getSenderAddress.ts'
export { getLightAccountVersion } from '../accounts/lightAccount/getLightAccountVersion.ts'
export { lightAccountActions } from '../accounts/lightAccount/lightAccountActions.ts'
export { predictLightAccountAddress } from '../accounts/lightAccount/predictLightAccountAddress.ts'
export { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
export { getMSCAUpgradeToData } from '../accounts/modularAccount/getMSCAUpgradeToData.ts'
export { modularAccountActions } from '../accounts/modularAccount/modularAccountActions.ts'
export { predictModularAccountAddress } from '../accounts/modularAccount/predictModularAccountAddress.ts'
export { toModularAccount } from '../accounts/modularAccount/toModularAccount.ts'
export { type DeferredAction, toDeferredActionTypedData } from '../accounts/modularAccountV2/deferredAction.ts'
export { listValidations } from '../accounts/modularAccountV2/listValidations.ts'
export {
  type ModularAccountV2Actions,
  modularAccountV2Actions,
} from '../accounts/modularAccountV2/modularAccountV2Actions.ts'
export {
  grantPermissions,
  type PermissionsGrant,
  toPermissionsContext,
} from '../accounts/modularAccountV2/permissions/grantPermissions.ts'
export { revokePermissions } from '../accounts/modularAccountV2/permissions/revokePermissions.ts'
export { predictModularAccountV2Address } from '../accounts/modularAccountV2/predictModularAccountV2Address.ts'
export { getExecutionData, getFallbackSigner, getValidationData } from '../accounts/modularAccountV2/readValidations.ts'
export { toModularAccountV2 } from '../accounts/modularAccountV2/toModularAccountV2.ts'
export { upgradeToModularAccountV2 } from '../accounts/modularAccountV2/upgradeToModularAccountV2.ts'
export {
  encodeInstallValidation,
  encodeUninstallValidation,
  installValidation,
  uninstallValidation,
} from '../accounts/modularAccountV2/validations.ts'
export { multiOwnerLightAccountActions } from '../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
export { predictMultiOwnerLightAccountAddress } from '../accounts/multiOwnerLightAccount/predictMultiOwnerLightAccountAddress.ts'
export { toMultiOwnerLightAccount } from '../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
export type { OwnerParameter, SmartAccountOwner } from '../accounts/owner.ts'
export { addOwner, removeOwner } from '../accounts/owners/changeOwners.ts'
export { readAccountOwners } from '../accounts/owners/readAccountOwners.ts'
export { type RotationProgress, type RotationStep, rotateOwner } from '../accounts/owners/rotateOwner.ts'
export { toPasskeyOwner } from '../accounts/owners/toPasskeyOwner.ts'
export type { AccountOwner } from '../accounts/owners/types.ts'
export { withOwner } from '../accounts/owners/withOwner.ts'
export {
  accountLoupeActions,
  getExecutionFunctionConfig,
  getExecutionHooks,
  getInstalledPlugins,
  getPreValidationHooks,
} from '../accounts/plugins/accountLoupe.ts'
export {
  decodeFunctionReference,
  encodeFunctionReference,
  type FunctionReference,
} from '../accounts/plugins/functionReference.ts'
export { encodeInstallPlugin, installPlugin } from '../accounts/plugins/installPlugin.ts'
export {
  installMultiOwnerPlugin,
  isOwnerOf,
  ownersOf,
  updatePluginOwners,
} from '../accounts/plugins/multiOwnerPlugin.ts'
export { multiOwnerPluginActions } from '../accounts/plugins/multiOwnerPluginActions.ts'
export { pluginManagerActions } from '../accounts/plugins/pluginManagerActions.ts'
export {
  encodeManifest,
  getPluginManifest,
  getPluginMetadata,
  hashManifest,
  type PluginManifest,
} from '../accounts/plugins/pluginManifest.ts'
export {
  addSessionKey,
  removeSessionKey,
  rotateSessionKey,
  updateSessionKeyPermissions,
} from '../accounts/plugins/sessionKey/changeSessionKeys.ts'
export {
  encodeExecuteWithSessionKey,
  executeWithSessionKey,
} from '../accounts/plugins/sessionKey/executeWithSessionKey.ts'
export { getSessionKeyPermissions } from '../accounts/plugins/sessionKey/getSessionKeyPermissions.ts'
export { installSessionKeyPlugin } from '../accounts/plugins/sessionKey/installSessionKeyPlugin.ts'
export { sessionKeyAccessListType } from '../accounts/plugins/sessionKey/permissions.ts'
export {
  buildSessionKeysToRemoveStruct,
  getAccountSessionKeys,
  isAccountSessionKey,
} from '../accounts/plugins/sessionKey/readSessionKeys.ts'
export { SessionKeyPermissionsBuilder } from '../accounts/plugins/sessionKey/SessionKeyPermissionsBuilder.ts'
export { SessionKeySigner } from '../accounts/plugins/sessionKey/SessionKeySigner.ts'
export { sessionKeyPluginActions } from '../accounts/plugins/sessionKey/sessionKeyPluginActions.ts'
export { encodeUninstallPlugin, uninstallPlugin } from '../accounts/plugins/uninstallPlugin.ts'
export { readEip712Domain } from '../accounts/reads/readEip712Domain.ts'
export { readIsValidSignature } from '../accounts/reads/readIsValidSignature.ts'
export { readOwner, readOwners } from '../accounts/reads/readOwners.ts'
export { toSimple7702Account } from '../accounts/simple7702Account/toSimple7702Account.ts'
export type { AccountMembers, Call, Delegation, Eip7702Authorization, LatchkeyAccount } from '../accounts/types.ts'
export type { EntryPointVersion } from '../core/chains/entryPoints.ts'
export { getPluginAddress } from '../core/chains/getPluginAddress.ts'
export type { LightAccountVersion, MultiOwnerLightAccountVersion } from '../core/chains/types.ts'
export { BaseError } from '../core/errors/BaseError.ts'
export { HttpError } from '../core/errors/HttpError.ts'
export type { OperationContent, SignedContent, SignUserOperationParameters } from '../core/signedContent.ts'
