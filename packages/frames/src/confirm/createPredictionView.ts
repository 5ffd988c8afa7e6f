import type { AssetChange } from 'latchkey-protocol'
import { getElement } from '../view/page.ts'
import type { Prediction } from './predict.ts'
import { fill, type Translate } from './texts/translate.ts'
import { toVisible } from './toVisible.ts'

export type PredictionView = {
  /** Shows that the prediction is on its way. Reserves its space, so that nothing moves under a finger. */
  wait(): void
  show(prediction: Prediction): void
}

const texts = {
  wait: 'Asking the chain’s node …',
  unavailable: 'Not available right now. You can decide without it.',
  fails: 'The chain’s node expects this to fail:',
  known: 'What the chain’s node expects this to change. It may turn out differently.',
  none: 'The chain’s node expects no change of assets.',
} as const

/** Returns the view of a prediction. It has an area of fixed height below the decoded acts, and inserts values as text. */
export function createPredictionView(translate: Translate): PredictionView {
  const write = (text: string, lines: readonly string[] = []) => {
    getElement('prediction-text').textContent = translate(text)
    getElement('changes').replaceChildren(...lines.map(toItem))
  }
  return {
    wait() {
      write(texts.wait)
      getElement('prediction').hidden = false
    },
    show(prediction) {
      if (prediction.state === 'unavailable') return write(texts.unavailable)
      if (prediction.state === 'fails') return write(texts.fails, [prediction.failure.slice(0, 500)])
      const { account, changes, more } = prediction
      const lines = changes.map((change) => describeChange(translate, change, account))
      write(lines.length > 0 ? texts.known : texts.none, more > 0 ? [...lines, translate(`and ${more} more`)] : lines)
    },
  }
}

function toItem(text: string): HTMLElement {
  const item = document.createElement('li')
  item.textContent = toVisible(text)
  return item
}

/** Describes a change from the account's side. Symbols are what tokens call themselves, so the contract is named too. */
function describeChange(
  translate: Translate,
  { changeType, from, to, ...asset }: AssetChange,
  account: string,
): string {
  const say = (text: string, more: Readonly<Record<string, string>>) =>
    fill(translate(text), { what: describeAsset(translate, asset), ...more })
  if (changeType === 'APPROVE')
    return isSame(from, account)
      ? say('{who} may take {what} from you', { who: shorten(to) })
      : say('{who} may take {what} from {whom}', { who: shorten(to), whom: shorten(from) })
  if (isSame(from, account)) return say('You send {what} to {whom}', { whom: shorten(to) })
  if (isSame(to, account)) return say('You get {what} from {whom}', { whom: shorten(from) })
  return say('{who} sends {what} to {whom}', { who: shorten(from), whom: shorten(to) })
}

function describeAsset(
  translate: Translate,
  {
    amount,
    rawAmount,
    symbol,
    contractAddress,
    tokenId,
  }: Pick<AssetChange, 'amount' | 'rawAmount' | 'symbol' | 'contractAddress' | 'tokenId'>,
): string {
  const name = [symbol, contractAddress && `(${shorten(contractAddress)})`].filter(Boolean).join(' ')
  const count = amount ?? rawAmount ?? translate('any number of')
  if (tokenId === null) return `${count} ${name}`
  return fill(translate('{count} of number {id} of {name}'), { count, id: tokenId, name })
}

const isSame = (one: string, other: string) => String(one).toLowerCase() === other.toLowerCase()
const shorten = (address: string) => `${String(address).slice(0, 6)}…${String(address).slice(-4)}`
