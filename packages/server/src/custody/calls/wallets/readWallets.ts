import type { Selectable } from 'kysely'
import type { ListWalletAccountsResponse, ListWalletsResponse } from 'latchkey-protocol'
import { z } from 'zod'
import type { WalletTable } from '../../../platform/database/tables.ts'
import { custodyError } from '../../custodyError.ts'
import { maxAccounts, maxListedRows } from '../../custodyLimits.ts'
import { addressSchema, idSchema, pathSchema } from '../../custodySchemas.ts'
import { defineQuery } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { assertReader } from '../../permissions.ts'
import { toTimestamp } from '../../toTimestamp.ts'
import { readAccounts } from '../../wallets/accounts.ts'
import { pageSchema } from '../page.ts'

type Wallet = ListWalletsResponse['wallets'][number]

/** `list_wallets`: returns the wallets of an organization, oldest first (custody protocol § 2.6). */
export const listWallets = defineQuery({
  forScopedKeys: true,
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run(context, { organization }) {
    return { wallets: await readWallets(context, organization.id) } satisfies ListWalletsResponse
  },
})

/** `get_wallet`: returns one wallet of an organization (custody protocol § 2.7). */
export const getWallet = defineQuery({
  forScopedKeys: true,
  parameters: z.strictObject({ walletId: idSchema }),
  authorize: assertReader,
  async run({ db }, { organization, parameters: { walletId } }) {
    const row = await db
      .selectFrom('wallets')
      .select(walletColumns)
      .where('org_id', '=', organization.id)
      .where('id', '=', walletId)
      .executeTakeFirst()
    if (!row) throw custodyError('NOT_FOUND', `Could not find wallet with id ${walletId}`)
    return { wallet: toWallet(row) }
  },
})

/**
 * `list_wallet_accounts`: returns the addresses of one wallet, or of all wallets of an organization, oldest first
 * (custody protocol § 2.6). `after` and `before` are ids of accounts.
 */
export const listWalletAccounts = defineQuery({
  forScopedKeys: true,
  parameters: z.strictObject({
    walletId: idSchema.optional(),
    includeWalletDetails: z.boolean().optional(),
    paginationOptions: pageSchema,
  }),
  authorize: assertReader,
  async run(context, { organization, parameters }) {
    const { walletId, includeWalletDetails, paginationOptions: page } = parameters
    const selected = await readAccounts(context, { orgId: organization.id, walletId, ...page })
    const wallets = includeWalletDetails ? await readWallets(context, organization.id) : []
    return {
      accounts: selected.map((row) => toWalletAccount(row, wallets)),
    } satisfies ListWalletAccountsResponse
  },
})

/** `get_wallet_account`: returns the account of a wallet by address, path or both (custody protocol § 2.7). */
export const getWalletAccount = defineQuery({
  forScopedKeys: true,
  parameters: z
    .strictObject({ walletId: idSchema, address: addressSchema.optional(), path: pathSchema.optional() })
    .refine(({ address, path }) => address !== undefined || path !== undefined, 'must name an address or a path'),
  authorize: assertReader,
  async run(context, { organization, parameters: { walletId, address, path } }) {
    // Reads all accounts of the wallet, since an organization has at most this many.
    const accounts = await readAccounts(context, { orgId: organization.id, walletId, limit: maxAccounts })
    const found = accounts.find(
      (row) =>
        (address === undefined || row.address.toLowerCase() === address.toLowerCase()) &&
        (path === undefined || row.path === path),
    )
    if (!found) throw custodyError('NOT_FOUND', 'No account of this wallet has this address and path.')
    return { account: toWalletAccount(found, []) }
  },
})

export async function readWallets({ db }: CustodyContext, orgId: string): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .select(walletColumns)
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxListedRows)
    .execute()
  return rows.map(toWallet)
}

/** Wallet columns without secrets. */
const walletColumns = ['id', 'name', 'created_at', 'exported_at', 'imported'] as const

function toWallet(row: Pick<Selectable<WalletTable>, (typeof walletColumns)[number]>): Wallet {
  return {
    walletId: row.id,
    walletName: row.name,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.exported_at ?? row.created_at),
    exported: row.exported_at !== null,
    imported: row.imported,
  }
}

/** Returns the WalletAccount object of custody protocol § 2.6, with its wallet if that is among `wallets`. */
function toWalletAccount(
  row: Awaited<ReturnType<typeof readAccounts>>[number],
  wallets: readonly Wallet[],
): ListWalletAccountsResponse['accounts'][number] & { publicKey: string } {
  const walletDetails = wallets.find(({ walletId }) => walletId === row.wallet_id)
  return {
    walletAccountId: row.id,
    organizationId: row.org_id,
    walletId: row.wallet_id,
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: row.path,
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    address: row.address,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
    publicKey: row.public_key,
    ...(row.name !== null && { name: row.name }),
    ...(walletDetails && { walletDetails }),
  }
}
