const policies =
  'every user of a sub-organization is one of its root users here, whom policies do not bind, so a policy would promise ' +
  'what is not enforced. What is: the scope of an API key (create_api_keys), spending rules (set_spending_rules), ' +
  'rootQuorumThreshold of the organization, gas policies of the gateway, and the permissions of session keys on the chain'
const codes =
  'it requests an email without naming the key that may use the code, so a compromised server could redeem the code. Use ' +
  'email_auth with a targetPublicKey, or otp_auth, which bind the code to that key; OTP_TYPE_SMS and OTP_TYPE_WHATSAPP are ' +
  'not supported'
const phones =
  'this server does not support phone numbers and sends no SMS. Sign in by email (email_auth, otp_auth) or by passkey'
const users =
  'the users of a sub-organization are created with it, by create_sub_organization, and each of them is one of its root users'
const solana = "it is for Solana's curve (CURVE_ED25519). This server's keys are on CURVE_SECP256K1"

/** Documented calls that are deliberately refused, with the reason and the alternative. All other calls are unknown. */
export const refused: Readonly<Record<string, string>> = {
  create_policy: policies,
  create_policies: policies,
  update_policy: policies,
  delete_policy: policies,
  delete_policies: policies,
  create_users: users,
  otp_login: codes,
  init_otp_auth: codes,
  update_user_phone_number: phones,
  sol_send_transaction: solana,
}
