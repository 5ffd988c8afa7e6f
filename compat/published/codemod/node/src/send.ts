import { LocalAccountSigner, type SmartAccountSigner } from '@aa-sdk/core'
import { type AlchemyTransport, alchemy, sepolia } from '@account-kit/infra'
import { createModularAccountV2Client } from '@account-kit/smart-contracts'
import { encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'

const { API_KEY = '', PRIVATE_KEY, POLICY_ID = '', RPC_URL } = process.env
const abi = parseAbi(['function transfer(address to, uint256 amount)'])

async function createClient(signer: SmartAccountSigner) {
  const transport: AlchemyTransport = alchemy(RPC_URL ? { rpcUrl: RPC_URL } : { apiKey: API_KEY })
  return createModularAccountV2Client({
    mode: 'default',
    chain: sepolia,
    transport,
    signer,
    policyId: POLICY_ID,
  })
}

const signer = LocalAccountSigner.privateKeyToAccountSigner(PRIVATE_KEY as Hex)
const client = await createClient(signer)
const target = '0x00000000000000000000000000000000000000aa'
const { hash } = await client.sendUserOperation({
  uo: [
    { target, data: '0x', value: parseEther('0') },
    { target, data: encodeFunctionData({ abi, functionName: 'transfer', args: [target, 1n] }) },
  ],
})
const transaction = await client.waitForUserOperationTransaction({ hash })
console.log(JSON.stringify({ owner: await signer.getAddress(), address: client.getAddress(), transaction }))
