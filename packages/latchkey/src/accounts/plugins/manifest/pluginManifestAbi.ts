import { parseAbi } from 'viem'

/** What a plugin asks of the accounts that install it (ERC-6900 v0.7, plugin manifest). */
export const pluginManifestAbi = /* @__PURE__ */ parseAbi([
  'struct ManifestFunction { uint8 functionType; uint8 functionId; uint256 dependencyIndex; }',
  'struct ManifestAssociatedFunction { bytes4 executionSelector; ManifestFunction associatedFunction; }',
  'struct ManifestExecutionHook { bytes4 executionSelector; ManifestFunction preExecHook; ManifestFunction postExecHook; }',
  'struct ManifestExternalCallPermission { address externalAddress; bool permitAnySelector; bytes4[] selectors; }',
  'struct PluginManifest { bytes4[] interfaceIds; bytes4[] dependencyInterfaceIds; bytes4[] executionFunctions; bytes4[] permittedExecutionSelectors; bool permitAnyExternalAddress; bool canSpendNativeToken; ManifestExternalCallPermission[] permittedExternalCalls; ManifestAssociatedFunction[] userOpValidationFunctions; ManifestAssociatedFunction[] runtimeValidationFunctions; ManifestAssociatedFunction[] preUserOpValidationHooks; ManifestAssociatedFunction[] preRuntimeValidationHooks; ManifestExecutionHook[] executionHooks; }',
  'function pluginManifest() pure returns (PluginManifest)',
])
