import { defineVote } from '../activities/defineVote.ts'
import type { ActivityDefinition } from '../definitions.ts'
import { createApiKeys } from './createApiKeys.ts'
import { createAuthenticators } from './createAuthenticators.ts'
import { createReadWriteSession } from './createReadWriteSession.ts'
import { createSubOrganization } from './createSubOrganization.ts'
import { createWallet } from './createWallet.ts'
import { createWalletAccounts } from './createWalletAccounts.ts'
import { deleteApiKeys } from './deleteApiKeys.ts'
import { deleteAuthenticators } from './deleteAuthenticators.ts'
import { deleteSubOrganization } from './deleteSubOrganization.ts'
import { emailAuth } from './emailAuth.ts'
import { exportPrivateKey } from './exportPrivateKey.ts'
import { exportWallet } from './exportWallet.ts'
import { exportWalletAccount } from './exportWalletAccount.ts'
import { importPrivateKey } from './importPrivateKey.ts'
import { importWallet } from './importWallet.ts'
import { initImportPrivateKey, initImportWallet } from './initImport.ts'
import { otpAuth } from './otpAuth.ts'
import { signRawPayload } from './signRawPayload.ts'
import { signRawPayloads } from './signRawPayloads.ts'
import { signTransaction } from './signTransaction.ts'
import { stampLogin } from './stampLogin.ts'
import { updateUser } from './updateUser.ts'

/** What several users of an organization can vote on. */
const voted: Readonly<Record<string, ActivityDefinition>> = {
  create_sub_organization: createSubOrganization,
  email_auth: emailAuth,
  create_read_write_session: createReadWriteSession,
  stamp_login: stampLogin,
  sign_raw_payload: signRawPayload,
  sign_raw_payloads: signRawPayloads,
  sign_transaction: signTransaction,
  create_wallet: createWallet,
  create_wallet_accounts: createWalletAccounts,
  export_wallet: exportWallet,
  export_wallet_account: exportWalletAccount,
  export_private_key: exportPrivateKey,
  init_import_wallet: initImportWallet,
  import_wallet: importWallet,
  init_import_private_key: initImportPrivateKey,
  import_private_key: importPrivateKey,
  create_authenticators: createAuthenticators,
  delete_authenticators: deleteAuthenticators,
  create_api_keys: createApiKeys,
  delete_api_keys: deleteApiKeys,
  update_user: updateUser,
  delete_sub_organization: deleteSubOrganization,
}

const find = (type: string) => Object.values(voted).find((definition) => Object.hasOwn(definition.types, type))

/** What `POST /public/v1/submit/<name>` does (custody protocol §§ 2.6, 2.7). */
export const submits: Readonly<Record<string, ActivityDefinition>> = {
  ...voted,
  otp_auth: otpAuth,
  approve_activity: defineVote({ selection: 'APPROVED', find }),
  reject_activity: defineVote({ selection: 'REJECTED', find }),
}
