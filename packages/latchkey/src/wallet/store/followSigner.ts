import type { Signer, User } from '../../signer/types.ts'
import { forgetPending, signedOut } from './accountStates.ts'
import { signerStatusObject } from './signerStatusObject.ts'
import type { ClientState, LatchkeyConfig } from './types.ts'

/** Writes down what the signer says. Accounts belong to a person: nothing of one is left to the next. */
export function followSigner(config: LatchkeyConfig, signer: Signer): () => void {
  const update = () => {
    const { user: previous } = config.clientStore.getState()
    const isOther = signer.user && previous && !isSamePerson(signer.user, previous)
    if (signer.status === 'DISCONNECTED' || isOther) forgetPending(config._internal.pendingAccounts)
    config.clientStore.setState((state) => ({
      ...(state.signerStatus.status === signer.status ? {} : { signerStatus: signerStatusObject(signer.status) }),
      ...person(state, signer),
    }))
  }
  const stops = [signer.on('statusChanged', update), signer.on('connected', update), signer.on('disconnected', update)]
  return () => {
    for (const stop of stops) stop()
  }
}

function person(state: ClientState, signer: Signer): Partial<ClientState> {
  if (signer.status === 'DISCONNECTED') return signedOut(state)
  const { user } = signer
  if (!user) return {}
  if (!state.user) return { user }
  if (!isSamePerson(user, state.user)) return { ...signedOut(state), user }
  return user.email === state.user.email ? {} : { user }
}

function isSamePerson(left: User, right: User): boolean {
  return left.userId === right.userId && left.orgId === right.orgId && left.address === right.address
}
