import { defineVote } from '../activities/defineVote.ts'
import type { ActivityDefinition, QueryDefinition } from '../definitions.ts'
import { createSubOrganization } from './organizations/createSubOrganization.ts'
import { cancelDeletion, deleteSubOrganization } from './organizations/deleteSubOrganization.ts'
import { getActivity, listActivities } from './organizations/readActivities.ts'
import {
  getOrganization,
  getOrganizationConfigs,
  listPolicies,
  listSuborgs,
  listVerifiedSuborgs,
} from './organizations/readOrganizations.ts'
import { getSpendingRules, setSpendingRules } from './organizations/spendingRules.ts'
import { createReadOnlySession } from './sessions/createReadOnlySession.ts'
import { createReadWriteSession } from './sessions/createReadWriteSession.ts'
import { emailAuth } from './sessions/emailAuth.ts'
import { oauth, oauthLogin } from './sessions/oauth.ts'
import { otpAuth } from './sessions/otpAuth.ts'
import { stampLogin } from './sessions/stampLogin.ts'
import { whoami } from './sessions/whoami.ts'
import { signRawPayload, signRawPayloads } from './signing/signRawPayload.ts'
import { signTransaction } from './signing/signTransaction.ts'
import { initOtp, verifyOtp } from './users/addressCodes.ts'
import { createAuthenticators, deleteAuthenticators } from './users/authenticators.ts'
import { activateMultiFactor, createMultiFactor, deleteMultiFactors, getMultiFactors } from './users/multiFactors.ts'
import {
  activateMultiFactorByWord,
  createMultiFactorByWord,
  deleteMultiFactorsByWord,
  listMultiFactorsByWord,
} from './users/multiFactorsByWord.ts'
import { createOauthProviders, deleteOauthProviders } from './users/oauthProviders.ts'
import { getApiKeys, getAuthenticators, getOauthProviders, getUser, listUsers } from './users/readUsers.ts'
import { createApiKeys, deleteApiKeys } from './users/sessionApiKeys.ts'
import { updateUser, updateUserEmail, updateUserName } from './users/updateUser.ts'
import { createWallet, createWalletAccounts } from './wallets/createWallet.ts'
import { exportPrivateKey, exportWallet, exportWalletAccount } from './wallets/exportKeys.ts'
import { importPrivateKey, importWallet, initImportPrivateKey, initImportWallet } from './wallets/importKeys.ts'
import { noteMoveFailure } from './wallets/noteMoveFailure.ts'
import { listPrivateKeys } from './wallets/readPrivateKeys.ts'
import { getWallet, getWalletAccount, listWalletAccounts, listWallets } from './wallets/readWallets.ts'

/** Submit calls that can wait for votes. */
const voted: Readonly<Record<string, ActivityDefinition>> = {
  create_sub_organization: createSubOrganization,
  email_auth: emailAuth,
  oauth,
  oauth_login: oauthLogin,
  create_read_write_session: createReadWriteSession,
  create_read_only_session: createReadOnlySession,
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
  note_move_failure: noteMoveFailure,
  create_authenticators: createAuthenticators,
  delete_authenticators: deleteAuthenticators,
  create_oauth_providers: createOauthProviders,
  delete_oauth_providers: deleteOauthProviders,
  create_multi_factor: createMultiFactor,
  activate_multi_factor: activateMultiFactor,
  delete_multi_factors: deleteMultiFactors,
  list_multi_factors_by_word: listMultiFactorsByWord,
  create_multi_factor_by_word: createMultiFactorByWord,
  activate_multi_factor_by_word: activateMultiFactorByWord,
  delete_multi_factors_by_word: deleteMultiFactorsByWord,
  create_api_keys: createApiKeys,
  delete_api_keys: deleteApiKeys,
  update_user: updateUser,
  update_user_email: updateUserEmail,
  update_user_name: updateUserName,
  delete_sub_organization: deleteSubOrganization,
  cancel_deletion: cancelDeletion,
  set_spending_rules: setSpendingRules,
}

export const findDefinition = (type: string): ActivityDefinition | undefined =>
  Object.values(voted).find((definition) => Object.hasOwn(definition.types, type))

/** Calls of `POST /public/v1/submit/<name>` (custody protocol §§ 2.6, 2.7). */
export const submits: Readonly<Record<string, ActivityDefinition>> = {
  ...voted,
  otp_auth: otpAuth,
  init_otp: initOtp,
  verify_otp: verifyOtp,
  approve_activity: defineVote({ selection: 'APPROVED', find: findDefinition }),
  reject_activity: defineVote({ selection: 'REJECTED', find: findDefinition }),
}

/** Calls of `POST /public/v1/query/<name>` (custody protocol §§ 2.6, 2.7). */
export const queries: Readonly<Record<string, QueryDefinition>> = {
  whoami,
  get_activity: getActivity,
  list_activities: listActivities,
  list_wallets: listWallets,
  list_wallet_accounts: listWalletAccounts,
  get_wallet: getWallet,
  get_wallet_account: getWalletAccount,
  list_private_keys: listPrivateKeys,
  get_organization: getOrganization,
  get_organization_configs: getOrganizationConfigs,
  get_user: getUser,
  list_users: listUsers,
  get_authenticators: getAuthenticators,
  get_api_keys: getApiKeys,
  get_oauth_providers: getOauthProviders,
  get_multi_factors: getMultiFactors,
  list_suborgs: listSuborgs,
  list_verified_suborgs: listVerifiedSuborgs,
  list_policies: listPolicies,
  get_spending_rules: getSpendingRules,
}
