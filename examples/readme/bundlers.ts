import { createConfig } from 'latchkey'
import { sepolia } from 'viem/chains'

const bundlerUrl = ['https://one.example/rpc', 'https://two.example/rpc']
const connections = [{ chain: sepolia, apiKey: 'YOUR_API_KEY', bundlerUrl }]
export const config = createConfig({ chain: sepolia, connections, signerConnection: { apiKey: 'YOUR_API_KEY' } })
