import { type AbiFunction, parseAbi, toFunctionSelector, toFunctionSignature } from 'viem'

/** Function names by selector. The table is local, so that no external service learns which operations are shown. */

/** Functions whose arguments are decoded and shown by name. Excludes functions with dynamic lists. */
const decoded = parseAbi([
  // ERC-20; `transferFrom` and `approve` also ERC-721.
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amountOrId)',
  'function approve(address spender, uint256 amountOrId)',
  'function increaseAllowance(address spender, uint256 added)',
  'function decreaseAllowance(address spender, uint256 taken)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  // ERC-721 and ERC-1155.
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function setApprovalForAll(address operator, bool approved)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
  // Common token extensions.
  'function mint(address to, uint256 amount)',
  'function mint(uint256 amount)',
  'function mint(address to)',
  'function mint()',
  'function mint(address to, uint256 id, uint256 amount, bytes data)',
  'function safeMint(address to)',
  'function safeMint(address to, uint256 tokenId)',
  'function claim()',
  'function claim(address to, uint256 amount)',
  'function burn(uint256 amount)',
  'function burn(address from, uint256 amount)',
  'function burnFrom(address from, uint256 amount)',
  'function delegate(address delegatee)',
  'function deposit()',
  'function withdraw(uint256 amount)',
  // Vaults (ERC-4626), staking and lending pools.
  'function deposit(uint256 assets, address receiver)',
  'function mint(uint256 shares, address receiver)',
  'function withdraw(uint256 assets, address receiver, address owner)',
  'function redeem(uint256 shares, address receiver, address owner)',
  'function stake(uint256 amount)',
  'function unstake(uint256 amount)',
  'function getReward()',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)',
  'function withdraw(address asset, uint256 amount, address to)',
  // Exchanges.
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  // Names and attestations.
  'function register(address owner)',
  'function setAddr(bytes32 node, address addr)',
  'function setText(bytes32 node, string key, string value)',
  // Contracts with owners or roles.
  'function transferOwnership(address newOwner)',
  'function acceptOwnership()',
  'function renounceOwnership()',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function renounceRole(bytes32 role, address account)',
  'function pause()',
  'function unpause()',
  'function upgradeTo(address implementation)',
  'function upgradeToAndCall(address implementation, bytes data)',
  // Calls of accounts to themselves: light, multi-owner and modular accounts.
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
  'function addDeposit()',
  'function withdrawDepositTo(address to, uint256 amount)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes pluginInstallData, bytes21[] dependencies)',
  'function uninstallPlugin(address plugin, bytes config, bytes pluginUninstallData)',
  'function removeSessionKey(address sessionKey, bytes32 predecessor)',
  'function rotateSessionKey(address oldSessionKey, bytes32 predecessor, address newSessionKey)',
  // Account factories and the entry point.
  'function createAccount(address owner, uint256 salt)',
  'function createAccount(uint256 salt, address[] owners)',
  'function createAccount(address[] owners, uint256 salt)',
  'function createAccountSingle(address owner, uint256 salt)',
  'function depositTo(address account)',
  'function withdrawTo(address to, uint256 amount)',
  'function addStake(uint32 unstakeDelaySec)',
  'function unlockStake()',
  'function withdrawStake(address to)',
  'function incrementNonce(uint192 key)',
])

/** Functions shown by name only, since several offsets in their arguments may point to the same bytes. */
const named = parseAbi([
  'function addSessionKey(address sessionKey, bytes32 tag, bytes[] permissionUpdates)',
  'function updateKeyPermissions(address sessionKey, bytes[] updates)',
  'function multicall(bytes[] data)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function aggregate((address target, bytes callData)[] calls)',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)',
  'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
  'function execute(bytes commands, bytes[] inputs)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function attest((bytes32 schema, (address recipient, uint64 expirationTime, bool revocable, bytes32 refUID, bytes data, uint256 value) data) request)',
])

export type KnownFunction = { item: AbiFunction; signature: string; isDecoded: boolean }

const toEntry = (item: AbiFunction, isDecoded: boolean) =>
  [toFunctionSelector(item), { item, signature: toFunctionSignature(item), isDecoded }] as const

/** Names of well-known functions by selector. Other functions may share a selector. */
export const knownFunctions: ReadonlyMap<string, KnownFunction> = new Map([
  ...decoded.map((item) => toEntry(item, true)),
  ...named.map((item) => toEntry(item, false)),
])
