import {
  type LatchkeyAccount,
  SessionKeyPermissionsBuilder,
  sessionKeyPluginActions,
  toModularAccount,
} from 'latchkey/accounts'
import { type Address, type Chain, type PublicClient, parseEther, type Transport, zeroHash } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** Allows a game's key to spend up to 0.1 ether a day from a modular account without asking its owner each time. */
export async function playWithSessionKey(
  account: LatchkeyAccount,
  client: PublicClient<Transport, Chain>,
  bundler: Transport,
  game: Address,
) {
  const createClient = (account: LatchkeyAccount) =>
    createBundlerClient({ client, account, transport: bundler }).extend(sessionKeyPluginActions)

  const key = privateKeyToAccount(generatePrivateKey())
  const permissions = new SessionKeyPermissionsBuilder()
    .addContractAddressAccessEntry({ contractAddress: game, isOnList: true, checkSelectors: false })
    .setNativeTokenSpendLimit({ spendLimit: parseEther('0.1'), refreshInterval: 86_400 })
  await createClient(account).installSessionKeyPlugin({
    args: [[key.address], [zeroHash], [permissions.encode()]],
    waitForTxn: true,
  })

  // The same account with the key as its signer. The key can do only what the permissions allow.
  const session = await toModularAccount({ client, owner: key, accountAddress: account.address })
  const pay = (value: bigint) =>
    createClient(session).executeWithSessionKey({ args: [[{ target: game, value }], key.address], waitForTxn: true })
  await pay(parseEther('0.01'))
  return pay
}
