import {
  type LatchkeyAccount,
  SessionKeyPermissionsBuilder,
  sessionKeyPluginActions,
  toModularAccount,
} from 'latchkey/accounts'
import { type Address, type Chain, type Client, parseEther, type Transport, zeroHash } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** Lets a game move up to 0.1 ether a day to one address, without asking the owner each time. */
export async function playWithSessionKey(client: Client<Transport, Chain>, transport: Transport, game: Address) {
  const owner = privateKeyToAccount(generatePrivateKey())
  const key = privateKeyToAccount(generatePrivateKey())
  const clientOf = (account: LatchkeyAccount) =>
    createBundlerClient({ client, account, transport }).extend(sessionKeyPluginActions)

  const account = await toModularAccount({ client, owner })
  const permissions = new SessionKeyPermissionsBuilder()
    .addContractAddressAccessEntry({ contractAddress: game, isOnList: true, checkSelectors: false })
    .setNativeTokenSpendLimit({ spendLimit: parseEther('0.1'), refreshInterval: 86_400 })
  await clientOf(account).installSessionKeyPlugin({
    args: [[key.address], [zeroHash], [permissions.encode()]],
    waitForTxn: true,
  })

  // The same account, with the key as its owner: it can do no more than the permissions say.
  const session = await toModularAccount({ client, owner: key, accountAddress: account.address })
  return clientOf(session).executeWithSessionKey({
    args: [[{ target: game, value: parseEther('0.01') }], key.address],
    waitForTxn: true,
  })
}
