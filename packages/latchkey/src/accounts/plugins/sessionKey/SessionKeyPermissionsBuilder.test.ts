import { decodeFunctionData, type Hex, maxUint256, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { permissionsAbi as abi, sessionKeyAccessListType } from './permissions.ts'
import { SessionKeyPermissionsBuilder } from './SessionKeyPermissionsBuilder.ts'

const contractAddress = '0x1111111111111111111111111111111111111111'
const tokenAddress = '0x2222222222222222222222222222222222222222'
const paymaster = '0x3333333333333333333333333333333333333333'

const read = (updates: readonly Hex[]) => updates.map((data) => decodeFunctionData({ abi, data }))

test('allows nothing by default', () => {
  expect(read(new SessionKeyPermissionsBuilder().encode())).toEqual([{ functionName: 'setAccessListType', args: [0] }])
})

test('encodes every permission in an order independent of the calls', () => {
  const updates = new SessionKeyPermissionsBuilder()
    .setRequiredPaymaster(paymaster)
    .setGasSpendLimit({ spendLimit: 4n, refreshInterval: 60 })
    .addErc20TokenSpendLimit({ tokenAddress, spendLimit: 3n })
    .setNativeTokenSpendLimit({ spendLimit: 2n })
    .setTimeRange({ validFrom: 10, validUntil: 20 })
    .addContractFunctionAccessEntry({ contractAddress, methodSelector: '0xa9059cbb', isOnList: true })
    .addContractAddressAccessEntry({ contractAddress, isOnList: true, checkSelectors: true })
    .setContractAccessControlType(sessionKeyAccessListType.DENYLIST)
    .encode()
  expect(read(updates)).toEqual([
    { functionName: 'setAccessListType', args: [1] },
    { functionName: 'updateAccessListAddressEntry', args: [contractAddress, true, true] },
    { functionName: 'updateAccessListFunctionEntry', args: [contractAddress, '0xa9059cbb', true] },
    { functionName: 'updateTimeRange', args: [10, 20] },
    { functionName: 'setNativeTokenSpendLimit', args: [2n, 0] },
    { functionName: 'setERC20SpendLimit', args: [tokenAddress, 3n, 0] },
    { functionName: 'setGasSpendLimit', args: [4n, 60] },
    { functionName: 'setRequiredPaymaster', args: [paymaster] },
  ])
})

test('refuses values that the plugin would refuse', () => {
  const builder = () => new SessionKeyPermissionsBuilder()
  // JavaScript callers may omit this argument.
  const none = undefined as unknown as boolean
  const wrong = [
    () => builder().setContractAccessControlType(3 as 0),
    () => builder().addContractAddressAccessEntry({ contractAddress: '0x12', isOnList: true, checkSelectors: false }),
    () => builder().addContractAddressAccessEntry({ contractAddress, isOnList: true, checkSelectors: none }),
    () => builder().addContractAddressAccessEntry({ contractAddress, isOnList: none, checkSelectors: true }),
    () => builder().addContractFunctionAccessEntry({ contractAddress, methodSelector: '0xa9059c', isOnList: true }),
    () => builder().addContractFunctionAccessEntry({ contractAddress, methodSelector: '0xa9059cbb', isOnList: none }),
    () => builder().setTimeRange({ validFrom: 20, validUntil: 20 }),
    () => builder().setTimeRange({ validFrom: -1, validUntil: 20 }),
    () => builder().setNativeTokenSpendLimit({ spendLimit: -1n }),
    () => builder().setNativeTokenSpendLimit({ spendLimit: maxUint256 + 1n }),
    () => builder().setGasSpendLimit({ spendLimit: 1n, refreshInterval: 0.5 }),
    () => builder().setNativeTokenSpendLimit({ spendLimit: 1n, refreshInterval: 2 ** 48 - 1 }),
    () => builder().addErc20TokenSpendLimit({ spendLimit: 1n, tokenAddress: '0x' }),
    () => builder().addErc20TokenSpendLimit({ spendLimit: 1n, tokenAddress: zeroAddress }),
    () => builder().setRequiredPaymaster('0x'),
  ]
  for (const call of wrong) expect(call).toThrow(expect.objectContaining({ code: 'PERMISSIONS_INVALID' }))
})
