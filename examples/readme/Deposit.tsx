import { useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
import { type Address, erc20Abi, parseAbi } from 'viem'

const vaultAbi = parseAbi(['function deposit(uint256 amount, address receiver)'])

export function Deposit({ token, vault, amount }: { token: Address; vault: Address; amount: bigint }) {
  const { client, address } = useSmartAccountClient({ type: 'LightAccount' })
  const { sendUserOperation } = useSendUserOperation({ client })
  const deposit = (receiver: Address) =>
    sendUserOperation({
      uo: [
        { target: token, abi: erc20Abi, functionName: 'approve', args: [vault, amount] },
        { target: vault, abi: vaultAbi, functionName: 'deposit', args: [amount, receiver] },
      ],
    })
  return (
    <button type="button" onClick={() => address && deposit(address)}>
      Deposit
    </button>
  )
}
