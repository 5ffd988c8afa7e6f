import { type Address, encodeDeployData, encodeFunctionData, parseAbi, parseEther } from 'viem'
import { readPackageArtifact } from './artifacts.ts'
import { constructAt } from './constructAt.ts'
import { devAccountOf } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'
import type { devClient } from './devClient.ts'

export declare namespace placePaymaster {
  type Parameters = { client: devClient.ReturnType; rpcUrl: string; version: '0.6.0' | '0.7.0' }
}

const paymasterAbi = parseAbi([
  'function addStake(uint32 unstakeDelaySec) payable',
  'function verifyingSigner() view returns (address)',
])
const entryPointAbi = parseAbi([
  'function depositTo(address account) payable',
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])

/** Seconds a stake stays locked after it is given up: a day, as public bundlers ask. */
const unstakeDelaySeconds = 86_400

/** Places the verifying paymaster of an entry point, owned by account 8, signed for by account 9, and fills it. */
export async function placePaymaster({ client, rpcUrl, version }: placePaymaster.Parameters): Promise<void> {
  const address = devAddresses.paymasters[version]
  const entryPoint = devAddresses.entryPoints[version]
  if (!(await isOurs(client, address))) {
    const { abi, bytecode } = readPackageArtifact(version === '0.6.0' ? '06' : '07', 'VerifyingPaymaster')
    const args = [entryPoint, devAccountOf.paymasterSigner.address]
    await constructAt({ client, rpcUrl, address, initCode: encodeDeployData({ abi, bytecode, args }) })
  }
  const contract = { address: entryPoint, abi: entryPointAbi } as const
  const { deposit, stake } = await client.read.readContract({
    ...contract,
    functionName: 'getDepositInfo',
    args: [address],
  })
  if (stake < parseEther('1')) {
    const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'addStake', args: [unstakeDelaySeconds] })
    await client.transact({ to: address, data, value: parseEther('10') })
  }
  if (deposit < parseEther('10')) {
    const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'depositTo', args: [address] })
    await client.transact({ to: entryPoint, data, value: parseEther('100') })
  }
}

/** On a copy of a public network someone's contract may be there: account 8 is everyone's. */
async function isOurs(client: devClient.ReturnType, address: Address): Promise<boolean> {
  if (!(await client.read.getCode({ address }))) return false
  try {
    const signer = await client.read.readContract({ address, abi: paymasterAbi, functionName: 'verifyingSigner' })
    return signer === devAccountOf.paymasterSigner.address
  } catch {
    return false
  }
}
