import { grantPermissions, type LatchkeyAccount, toModularAccountV2 } from 'latchkey/accounts'
import { type Address, type Chain, type PublicClient, parseEther, type Transport, toHex } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** Allows a game's key to spend up to 0.1 ether in the next 24 hours without asking the owner each time. */
export async function playWithPermissions(
  account: LatchkeyAccount,
  client: PublicClient<Transport, Chain>,
  bundler: Transport,
  game: Address,
) {
  const key = privateKeyToAccount(generatePrivateKey())
  const owner = createBundlerClient({ client, account, transport: bundler })
  const grant = await grantPermissions(owner, {
    key: key.address,
    permissions: [
      { type: 'contract-access', data: { address: game } },
      { type: 'native-token-transfer', data: { allowance: toHex(parseEther('0.1')) } },
    ],
    expirySec: Math.floor(Date.now() / 1000) + 86_400,
  })

  // The same account with the key as its signer. The key can do only what the permissions allow.
  const session = await toModularAccountV2({ client, owner: key, grant })
  const sender = createBundlerClient({ client, account: session, transport: bundler })
  const pay = async (value: bigint) => {
    const hash = await sender.sendUserOperation({ calls: [{ to: game, value }] })
    return sender.waitForUserOperationReceipt({ hash })
  }
  await pay(parseEther('0.01'))
  return pay
}
