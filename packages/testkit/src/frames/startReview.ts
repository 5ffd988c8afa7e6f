import { type Address, encodeFunctionData, parseAbi, parseEther, serializeTransaction } from 'viem'
import { confirmationPagePath } from '../../../protocol/src/confirmations.ts'
import { custodyApp } from '../../../server/src/custody/app.ts'
import { framesApp } from '../../../server/src/frames/app.ts'
import { listen } from '../../../server/src/platform/http/listen.ts'
import { startTestCustody } from '../custody.ts'

/** Serves the confirmation page with real custody. `openReview` returns the link of a signature under review. */
export async function startReview() {
  const custody = await startTestCustody({ project: { name: 'Example Wallet', confirmations: 'mail' } })
  let app: Pick<Awaited<ReturnType<typeof custodyApp>>, 'fetch'> = custody.app
  const service = await listen((request, env) => app.fetch(request, env), { port: 0 })
  const bundleSigningPublicKey = custody.bundleSigner
  const pages = framesApp({ page: 'auth', projects: [], custodyUrl: service.url, bundleSigningPublicKey })
  const frames = await listen((request, env) => pages.fetch(request, env), { port: 0 })
  app = await custodyApp({ ...custody.deps, confirmationUrl: `${frames.url}${confirmationPagePath}` })
  return {
    /** Requests a transfer and a change of owners in one transaction. */
    async openReview(language: string): Promise<string> {
      const user = await custody.createUser()
      const account = user.address as Address
      const change = encodeFunctionData({ abi, functionName: 'updateOwners', args: [[stranger], []] })
      const calls = [
        { target: stranger, value: parseEther('0.5'), data: '0x' },
        { target: account, value: 0n, data: change },
      ] as const
      const data = encodeFunctionData({ abi, functionName: 'executeBatch', args: [calls] })
      const request = custody.activity('ACTIVITY_TYPE_SIGN_TRANSACTION_V2', user.orgId, {
        signWith: user.address,
        type: 'TRANSACTION_TYPE_ETHEREUM',
        unsignedTransaction: serializeTransaction({ type: 'eip1559', chainId: 1, to: account, data }),
      })
      const { body } = await custody.call('submit/sign_transaction', request, user.key)
      const { content } = await custody.readQueued(body.activity.id, 'confirm')
      const { hash } = new URL(('link' in content && content.link) || '')
      return `${frames.url}${confirmationPagePath}?lang=${language}${hash}`
    },
    async close() {
      await Promise.all([frames.close(), service.close()])
      await custody.close()
    },
  }
}

const stranger = `0x${'b2'.repeat(20)}` as const
const abi = parseAbi([
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
])

/** Texts of the review by language: title, label and title of the first act, buttons, and title after the decision. */
export const reviewTexts = {
  en: ['Change who owns your account?', 'Call 1 of 2', 'Send native currency', 'Decline', 'Confirm', 'Done'],
  de: [
    'Ändern, wem Ihr Konto gehört?',
    'Aufruf 1 von 2',
    'Native Währung senden',
    'Ablehnen',
    'Bestätigen',
    'Erledigt',
  ],
  fr: [
    'Changer les propriétaires de votre compte ?',
    'Appel 1 sur 2',
    'Envoyer la monnaie native',
    'Refuser',
    'Confirmer',
    'C’est fait',
  ],
  es: [
    '¿Cambiar quién es dueño de su cuenta?',
    'Llamada 1 de 2',
    'Enviar moneda nativa',
    'Rechazar',
    'Confirmar',
    'Hecho',
  ],
  ja: [
    'アカウントの所有者を変更しますか?',
    '呼び出し 1/2',
    'ネイティブ通貨を送る',
    '拒否する',
    '確認する',
    '完了しました',
  ],
} as const satisfies Record<string, readonly [string, string, string, string, string, string]>
