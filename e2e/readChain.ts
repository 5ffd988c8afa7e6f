import { type Address, createPublicClient, http, parseAbi, parseAbiItem } from 'viem'

const accountAbi = parseAbi(['function owner() view returns (address)'])
const factoryAbi = parseAbi(['function getAddress(address owner, uint256 salt) view returns (address)'])
const tokenAbi = parseAbi(['function balanceOf(address) view returns (uint256)'])
const entryPointAbi = parseAbi(['function balanceOf(address) view returns (uint256)'])
const operationEvent = parseAbiItem(
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
)
const deployedEvent = parseAbiItem(
  'event AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)',
)

export type AccountOnChain = Awaited<ReturnType<typeof readChain>>

export declare namespace readChain {
  type Parameters = {
    nodeUrl: string
    account: Address
    entryPoint: Address
    factory: Address
    demo: Address
  }
}

/**
 * Reads an account from the node, without any code of the wallet. Amounts are in wei; operations are listed oldest
 * first.
 */
export async function readChain(parameters: readChain.Parameters) {
  const { nodeUrl, account, entryPoint, factory, demo } = parameters
  const client = createPublicClient({ transport: http(nodeUrl, { timeout: 10_000 }) })
  const owner = await client.readContract({ address: account, abi: accountAbi, functionName: 'owner' })
  const range = { address: entryPoint, args: { sender: account }, fromBlock: 0n } as const
  const [factoryView, code, eth, deposit, tokens, operations, deployed] = await Promise.all([
    client.readContract({ address: factory, abi: factoryAbi, functionName: 'getAddress', args: [owner, 0n] }),
    client.getCode({ address: account }),
    client.getBalance({ address: account }),
    client.readContract({ address: entryPoint, abi: entryPointAbi, functionName: 'balanceOf', args: [account] }),
    readDemo({ nodeUrl, demo, holder: account }),
    client.getLogs({ ...range, event: operationEvent, strict: true }),
    client.getLogs({ ...range, event: deployedEvent, strict: true }),
  ])
  return {
    owner,
    factoryView,
    isDeployed: code !== undefined && code !== '0x',
    eth,
    deposit,
    demo: tokens,
    operations: operations.map((log) => ({
      userOpHash: log.args.userOpHash,
      txHash: log.transactionHash,
      block: log.blockNumber,
      paymaster: log.args.paymaster,
      success: log.args.success,
    })),
    deployedBy: deployed[0]?.args.userOpHash,
  }
}

export function readDemo(parameters: { nodeUrl: string; demo: Address; holder: Address }): Promise<bigint> {
  const client = createPublicClient({ transport: http(parameters.nodeUrl, { timeout: 10_000 }) })
  return client.readContract({
    address: parameters.demo,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [parameters.holder],
  })
}
