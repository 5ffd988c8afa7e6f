import { parseAbi } from 'viem'

/** What an account says of its plugins (ERC-6900 v0.7, account loupe). */
export const loupeAbi = /* @__PURE__ */ parseAbi([
  'function getExecutionFunctionConfig(bytes4 selector) view returns ((address plugin, bytes21 userOpValidationFunction, bytes21 runtimeValidationFunction))',
  'function getExecutionHooks(bytes4 selector) view returns ((bytes21 preExecHook, bytes21 postExecHook)[])',
  'function getInstalledPlugins() view returns (address[])',
  'function getPreValidationHooks(bytes4 selector) view returns (bytes21[] preUserOpValidationHooks, bytes21[] preRuntimeValidationHooks)',
])
