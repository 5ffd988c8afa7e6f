import type { ActivityDefinition } from '../activities/definition.ts'
import { createAuthenticators } from './createAuthenticators.ts'
import { createSubOrganization } from './createSubOrganization.ts'
import { emailAuth } from './emailAuth.ts'
import { exportWallet } from './exportWallet.ts'
import { exportWalletAccount } from './exportWalletAccount.ts'
import { signRawPayload } from './signRawPayload.ts'

/** What `POST /public/v1/submit/<name>` does (custody protocol §§ 2.6, 2.7). */
export const submits: Readonly<Record<string, ActivityDefinition>> = {
  create_sub_organization: createSubOrganization,
  email_auth: emailAuth,
  sign_raw_payload: signRawPayload,
  create_authenticators: createAuthenticators,
  export_wallet: exportWallet,
  export_wallet_account: exportWalletAccount,
}
