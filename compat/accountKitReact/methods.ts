import {
  AuthCard,
  useListAuthMethods,
  useMFA,
  useRemoveEmail,
  useRemovePasskey,
  useSendVerificationCode,
  useSetEmail,
  useSigner,
} from '@account-kit/react'
import { createElement as h, useEffect } from 'react'

/** Calls of hooks, which return failures as text. */
export type MethodHooks = {
  listed: { email?: string; passkeys: readonly { authenticatorId: string }[] } | undefined
  list(): Promise<unknown>
  setEmail(email: string | { verificationCode: string }): Promise<unknown>
  removeEmail(): Promise<unknown>
  sendCode(contact: string): Promise<unknown>
  removePasskey(id: string): Promise<unknown>
  listFactors(): Promise<unknown>
  addFactor(): Promise<unknown>
  verifyFactor(given: { multiFactorId: string; multiFactorCode: string }): Promise<unknown>
  removeFactor(id: string): Promise<unknown>
  exportKey(key: string): Promise<unknown>
}

declare global {
  interface Window {
    methodHooks: MethodHooks
  }
}

export function Methods() {
  const methods = useListAuthMethods()
  const { setEmailAsync } = useSetEmail()
  const { removeEmailAsync } = useRemoveEmail()
  const { sendVerificationCodeAsync } = useSendVerificationCode()
  const { removePasskeyAsync } = useRemovePasskey()
  const { addMFA, getMFAFactors, removeMFA, verifyMFA } = useMFA()
  const signer = useSigner()
  useEffect(() => {
    const list = async () => (await methods.refetch()).data
    window.methodHooks = {
      listed: methods.data as MethodHooks['listed'],
      list,
      setEmail: (email) => setEmailAsync(email).catch(String),
      removeEmail: () => removeEmailAsync().catch(String),
      sendCode: (contact) => sendVerificationCodeAsync({ type: 'email', contact } as never).catch(String),
      removePasskey: (id) => removePasskeyAsync(id).catch(String),
      listFactors: () => getMFAFactors.mutateAsync(),
      addFactor: () => addMFA.mutateAsync({ multiFactorType: 'totp' }).catch(String),
      verifyFactor: (given) => verifyMFA.mutateAsync(given).catch(String),
      removeFactor: (id) => removeMFA.mutateAsync({ multiFactorIds: [id] }).catch(String),
      exportKey: async (encryptWith) => signer?.exportPrivateKeyEncrypted({ type: 'ETHEREUM', encryptWith } as never),
    }
  })
  return null
}

export const Card = () =>
  globalThis.location.search.includes('card') ? h('div', { id: 'card' }, h(AuthCard, {})) : null
