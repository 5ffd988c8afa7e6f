import { parseAbi } from 'viem'

/** What a client calls on a modular account (ERC-6900 v0.7). */
export const modularAccountAbi = /* @__PURE__ */ parseAbi([
  'function execute(address target, uint256 value, bytes data) payable returns (bytes result)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls) payable returns (bytes[] results)',
  'function initialize(address[] plugins, bytes pluginInitData)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes pluginInstallData, bytes21[] dependencies)',
  'function uninstallPlugin(address plugin, bytes config, bytes pluginUninstallData)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
])

/** What a client calls on its factory. */
export const modularAccountFactoryAbi = /* @__PURE__ */ parseAbi([
  'function IMPL() view returns (address)',
  'function createAccount(uint256 salt, address[] owners) returns (address addr)',
])
