import type { BaseError } from '../../core/errors/BaseError.ts'
import { openSigner } from '../../signer/openSigner.ts'
import type { Signer, User } from '../../signer/types.ts'
import { accountChunk } from '../chunks.ts'
import { signedOut, toSignerStatus } from '../store/clientState.ts'
import { paintFirst } from '../store/paintFirst.ts'
import type { AccountConfig, AccountConfigs, ClientState, InitialState, LatchkeyConfig } from '../store/types.ts'
import { createKnownAccounts } from './createAccount.ts'

export declare namespace hydrate {
  type ReturnType = {
    /**
     * Config for the first render, with its own stores that contain `initialState` or an empty state. Render with this
     * config on a server, because all requests share the original config.
     */
    firstPaint: LatchkeyConfig
    /** Completes hydration. Call it once the page is mounted. Later calls return the same promise. */
    onMount(): Promise<void>
  }
}

/**
 * Returns the state of the first render, which is the same on a server and in the page. In the page, call `onMount`,
 * which creates the signer. With `ssr`, `onMount` first replaces `initialState` with the state stored in this browser.
 *
 * @example
 * ```ts
 * import { hydrate } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const { onMount } = hydrate(config)
 * await onMount()
 * ```
 */
export function hydrate(config: LatchkeyConfig, initialState?: InitialState): hydrate.ReturnType {
  const { clientStore, coreStore, _internal } = config
  const firstPaint = paintFirst(config, initialState)
  const isUntouched = clientStore.getState() === clientStore.getInitialState() && !clientStore.persist.hasHydrated()
  if (initialState && _internal.page && isUntouched) {
    clientStore.setState(firstPaint.clientStore.getState())
    coreStore.setState(firstPaint.coreStore.getState())
  }
  let mounted: Promise<void> | undefined
  const mount = async () => {
    if (_internal.ssr && !clientStore.getState().signer) {
      await clientStore.persist.rehydrate()
      await coreStore.persist.rehydrate()
    }
    await reconnect(config)
  }
  return {
    firstPaint,
    onMount() {
      mounted ??= mount()
      return mounted
    },
  }
}

/**
 * Creates the config's signer once. When the signer connects, creates the accounts of the last visit. An e-mail link or
 * a stored session loads the signer's code immediately; otherwise the first call of the signer loads it. After
 * `CHUNK_FAILED`, call `reconnect` again to retry. Does nothing on a server.
 *
 * @example
 * ```ts
 * import { reconnect } from 'latchkey'
 * import { config } from './config.ts'
 *
 * await reconnect(config)
 * ```
 */
export async function reconnect(config: LatchkeyConfig): Promise<void> {
  const { clientStore, _internal } = config
  const { signer, config: client } = clientStore.getState()
  if (!signer && _internal.page) {
    const made = openSigner({
      page: _internal.page,
      ...client,
      client,
      isInUse: () => _internal.mounts > 0,
      // Prefetches the account code, which the user needs after the sign-in.
      onLoaded: accountChunk.prefetch,
    })
    clientStore.setState({ signer: made.signer })
    followSigner(config, made.signer)
    made.signer.on('connected', () => createKnownAccounts(config))
    _internal.starter = made
  }
  if (clientStore.getState().signerStatus.error) setInitializing(config)
  const error = await _internal.starter?.start()
  if (error && clientStore.getState().signerStatus.status === 'INITIALIZING') setInitializing(config, error)
}

/** Sets the signer status while the signer's code is not loaded. `error`: reason why loading failed. */
function setInitializing({ clientStore }: LatchkeyConfig, error?: BaseError): void {
  clientStore.setState({
    signerStatus: { ...toSignerStatus('INITIALIZING'), ...(error && { isInitializing: false, error }) },
  })
}

/**
 * Signs out in every tab: removes user and accounts from the state and from storage, even if the sign-out fails at the
 * service.
 *
 * @throws `CHUNK_FAILED`: the user is signed out in this browser only, and the session at the service remains valid
 * until it expires.
 *
 * @example
 * ```ts
 * import { disconnect } from 'latchkey'
 * import { config } from './config.ts'
 *
 * await disconnect(config)
 * ```
 */
export async function disconnect(config: LatchkeyConfig): Promise<void> {
  const { signer, accountConfigs } = config.clientStore.getState()
  config._internal.pendingAccounts.clear()
  try {
    await signer?.disconnect()
  } finally {
    config.clientStore.setState(signedOut)
    // The chunk is loaded if this page has sent operations. Otherwise, the records of an earlier visit remain.
    await accountChunk
      .loaded()
      ?.leaveAccounts(config._internal.outbox, listAccounts(accountConfigs))
      .catch(() => {})
  }
}

function listAccounts(configs: AccountConfigs) {
  return Object.entries(configs).flatMap(([chainId, types]) =>
    Object.values(types).flatMap(({ accountAddress: address }: AccountConfig) =>
      address ? [{ chainId, address }] : [],
    ),
  )
}

/** Updates the state's status and user from the signer. Removes the accounts when another user signs in. */
export function followSigner({ clientStore, _internal }: LatchkeyConfig, signer: Signer): void {
  const update = () => {
    const changes = selectSigner(clientStore.getState(), signer)
    if (changes.accountConfigs) _internal.pendingAccounts.clear()
    clientStore.setState(changes)
  }
  for (const event of ['statusChanged', 'connected', 'disconnected'] as const) signer.on(event, update)
}

function selectSigner(state: ClientState, { status, user }: Signer): Partial<ClientState> {
  const isOther = user && state.user && !isSamePerson(user, state.user)
  return {
    ...(state.signerStatus.status !== status && { signerStatus: toSignerStatus(status) }),
    ...((status === 'DISCONNECTED' || isOther) && signedOut(state)),
    ...(user && (isOther || user.email !== state.user?.email || !state.user) && { user }),
  }
}

function isSamePerson(left: User, right: User): boolean {
  return left.userId === right.userId && left.orgId === right.orgId && left.address === right.address
}
