import type { AccountOwner, LatchkeyAccount } from 'latchkey/accounts'
import type { Address } from 'viem'

type Saved = {
  account: LatchkeyAccount
  demo: Address
  /** Owners of the account on its chain, once they are read. */
  owners: readonly AccountOwner[] | undefined
}

/** Lets the owner sign the account's descriptor and saves it as a file. */
export async function saveDescriptor({ account, demo, owners }: Saved): Promise<void> {
  const { describeAccount } = await import('latchkey/accounts')
  // Passkeys are created for the page's own domain.
  const descriptor = await describeAccount({
    account,
    assets: [demo],
    rpId: window.location.hostname,
    owners,
  })
  const url = URL.createObjectURL(new Blob([JSON.stringify(descriptor, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `account-${descriptor.address.slice(0, 8)}.json`
  link.click()
  // Delayed, because some browsers read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
