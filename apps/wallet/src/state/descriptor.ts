import type { LatchkeyAccount } from 'latchkey/accounts'
import type { Address } from 'viem'

/** Lets the owner sign the account's descriptor and saves it as a file. */
export async function saveDescriptor({ account, demo }: { account: LatchkeyAccount; demo: Address }): Promise<void> {
  const { describeAccount } = await import('latchkey/accounts')
  const descriptor = await describeAccount({ account, assets: [demo] })
  const url = URL.createObjectURL(new Blob([JSON.stringify(descriptor, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `account-${descriptor.address.slice(0, 8)}.json`
  link.click()
  // Delayed, because some browsers read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
